import { afterAll, expect, test } from "bun:test";
import { pixelsOf } from "../../support/media/rgb.ts";
import { testService } from "../../support/service.ts";
import { png } from "../../support/uploads.ts";
import { newWork, requireJson } from "../../support/work-videos.ts";

const service = await testService();
const ann = await service.register("Ann");
const work = await newWork(ann);
const { projectId, workId } = work;
const { id: assetId } = await work.asset(png(8, 8));

afterAll(() => service.close());

const options = { width: 64, height: 48, fps: 10 };
const film = (layer: object) => ({
  ...{ projectId, workId, options, clips: [] },
  layers: [{ type: "html", end: 2, ...layer }],
});
const validate = (layer: object) => requireJson(ann.json("POST", "/api/export/validate", film(layer)));

async function frameAt(seconds: number, layer: object) {
  const response = await ann.json("POST", `/api/export/frame?t=${seconds}`, film(layer));
  if (response.status !== 200) throw new Error(await response.text());
  const pixels = await pixelsOf(new Uint8Array(await response.arrayBuffer()));
  return (x: number, y: number) =>
    [0, 1, 2].map((channel) => Math.round(pixels[3 * (y * options.width + x) + channel]! / 16));
}

test("a card is drawn in the sandbox, and moves by its keyframes", async () => {
  const layer = {
    html: "<i></i>",
    css: "i{display:block;width:20px;height:20px;background:#f00;animation:go .5s linear .5s both}@keyframes go{to{margin-left:40px}}",
  };
  const before = await frameAt(0.2, layer);
  const after = await frameAt(1.5, layer);
  expect([before(5, 5), before(55, 5)]).toEqual([
    [16, 0, 0],
    [0, 0, 0],
  ]);
  expect([after(5, 5), after(55, 5)]).toEqual([
    [0, 0, 0],
    [16, 0, 0],
  ]);
});

test("warnings name the lines that are not drawn", async () => {
  const { ok, warnings } = await validate({
    html: "<p>a</p>\n<script>1</script>",
    css: "p{color:red;\nposition:sticky}\np{font-family:Nowhere}p{animation:x 1s infinite}@keyframes x{to{opacity:0}}",
  });
  expect(ok).toBe(true);
  expect(warnings.slice(1)).toMatchObject([
    { path: "layers.0.html", code: "css_ignored", message: "Line 2 has no effect: <script>" },
    { path: "layers.0.css", code: "css_ignored", message: "Line 2 has no effect: position: sticky" },
    { path: "layers.0.css", code: "css_ignored", message: "Line 3 has no effect: font-family: Nowhere" },
    { path: "layers.0", code: "animation_endless" },
  ]);
});

test("values are no markup, and fill no CSS", async () => {
  const { errors } = await validate({ html: "<p>{{a}}</p>", css: "p{color:{{a}}}", values: { a: "red" } });
  expect(errors).toMatchObject([{ code: "validation_error", path: "layers.0.css" }]);
  const layer = { html: '<p class="{{a}}">{{a}}</p>', values: { a: '"><script>x</script>' } };
  expect((await validate(layer)).warnings).toMatchObject([{ code: "silent_result" }]);
});

test("a placeholder without a value is named", async () => {
  const { warnings } = await validate({ html: "<p>{{a}} {{ b }}</p>", values: { a: "1" } });
  const message = expect.stringContaining("Shows {{b}} as it is");
  expect(warnings).toContainEqual({ path: "layers.0.html", code: "placeholder_missing", message });
});

test("pictures of the project are shown, and missing ones are errors", async () => {
  const css = "body{background:#fff}img{width:32px;height:48px}";
  const at = await frameAt(0.5, { html: `<img src="asset:${assetId}">`, css });
  expect([at(16, 20), at(50, 20)]).toEqual([
    [0, 0, 0],
    [16, 16, 16],
  ]);
  expect((await validate({ html: '<img src="asset:nothing">' })).errors).toMatchObject([{ code: "asset_missing" }]);
});

test("a card that is too large is refused by its field", async () => {
  const { errors } = await validate({ html: "<b></b>".repeat(1500) });
  expect(errors).toMatchObject([{ code: "validation_error", path: "layers.0.html" }]);
});

test("the page of a target is checked as the layer's own", async () => {
  const own = {
    html: '<img src="asset:asset_00000000000000000000000000000000"><p>{{a}}</p>',
    css: "p{position:sticky}",
  };
  const { errors, warnings } = await validate({ html: "<p>a</p>", targets: { "1:1": own } });
  expect(errors).toMatchObject([{ code: "asset_missing" }]);
  const shown = await validate({ html: "<p>a</p>", targets: { "1:1": { ...own, html: "<p>{{a}}</p>" } } });
  expect([...warnings, ...shown.warnings]).toMatchObject(
    expect.arrayContaining([
      expect.objectContaining({ path: "layers.0.targets.1:1.html", code: "placeholder_missing" }),
      expect.objectContaining({ path: "layers.0.targets.1:1.css", code: "css_ignored" }),
    ]),
  );
});

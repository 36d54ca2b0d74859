import { expect, test } from "bun:test";
import { loadImage } from "@napi-rs/canvas";
import { filmWithLibrary } from "./library-film.ts";

const { user, ann, templates, base, image, expectInSafeZone } = await filmWithLibrary();

test("there are at least 32 templates, each with an example for every placeholder of its texts", async () => {
  expect(templates.length).toBeGreaterThanOrEqual(32);
  expect(templates.slice(0, 8).map(({ id }: { id: string }) => id)).toEqual([
    "lower-third",
    "price-tag",
    "end-card",
    "quote",
    "countdown",
    "before-after",
    "list",
    "logo-sting",
  ]);
  for (const { id, placeholders } of templates.filter((_: unknown, index: number) => index % 8 === 0)) {
    const { status, body } = await ann("GET", `/api/template-library/${id}`);
    expect(status).toBe(200);
    const { textOverlays, layers = [] } = body.content;
    const texts = [...textOverlays, ...layers].map(({ text, html }) => text ?? html).join(" ");
    const keys = [...texts.matchAll(/\{\{(\w+)\}\}/g)].map(([, key]) => key);
    expect(new Set(keys)).toEqual(new Set(placeholders.map(({ key }: { key: string }) => key)));
    for (const { example, description } of placeholders) expect([example, description]).not.toContain("");
  }
  expect((await ann("GET", "/api/template-library/none")).status).toBe(404);
});

test.each(["lower-third"])("%s stays in the safe zone of every frame, whatever its values are", expectInSafeZone);

test("a copy has the name, the colors and the direction of the request", async () => {
  const palette = { primary: "#ffffff", accent: "navy" };
  const { body } = await ann("POST", `${base}/templates`, { fromLibrary: "lower-third", name: "Names", palette });
  expect([body.name, body.tags]).toEqual(["Names", ["name", "title"]]);
  const [name, role] = body.content.textOverlays;
  expect([name.background, name.fontColor, role.background, role.fontColor]).toEqual([
    "#ffffff",
    "#10151c",
    "navy",
    "#ffffff",
  ]);
  const rightToLeft = { fromLibrary: "lower-third", direction: "rtl" };
  const mirrored = (await ann("POST", `${base}/templates`, rightToLeft)).body.content.textOverlays[0];
  expect(mirrored.align).toBe("right");
  expect(mirrored.centerX).toBeGreaterThan(name.centerX);
});

test("an unknown template, place, image or color is refused", async () => {
  for (const [body, path] of [
    [{ fromLibrary: "none" }, "fromLibrary"],
    [{ fromLibrary: "quote", assets: { logo: image.id } }, "assets.logo"],
    [{ fromLibrary: "logo-sting", assets: { logo: "asset_1" } }, "assets.logo"],
    [{ fromLibrary: "quote", palette: { accent: "reddish" } }, "palette.accent"],
  ] as const) {
    const answer = await ann("POST", `${base}/templates`, body);
    expect([answer.status, answer.body.details[0].path]).toEqual([400, path]);
  }
});

test("a body without fromLibrary still needs a name and content", async () => {
  const { status, body } = await ann("POST", `${base}/templates`, {});
  expect([status, body.details.map(({ path }: { path: string }) => path)]).toEqual([400, ["name", "content"]]);
});

test("a page covers the frame of each target, from its share of the video on, and has a moving picture", async () => {
  const [template] = templates.filter(({ id }: { id: string }) => id === "end-card-press");
  const picture = await user.request(template.animations["16:9"]);
  expect([picture.status, picture.headers.get("content-type")]).toEqual([200, "image/webp"]);
  const { width, height } = await loadImage(await picture.bytes());
  expect([width, height]).toEqual([384, 216]);
  const copy = await ann("POST", `${base}/templates`, { fromLibrary: "end-card-press", assets: { logo: image.id } });
  const placeholderValues = { headline: "Fresh", action: "Order now", address: "loaf.example" };
  const applied = await ann("POST", `${base}/templates/${copy.body.id}/apply`, {
    videoDuration: 10,
    placeholderValues,
  });
  const [layer] = applied.body.layers;
  expect([layer.position, layer.end, layer.startPercent]).toEqual([7, undefined, undefined]);
  expect(layer.html).toContain(`asset:${image.id}`);
});

test("a layer of a template that ends before it starts is refused", async () => {
  const layers = [{ type: "html", html: "<b>Hi</b>", startPercent: 60, endPercent: 20 }];
  const { status, body } = await ann("POST", `${base}/templates`, { name: "Late", content: { layers } });
  expect([status, body.details[0].path]).toEqual([400, "content.layers.0.endPercent"]);
});

test("a picture of the library has the colors that its address names", async () => {
  const pictureOf = async (query: string) => {
    const { previews } = (await ann("GET", "/api/template-library/price-tag")).body;
    return await user.request(`${previews["1:1"]}${query}`);
  };
  const [plain, green, wrong] = [
    await pictureOf(""),
    await pictureOf("&primary=%230b6e4f&background=%230b6e4f&accent=%230b6e4f"),
    await pictureOf("&primary=reddish"),
  ];
  expect([plain.status, green.status, wrong.status]).toEqual([200, 200, 400]);
  expect(await green.bytes()).not.toEqual(await plain.bytes());
});

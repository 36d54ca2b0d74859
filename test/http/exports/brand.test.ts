import { beforeEach, describe, expect, test } from "bun:test";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import { jsonClient } from "../../support/json-client.ts";
import { sharedService } from "../../support/service.ts";
import { png } from "../../support/uploads.ts";
import { newWork, requireJson } from "../../support/work-videos.ts";

const service = await sharedService();
const user = await service.register();
const ann = jsonClient(user);

const work = await newWork(user, { name: "Film" });
const { projectId, workId } = work;
await work.image(0, png(64, 36));
const logo = await work.asset(await red(40, 20));
const canvas = { width: 216, height: 384 };
const request = {
  projectId,
  workId,
  clips: [{ sceneIndex: 0, position: 0, end: 1 }],
  options: { ...canvas, fps: 10, brand: true },
};

async function red(width: number, height: number): Promise<File> {
  const drawn = createCanvas(width, height);
  const context = drawn.getContext("2d");
  context.fillStyle = "#ff0000";
  context.fillRect(0, 0, width, height);
  return new File([new Uint8Array(drawn.toBuffer("image/png"))], "red.png", { type: "image/png" });
}

const saveBrand = async (brand: unknown, more: object = {}) => {
  const saved = await ann("PUT", `/api/projects/${projectId}`, { styleGuide: { tone: "calm", brand, ...more } });
  expect(saved.status).toBe(200);
  return saved.body.styleGuide;
};
const codesOf = (warnings: readonly { readonly code: string; readonly path: string }[]) =>
  warnings.filter(({ code }) => /brand|contrast/.test(code)).map(({ code, path }) => `${code} ${path}`);
const validate = async (more: object) => (await ann("POST", "/api/export/validate", { ...request, ...more })).body;

/** The box of the pixels of a frame that are of this color. */
async function boxOf(isColor: (red: number, green: number, blue: number) => boolean, body: object, query = "?t=0.5") {
  const sent = await requireBytes(user.json("POST", `/api/export/frame${query}`, body));
  const image = await loadImage(sent);
  const { width, height } = image;
  const context = createCanvas(width, height).getContext("2d");
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  const found = Array.from({ length: width * height }, (_, index) => index).filter((index) =>
    isColor(data[4 * index]!, data[4 * index + 1]!, data[4 * index + 2]!),
  );
  const xs = found.map((index) => index % width);
  const ys = found.map((index) => Math.floor(index / width));
  return {
    count: found.length,
    left: Math.min(...xs),
    right: Math.max(...xs),
    top: Math.min(...ys),
    bottom: Math.max(...ys),
  };
}

async function requireBytes(sent: Response | Promise<Response>) {
  const response = await sent;
  if (!response.ok) throw new Error(await response.text());
  return await response.bytes();
}

const isRed = (r: number, g: number, b: number) => r > 180 && g < 80 && b < 80;
/** Edges may be blurred, because video stores color for pairs of pixels. */
function expectLogoSize({ left, right, top, bottom }: Awaited<ReturnType<typeof boxOf>>) {
  expect(Math.abs(right - left + 1 - 40)).toBeLessThanOrEqual(3);
  expect(Math.abs(bottom - top + 1 - 20)).toBeLessThanOrEqual(3);
}

const isBlue = (r: number, g: number, b: number) => b > 150 && r < 80 && g < 80;

describe("the style guide's brand", () => {
  test("is stored with its unknown keys, and null clears it", async () => {
    const brand = { palette: { primary: "navy" }, own: { a: [1] } };
    expect(await saveBrand(brand)).toEqual({ tone: "calm", brand });
    expect(await saveBrand(null)).toEqual({ tone: "calm" });
  });

  test("a text in its place stays as it is, and gives an export no brand", async () => {
    expect(await saveBrand("Bright Loaf")).toEqual({ tone: "calm", brand: "Bright Loaf" });
    expect((await validate({})).ok).toBe(true);
  });

  test("bad fields are refused with their names", async () => {
    for (const [brand, path] of [
      [{ palette: { text: "reddish" } }, "palette.text"],
      [{ logo: { assetId: logo.id, place: "center" } }, "logo.place"],
      [{ logo: { place: "top" } }, "logo.assetId"],
      [{ captions: { style: "neon" } }, "captions.style"],
      [{ fonts: { heading: 3 } }, "fonts.heading"],
    ] as const) {
      const answer = await ann("PUT", `/api/projects/${projectId}`, { styleGuide: { brand } });
      expect([answer.status, answer.body.details[0].path]).toEqual([400, `styleGuide.brand.${path}`]);
    }
  });
});

describe("an export with the brand", () => {
  beforeEach(async () => {
    await saveBrand({
      palette: { text: "#0000ff", background: "#ffffff", accent: "#ffb000" },
      logo: { assetId: logo.id, place: "top-left", width: 40, margin: 6 },
    });
  });

  test("has the logo in its place inside of the safe zone, in every target", async () => {
    const first = await boxOf(isRed, request);
    expectLogoSize(first);
    expect(first.left).toBeGreaterThanOrEqual(6);
    expect(first.top).toBeGreaterThanOrEqual(Math.floor(384 * 0.12));
    const targets = { ...request, options: { ...request.options, targets: ["9:16", "16:9"] } };
    const wide = await boxOf(isRed, targets, "?t=0.5&target=16:9");
    expectLogoSize(wide);
    expect([wide.left < 60, wide.top < 60, wide.left >= 19, wide.top >= 10]).toEqual([true, true, true, true]);
    const { brand: _, ...options } = request.options;
    expect((await boxOf(isRed, { ...request, options })).count).toBe(0);
  });

  test("draws texts without colors in those of the palette, and keeps the request's own", async () => {
    const text = { text: "████", position: 0, end: 1, fontSize: 30 };
    expect((await boxOf(isBlue, { ...request, texts: [text] })).count).toBeGreaterThan(300);
    expect((await boxOf(isBlue, { ...request, texts: [{ ...text, fontColor: "#00ff00" }] })).count).toBe(0);
  });

  test("stores what the brand has added: a later change does not affect it", async () => {
    const job = (await ann("POST", "/api/exports", request)).body;
    await saveBrand(null);
    const done = async (): Promise<{ status: string; warnings: [] }> => {
      const events = await user.request(`/api/exports/${job.id}/events`);
      await events.text();
      return (await ann("GET", `/api/exports/${job.id}`)).body;
    };
    expect((await done()).status).toBe("done");
    const stored = await service.services.exports.find(user.user.id, job.id);
    expect(stored?.request).toMatchObject({ images: [{ assetId: logo.id }] });
  });

  test("validate names colors that are none of the palette's, and low contrast", async () => {
    const text = { text: "Sale", position: 0, end: 1, fontSize: 40 };
    const near = { ...text, fontColor: "#0202fa", background: "#fefefe" };
    const off = { ...text, fontColor: "#00c000", background: "#ffffff" };
    const { warnings, ok } = await validate({ texts: [text, near, off] });
    expect(ok).toBe(true);
    expect(codesOf(warnings)).toContain("brand_color_off texts.2.fontColor");
    expect(codesOf(warnings)).toContain("contrast_low texts.2.fontColor");
    expect(codesOf(warnings).filter((code) => !code.includes("texts.2"))).toEqual([]);
  });
});

describe("what of a brand is missing", () => {
  test("a brand without a logo, or whose image is gone, is exported with a warning", async () => {
    await saveBrand({ palette: { text: "white" } });
    expect(codesOf((await validate({})).warnings)).toEqual(["brand_logo_missing options.brand"]);
    const gone = await work.asset(png(8, 8));
    await saveBrand({ logo: { assetId: gone.id, place: "bottom" } });
    await ann("DELETE", `/api/projects/${projectId}/assets/${gone.id}`);
    const report = await validate({});
    expect([report.ok, codesOf(report.warnings)]).toEqual([true, ["brand_logo_missing options.brand"]]);
  });

  test("a font and a template that are gone, and placeholders without values, are named and left out", async () => {
    const textOverlays = [{ id: "a", text: "Hi {{name}}", timingMode: "relative" }];
    const template = (
      await ann("POST", `/api/projects/${projectId}/templates`, { name: "T", content: { textOverlays } })
    ).body;
    const fonts = { body: "asset_00000000000000000000000000000000" };
    const endCard = "tmpl_00000000000000000000000000000000";
    await saveBrand({ fonts, endCard, intro: template.id, logo: { assetId: logo.id, place: "bottom" } });
    const { ok, warnings } = await validate({ texts: [{ text: "Hi", position: 0, end: 1, fontSize: 20 }] });
    expect([ok, codesOf(warnings)]).toEqual([true, Array(3).fill("brand_part_missing options.brand")]);
  });
});

test("the intro is shown over the start and the end card over the end, with the brand's values", async () => {
  const overlay = (id: string, fontColor: string) => ({
    id,
    text: "{{bar}}",
    fontColor,
    fontSize: 40,
    shadowColor: "transparent",
    timingMode: "relative",
    startPercent: 50,
  });
  const create = async (fontColor: string) => {
    const content = { textOverlays: [overlay("a", fontColor)] };
    return (await requireJson(user.json("POST", `/api/projects/${projectId}/templates`, { name: "T", content }))).id;
  };
  const [intro, endCard] = [await create("#ff0000"), await create("#0000ff")];
  await saveBrand({ intro, endCard, values: { bar: "███" } });
  const counts = async (second: number) => [
    (await boxOf(isRed, request, `?t=${second}`)).count > 100,
    (await boxOf(isBlue, request, `?t=${second}`)).count > 100,
  ];
  expect([await counts(0), await counts(0.4), await counts(0.6), await counts(0.9)]).toEqual([
    [true, false],
    [true, false],
    [false, true],
    [false, true],
  ]);
});

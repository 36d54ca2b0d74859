import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import packages from "../../../package.json";
import { cardRenderer } from "../../../src/engine/html/card.ts";
import { areKnown } from "../../../src/engine/html-drawing/known-css.ts";
import { drawStates } from "../../../src/engine/overlays/states.ts";
import type { DrawnState } from "../../../src/engine/timeline/overlay.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";

const folder = await temporaryFolder();
afterAll(() => rm(folder, { recursive: true, force: true }));

type CardOptions = { readonly css?: string; readonly timeMs?: number; readonly fitsText?: boolean };

const size = { width: 80, height: 60 };

const stateOf = (html: string, { css = "", timeMs = 0, fitsText = false }: CardOptions): DrawnState => ({
  content: {
    ...{ kind: "html", html, css, box: { x: 0, y: 0, ...size }, fitsText, timeMs },
    ...{ images: {}, fonts: {}, renderer: cardRenderer },
  },
  opacity: 1,
  rotationDegrees: 0,
});

const noFiles = async (): Promise<string> => {
  throw new Error("The card has no files.");
};

/** The colors of a card's pixels. */
async function draw(html: string, options: CardOptions = {}) {
  const output = `${folder}/${crypto.randomUUID()}.png`;
  const states = [stateOf(html, options)];
  const drawn = await drawStates({ states, canvas: size, format: "png", output, footage: [], localPathOf: noFiles });
  expect(drawn?.box).toEqual({ x: 0, y: 0, ...size });
  const context = createCanvas(size.width, size.height).getContext("2d");
  context.drawImage(await loadImage(output), 0, 0);
  const { data } = context.getImageData(0, 0, size.width, size.height);
  return {
    data,
    at: (x: number, y: number) => [...data.subarray(4 * (y * size.width + x), 4 * (y * size.width + x) + 4)],
    /** The first and the last column, and the first and the last row, with something of this kind. */
    extent(isShown: (pixel: readonly number[]) => boolean) {
      const shown = [...Array(size.width * size.height).keys()].filter((at) =>
        isShown([...data.subarray(4 * at, 4 * at + 4)]),
      );
      const columns = shown.map((at) => at % size.width);
      const rows = shown.map((at) => Math.floor(at / size.width));
      return {
        left: Math.min(...columns),
        right: Math.max(...columns),
        top: Math.min(...rows),
        bottom: Math.max(...rows),
      };
    },
  };
}

const isVisible = ([, , , alpha = 0]: readonly number[]) => alpha > 40;

test("the ground is transparent, and boxes lie where CSS says", async () => {
  const { at } = await draw('<div class="a"></div>', {
    css: "body{display:flex;justify-content:flex-end}.a{width:20px;height:30px;background:#f00}",
  });
  expect(at(79, 29)).toEqual([255, 0, 0, 255]);
  expect(at(50, 10)).toEqual([0, 0, 0, 0]);
  expect(at(79, 31)).toEqual([0, 0, 0, 0]);
});

test("lengths may be compared", async () => {
  const { extent } = await draw("<i></i>", {
    css: "i{display:block;background:red;width:clamp(10px,50vw,30px);height:min(max(1rem,5px),50vh)}",
  });
  expect(extent(isVisible)).toEqual({ left: 0, right: 29, top: 0, bottom: 15 });
});

test("the styles of a page, its root and its body hold", async () => {
  const html =
    "<html><head><style>:root{--c:#00f} body{background:var(--c)}</style></head><body class=x>a</body></html>";
  const { at } = await draw(html, { css: ".x{padding:10px}" });
  expect(at(70, 50)).toEqual([0, 0, 255, 255]);
});

test("type is filled with a gradient", async () => {
  const { data } = await draw("<p>████</p>", {
    css: "p{margin:0;font-size:40px;background:linear-gradient(90deg,#f00,#00f);background-clip:text;color:transparent}",
  });
  const colors = [...Array(data.length / 4).keys()].filter((at) => data[4 * at + 3]! > 200);
  expect(colors.some((at) => data[4 * at]! > 200)).toBe(true);
  expect(colors.some((at) => data[4 * at + 2]! > 150)).toBe(true);
});

test("keyframes are drawn at their time", async () => {
  const css =
    "i{display:block;width:20px;height:20px;background:#0f0;animation:go 1s linear .5s both}@keyframes go{from{margin-left:0}to{margin-left:60px}}";
  const leftAt = async (timeMs: number) => (await draw("<i></i>", { css, timeMs })).extent(isVisible).left;
  expect([await leftAt(0), await leftAt(1000), await leftAt(1501)]).toEqual([0, 30, 60]);
});

test("a calculated delay is that of each element", async () => {
  const css =
    "body{display:flex}i{width:20px;height:20px;background:#0f0;animation:go 1s linear calc(var(--i)*.5s) both}@keyframes go{from{opacity:0}to{opacity:1}}";
  const { at } = await draw('<i style="--i:0"></i><i style="--i:2"></i>', { css, timeMs: 1500 });
  expect([at(10, 10)[3], Math.abs(at(30, 10)[3]! - 128) < 3]).toEqual([255, true]);
});

test("emoji have colors, and other scripts have glyphs", async () => {
  const { data } = await draw("<p>🟥🟩</p>", { css: "p{margin:0;font-size:30px}" });
  const has = (channel: number) =>
    [...Array(data.length / 4).keys()].some((at) => {
      const pixel = data.subarray(4 * at, 4 * at + 3);
      return pixel[channel]! > 150 && pixel[(channel + 1) % 3]! < 120 && pixel[(channel + 2) % 3]! < 120;
    });
  expect([has(0), has(1)]).toEqual([true, true]);
  const pictures = [];
  for (const text of ["مرحبا", "हिन्दी", "漢字", "ภาษา"]) pictures.push((await draw(text)).data.join());
  const missing = (await draw("\u{10FFFD}\u{10FFFD}")).data.join();
  expect(new Set([...pictures, missing]).size).toBe(5);
});

test("words shrink until they fit their boxes", async () => {
  const css = ".box{width:60px;height:30px;font-size:40px;line-height:1.1}";
  const html = '<div class="box" data-fit>Very long words</div>';
  const whole = (await draw(html, { css })).extent(isVisible);
  const fitted = (await draw(html, { css, fitsText: true })).extent(isVisible);
  expect(whole.right).toBe(79);
  expect(fitted.right).toBeLessThanOrEqual(60);
  expect(fitted.bottom).toBeLessThanOrEqual(31);
  const short = '<div class="box" style="font-size:20px" data-fit>I</div>';
  expect((await draw(short, { css, fitsText: true })).data).toEqual((await draw(short, { css })).data);
});

const dot = createCanvas(1, 1);
dot.getContext("2d").fillStyle = "#f00";
dot.getContext("2d").fillRect(0, 0, 1, 1);
const redDot = dot.toDataURL("image/png");

test("pictures in addresses and drawings are shown, those from outside are not", async () => {
  const { at } = await draw(
    `<img src="${redDot}" width="10" height="10"><img src="http://localhost/a.png" width="10" height="10"><svg width="10" height="10" viewBox="0 0 1 1"><rect width="1" height="1" fill="#00f"/><image href="/etc/hostname"/></svg>`,
    { css: "body{display:flex}" },
  );
  expect([at(5, 5), at(15, 5), at(25, 5)]).toEqual([
    [255, 0, 0, 255],
    [0, 0, 0, 0],
    [0, 0, 255, 255],
  ]);
});

test("a drawing keeps its soft light, and no filter that loads something", async () => {
  const filtered = (filter: string) =>
    draw(
      `<svg width="80" height="60" viewBox="0 0 80 60"><filter id="f">${filter}</filter><rect x="30" y="20" width="20" height="20" fill="#f00" filter="url(#f)"/></svg>`,
    );
  const soft = await filtered('<feGaussianBlur stdDeviation="4"/>');
  expect(isVisible(soft.at(29, 30))).toBe(true);
  expect(soft.at(40, 30)[3]).toBeLessThan(255);
  const loaded = await filtered('<feImage href="/etc/hostname"/><feTurbulence/>');
  expect(isVisible(loaded.at(5, 5))).toBe(false);
});

test("equal cards are equal pixels", async () => {
  const css = "p{font-size:20px;text-shadow:0 2px 4px red;filter:blur(1px)}";
  expect((await draw("<p>same</p>", { css })).data).toEqual((await draw("<p>same</p>", { css })).data);
});

test("the renderer tells what it does not draw", async () => {
  const declarations = [
    { property: "color", value: "red" },
    { property: "position", value: "sticky" },
    { property: "made-up", value: "1" },
    { property: "width", value: "calc(100% - 3px)" },
    { property: "font-family", value: "Inter, sans-serif" },
    { property: "font-family", value: "Nowhere" },
  ];
  expect(await areKnown(declarations)).toEqual([true, false, false, true, true, false]);
});

test("the version in cache keys is that of the package", () => {
  expect(cardRenderer).toStartWith(`takumi ${packages.dependencies["@takumi-rs/core"]},`);
});

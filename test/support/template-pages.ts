import { createCanvas } from "@napi-rs/canvas";
import type { Palette } from "../../src/domain/brand/brand.ts";
import { contentOf, type Design } from "../../src/domain/templates/library/design.ts";
import { fillAll } from "../../src/domain/templates/placeholders.ts";
import { prepareCard } from "../../src/engine/html-drawing/draw.ts";
import { safeZoneOf } from "../../src/engine/timeline/safe-zone.ts";
import type { Canvas } from "../../src/engine/timeline/timeline.ts";
import { contrastRatio } from "../../src/platform/colors.ts";
import { readTemplates } from "../../src/readers/templates/read-templates.ts";

export const designs = readTemplates(new URL("../../src/templates", import.meta.url).pathname);

export const pages: readonly Design[] = [...designs.values()].filter(({ html }) => html !== "");

export const frames: Readonly<Record<string, Canvas>> = {
  tall: { width: 1080, height: 1920 },
  square: { width: 1080, height: 1080 },
  wide: { width: 1920, height: 1080 },
};

export const palettes: readonly Palette[] = [
  {},
  { primary: "#ff5a36", secondary: "#ffd9c9", accent: "#14213d", text: "#1b1b1b", background: "#fff6ef" },
  { primary: "#5b2be0", secondary: "#c9f2e5", accent: "#c6ff3d", text: "#ffffff", background: "#120a2e" },
];

export type Shown = {
  readonly canvas: Canvas;
  readonly palette?: Palette;
  readonly direction?: "ltr" | "rtl";
  /** For each placeholder; its example by default. */
  readonly value?: string;
};

/** The layer of a design with values in it. */
export function pageOf(design: Design, { palette = {}, direction = "ltr", value }: Omit<Shown, "canvas">) {
  const { layers = [] } = contentOf(design, { palette, assets: {}, direction });
  const values = Object.fromEntries(design.placeholders.map(({ key, example }) => [key, value ?? example]));
  // safe because a page is a layer of HTML
  return fillAll(layers[0] as { readonly html: string; readonly css: string }, values);
}

/** Pages are drawn this much smaller. */
const drawnScale = 0.25;

const noFiles = { image: () => Promise.reject(new Error("no image")), localPathOf: () => Promise.resolve("") };

/** After the last animation. */
const atRest = 60_000;

async function drawn(
  page: { readonly html: string; readonly css: string },
  canvas: Canvas,
  ground: string,
  at: number,
) {
  const box = { x: 0, y: 0, ...canvas };
  const card = { kind: "html", ...page, box, fitsText: true, fonts: {}, images: {} };
  const bitmap = await (await prepareCard(card as never, drawnScale, noFiles)).at(at);
  const context = createCanvas(bitmap.width, bitmap.height).getContext("2d");
  context.fillStyle = ground;
  context.fillRect(0, 0, bitmap.width, bitmap.height);
  context.drawImage(bitmap, 0, 0);
  return context.getImageData(0, 0, bitmap.width, bitmap.height);
}

/** True if the page looks different soon after its start than at rest. */
export async function moves(design: Design, canvas: Canvas): Promise<boolean> {
  const page = pageOf(design, {});
  const [early, late] = await Promise.all([150, atRest].map((at) => drawn(page, canvas, "#888", at)));
  return !Buffer.from(early!.data).equals(Buffer.from(late!.data));
}

const withoutWords =
  "[data-fit] { color: transparent !important; text-shadow: none !important; text-decoration: none !important; }";
const thickWords = "[data-fit] { -webkit-text-stroke: 8px currentColor; text-shadow: none !important; }";

/** Rounded positions, and the soft edges of small glyphs. */
const tolerance = 8;

/** Colors with less of the words' pixels are those of edges. */
const edgeShare = 1 / 12;

/** How many pixels words have, how many of these are outside of the safe zone, and the share that is hard to read. */
export async function wordsOf(design: Design, { canvas, ...shown }: Shown, ground = "#ffffff") {
  const page = pageOf(design, shown);
  const [full, thick, empty] = await Promise.all(
    ["", thickWords, withoutWords].map((css) => drawn({ ...page, css: `${page.css}\n${css}` }, canvas, ground, atRest)),
  );
  const zone = safeZoneOf(canvas);
  const colorAt = ({ data }: { readonly data: Uint8ClampedArray }, at: number) => ({
    ...{ red: data[at]!, green: data[at + 1]!, blue: data[at + 2]!, alpha: 1 },
  });
  const pixels = full!.data.length / 4;
  const differ = (one: typeof full, at: number) =>
    [0, 1, 2].reduce((sum, channel) => sum + Math.abs(one!.data[at + channel]! - empty!.data[at + channel]!), 0) > 30;
  const isOutside = (index: number) => {
    const x = (index % full!.width) / drawnScale;
    const y = Math.floor(index / full!.width) / drawnScale;
    const isWithin = (value: number, from: number, length: number) =>
      value >= from - tolerance && value <= from + length + tolerance;
    return !(isWithin(x, zone.x, zone.width) && isWithin(y, zone.y, zone.height));
  };
  let [letters, outside] = [0, 0];
  const inks: { readonly contrast: number; readonly key: number }[] = [];
  for (let index = 0; index < pixels; index++) {
    const at = 4 * index;
    if (differ(full, at)) {
      letters++;
      if (isOutside(index)) outside++;
    }
    if (!differ(thick, at)) continue;
    const ink = colorAt(thick!, at);
    const key = ((ink.red >> 4) << 8) | ((ink.green >> 4) << 4) | (ink.blue >> 4);
    inks.push({ contrast: contrastRatio(ink, colorAt(empty!, at)), key });
  }
  const colors = [...Map.groupBy(inks, ({ key }) => key).values()];
  const inside = colors.filter((ofColor) => ofColor.length > inks.length * edgeShare).flat();
  const pale = inside.filter(({ contrast }) => contrast < 4.5).length / Math.max(1, inside.length);
  return { letters, outside, pale };
}

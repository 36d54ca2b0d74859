import type { SKRSContext2D } from "@napi-rs/canvas";
import { newCanvas } from "../drawing/new-canvas.ts";
import { resolveFonts } from "../text/fonts/fonts.ts";
import { hasGlyphs, isTextLayer } from "./features.ts";
import { isObject, type Json, listOf } from "./read.ts";

/** Words by the names of text layers. */
export type WordMap = { readonly [layer: string]: string };

/**
 * Draws the words of text layers with the fonts of the service, as pictures in their place, in the JSON itself: the
 * library finds fonts of the system only. Layers with outlines in the file keep them unless their words are replaced.
 * `scale` is the number of pixels for one of the animation.
 */
export async function drawTexts(json: Json, words: WordMap, scale: number): Promise<void> {
  const compositions = [json, ...listOf(json.assets)].filter(({ layers }) => Array.isArray(layers));
  const pictures: Json[] = [];
  let pixels = 0;
  const fonts = isObject(json.fonts) ? listOf(json.fonts.list) : [];
  for (const composition of compositions) {
    const layers = [...listOf(composition.layers)];
    const moved: Json[] = [];
    let nextIndex = Math.max(0, ...layers.map(({ ind }) => (typeof ind === "number" ? ind : 0))) + 1;
    for (const [at, layer] of layers.entries()) {
      if (!isTextLayer(layer)) continue;
      const own = Object.hasOwn(words, String(layer.nm)) ? words[String(layer.nm)] : undefined;
      if (own === undefined && hasGlyphs(json)) continue;
      const document = documentOf(layer);
      const drawn =
        document && (await drawDocument({ ...document, t: own ?? document.t }, fonts, scale, maxPixels - pixels));
      const id = `text ${pictures.length}`;
      pixels += drawn ? drawn.width * drawn.height : 0;
      if (drawn) pictures.push({ id, w: drawn.width, h: drawn.height, u: "", e: 1, p: drawn.address });
      const index = typeof layer.ind === "number" ? layer.ind : nextIndex++;
      moved.push(positionOf(layer, index));
      layers[at] = pictureLayer(layer, { parent: index, index: nextIndex++, picture: drawn && { ...drawn, id } });
    }
    composition.layers = [...layers, ...moved];
  }
  if (pictures.length > 0) json.assets = [...listOf(json.assets), ...pictures];
}

/** The text of a layer at its beginning. */
function documentOf({ t }: Json): Json | undefined {
  const [first] = isObject(t) && isObject(t.d) ? listOf(t.d.k) : [];
  return isObject(first?.s) ? first.s : undefined;
}

/** A layer that shows nothing and has the place of the text, which others may follow. */
const positionOf = ({ nm, ks, parent, ip, op, st, sr, ddd }: Json, ind: number): Json => ({
  ...{ ty: 3, nm, ks, ip, op, st, sr, ddd, ind },
  ...(parent !== undefined && { parent }),
});

type Placed = {
  readonly parent: number;
  readonly index: number;
  readonly picture: (DrawnText & { readonly id: string }) | undefined;
};

function pictureLayer(layer: Json, { parent, index, picture }: Placed): Json {
  const { t: _, masksProperties: _masks, hasMask: _hasMask, ks, ...rest } = layer;
  if (!picture) return { ...rest, ty: 3, ks, ind: index, parent };
  const fixed = (k: unknown) => ({ a: 0, k });
  const { x, y, scale, id } = picture;
  const size = 100 / scale;
  return {
    ...{ ...rest, ty: 2, refId: id, ind: index, parent },
    ks: {
      ...{ o: (ks as Json).o ?? fixed(100), r: fixed(0), p: fixed([x, y, 0]), a: fixed([0, 0, 0]) },
      s: fixed([size, size, 100]),
    },
  };
}

type DrawnText = {
  readonly address: string;
  /** In pixels of the picture. */
  readonly width: number;
  readonly height: number;
  /** Its top left corner, in the coordinates of the layer. */
  readonly x: number;
  readonly y: number;
  readonly scale: number;
};

/** After Effects writes the end of a line as a carriage return, or as this character. */
const linesOf = (words: string): readonly string[] => words.replaceAll("\u0003", "\r").split(/\r\n|\r|\n/);

const maxSide = 4096;

/** Of the pictures of all words together, and of one. */
const maxPixels = 40_000_000;
const maxPicturePixels = 4_000_000;
const maxLines = 100;

type Style = {
  readonly size: number;
  readonly lineHeight: number;
  readonly spacing: number;
  /** 0 to the left, 1 to the right, 2 centered. */
  readonly justification: number;
  readonly fill: string | undefined;
  readonly stroke: { readonly color: string; readonly width: number } | undefined;
};

async function drawDocument(
  document: Json,
  fonts: readonly Json[],
  wanted: number,
  maxOwnPixels: number,
): Promise<DrawnText | undefined> {
  const words = String(document.t ?? "").slice(0, 10_000);
  if (words.trim() === "") return undefined;
  const style = styleOf(document);
  const font = fonts.find(({ fName }) => fName === document.f) ?? {};
  const fontStyle = { fontFamily: String(font.fFamily ?? document.f ?? "Inter"), fontWeight: weightOf(font) };
  // fonts of the project have no names in a Lottie file
  const { families, weight } = await resolveFonts(words, fontStyle, () => Promise.reject(new Error("No font file.")));
  const prepare = (context: SKRSContext2D) => {
    context.font = `${isItalic(font) ? "italic " : ""}${weight} ${style.size}px ${families}`;
    context.letterSpacing = `${style.spacing}px`;
    context.lineJoin = "round";
  };
  const ruler = newCanvas(1, 1).getContext("2d");
  prepare(ruler);
  const area = boxOf(document);
  const lines = (area ? wrapped(words, area.width, ruler) : linesOf(words)).slice(0, maxLines);
  const widths = lines.map((line) => ruler.measureText(line).width);
  const margin = style.size * 0.5 + (style.stroke?.width ?? 0);
  const width = Math.max(1, area?.width ?? 0, ...widths) + 2 * margin;
  const height = style.lineHeight * (lines.length - 1) + 2 * style.size + 2 * margin;
  const largest = Math.sqrt(Math.max(1, Math.min(maxOwnPixels, maxPicturePixels)) / (width * height));
  const scale = Math.min(wanted, largest, maxSide / Math.max(width, height));
  const canvas = newCanvas(Math.ceil(width * scale), Math.ceil(height * scale));
  const context = canvas.getContext("2d");
  context.scale(scale, scale);
  prepare(context);
  const room = width - 2 * margin;
  const startOf = (own: number) => margin + (room - own) * ([0, 1, 0.5][style.justification] ?? 0);
  const firstLine = margin + style.size * 1.2;
  for (const [at, line] of lines.entries()) {
    const [x, y] = [startOf(widths[at]!), firstLine + at * style.lineHeight];
    if (style.stroke) {
      context.lineWidth = style.stroke.width;
      context.strokeStyle = style.stroke.color;
      context.strokeText(line, x, y);
    }
    if (!style.fill) continue;
    context.fillStyle = style.fill;
    context.fillText(line, x, y);
  }
  const left = area ? area.x : -room * ([0, 1, 0.5][style.justification] ?? 0);
  const baseline = area ? area.y + style.size * ascentOf(font) : 0;
  const address = `data:image/png;base64,${(await canvas.encode("png")).toString("base64")}`;
  return { address, width: canvas.width, height: canvas.height, x: left - margin, y: baseline - firstLine, scale };
}

const finite = (value: unknown, byDefault: number): number =>
  typeof value === "number" && Number.isFinite(value) ? value : byDefault;

function styleOf({ s, lh, tr, j, fc, sc, sw }: Json): Style {
  const size = Math.min(2000, Math.max(1, finite(s, 20)));
  const width = Math.min(200, finite(sw, 0));
  const stroke = colorOf(sc);
  return {
    size,
    lineHeight: Math.min(4000, Math.max(1, finite(lh, size * 1.2))),
    spacing: (finite(tr, 0) / 1000) * size,
    justification: finite(j, 0),
    fill: colorOf(fc),
    stroke: stroke !== undefined && width > 0 ? { color: stroke, width } : undefined,
  };
}

function colorOf(channels: unknown): string | undefined {
  if (!Array.isArray(channels) || channels.length < 3) return undefined;
  return `rgb(${channels
    .slice(0, 3)
    .map((value) => Math.round(finite(value, 0) * 255))
    .join(" ")})`;
}

const weights: readonly (readonly [RegExp, number])[] = [
  ...([
    [/thin|hairline/i, 100],
    [/extra ?light|ultra ?light/i, 200],
    [/light/i, 300],
    [/medium/i, 500],
  ] as const),
  ...([
    [/semi ?bold|demi/i, 600],
    [/extra ?bold|ultra ?bold/i, 800],
    [/bold/i, 700],
    [/black|heavy/i, 900],
  ] as const),
];

const weightOf = ({ fWeight, fStyle }: Json): number =>
  Number(fWeight) || (weights.find(([name]) => name.test(String(fStyle ?? "")))?.[1] ?? 400);

const isItalic = ({ fStyle }: Json): boolean => /italic|oblique/i.test(String(fStyle ?? ""));

const ascentOf = ({ ascent }: Json): number => Math.min(200, Math.max(0, finite(ascent, 75))) / 100;

/** The box of a paragraph, in the coordinates of the layer. */
function boxOf({ sz, ps }: Json) {
  if (!Array.isArray(sz) || sz.length < 2) return undefined;
  const [x, y] = Array.isArray(ps) ? ps : [0, 0];
  return { x: finite(x, 0), y: finite(y, 0), width: Math.max(1, Math.min(maxSide, finite(sz[0], 1))) };
}

function wrapped(words: string, width: number, ruler: SKRSContext2D): readonly string[] {
  return linesOf(words).flatMap((paragraph) => {
    const lines = [""];
    for (const word of paragraph.split(" ")) {
      const line = lines.at(-1)!;
      const longer = line === "" ? word : `${line} ${word}`;
      if (line !== "" && ruler.measureText(longer).width > width) lines.push(word);
      else lines[lines.length - 1] = longer;
    }
    return lines;
  });
}

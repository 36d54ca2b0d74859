import { writeFile } from "node:fs/promises";
import { type Box, isEmpty } from "../drawing/box.ts";
import type { Drawing } from "../drawing/drawing.ts";
import { newCanvas } from "../drawing/new-canvas.ts";
import { resolveFonts } from "../text/fonts/fonts.ts";
import type { CaptionContent } from "../timeline/overlay.ts";
import type { Source } from "../timeline/source.ts";
import type { Canvas } from "../timeline/timeline.ts";
import { drawLayers } from "./layers.ts";
import { layOutCaption } from "./layout.ts";
import { paintState } from "./paint.ts";

/** A caption's first state as a drawing; undefined if it lies outside of the canvas. */
export async function captionDrawing(
  content: CaptionContent,
  canvas: Canvas,
  localPathOf: (source: Source) => Promise<string>,
): Promise<Drawing | undefined> {
  const { layout, fonts } = await prepareCaption(content, canvas, localPathOf);
  const { box } = layout;
  if (isEmpty(box)) return undefined;
  const context = newCanvas(box.width, box.height).getContext("2d");
  paintState(context, layout, drawLayers(layout, fonts), content.states[0]!);
  const area = { x: -box.width / 2, y: -box.height / 2, width: box.width, height: box.height };
  return {
    center: { x: box.x + box.width / 2, y: box.y + box.height / 2 },
    box: area,
    bounds: area,
    shadowReach: 0,
    paint: (target) => target.drawImage(context.canvas, area.x, area.y),
  };
}

async function prepareCaption(
  content: CaptionContent,
  canvas: Canvas,
  localPathOf: (source: Source) => Promise<string>,
) {
  const { lines, look } = content;
  const text = lines.flatMap((words) => words.map((word) => word.text)).join(" ");
  const fonts = await resolveFonts(`${text}${sampleOf(look.language)}`, look, localPathOf);
  return { fonts, layout: layOutCaption(content, fonts, canvas) };
}

type DrawOptions = {
  readonly canvas: Canvas;
  readonly numbers: readonly number[];
  pathOf(number: number): string;
  localPathOf(source: Source): Promise<string>;
};

/** Draws states of a caption as uncompressed images. Undefined if it lies outside of the canvas. */
export async function drawCaption(
  content: CaptionContent,
  { canvas, numbers, pathOf, localPathOf }: DrawOptions,
): Promise<{ readonly box: Box } | undefined> {
  const { layout, fonts } = await prepareCaption(content, canvas, localPathOf);
  const { states } = content;
  const { box } = layout;
  if (isEmpty(box)) return undefined;

  const layers = drawLayers(layout, fonts);
  const context = newCanvas(box.width, box.height).getContext("2d");
  for (const number of numbers) {
    context.clearRect(0, 0, box.width, box.height);
    // safe because bitmaps are numbered like states
    paintState(context, layout, layers, states[number]!);
    await writeFile(pathOf(number), encodePam(context.getImageData(0, 0, box.width, box.height)));
  }
  return { box };
}

/** A letter that selects the fonts of the language: Han glyphs differ, and not every page has kana or Hangul. */
const sampleOf = (language = ""): string => ({ ja: "あ", ko: "한" })[language.slice(0, 2).toLowerCase()] ?? "";

/** Netpbm's format for pixels with alpha. */
function encodePam({ data, width, height }: { data: Uint8ClampedArray; width: number; height: number }): Buffer {
  const header = `P7\nWIDTH ${width}\nHEIGHT ${height}\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n`;
  return Buffer.concat([Buffer.from(header), new Uint8Array(data.buffer)]);
}

import { constants } from "node:zlib";
import { type Canvas as Bitmap, loadImage } from "@napi-rs/canvas";
import { newCanvas } from "../drawing/new-canvas.ts";
import { encodePng } from "../images/png.ts";
import { resolveFonts, type TextFont } from "../text/fonts/fonts.ts";
import { drawText } from "../text/text.ts";
import type { TextStyle } from "../timeline/overlay.ts";
import type { Canvas } from "../timeline/timeline.ts";

type ContactSheet = {
  readonly columns: number;
  /** The size of each tile. */
  readonly size: Canvas;
  /** The label below each tile. */
  readonly labels: readonly string[];
};

const gap = 12;
const labelSize = { width: 96, height: 30 };

const labelStyle: TextStyle = {
  fontSize: 18,
  fontColor: { red: 222, green: 226, blue: 230, alpha: 1 },
  fontWeight: 500,
  align: "center",
  lineHeight: 1.2,
  letterSpacing: 0,
};

/** Draws encoded tiles in rows on a dark background, each with its label, as PNG. */
export async function drawContactSheet(
  tiles: readonly Uint8Array[],
  { columns, size, labels }: ContactSheet,
): Promise<Uint8Array> {
  const columnCount = Math.min(columns, tiles.length);
  const rowCount = Math.ceil(tiles.length / columns);
  const cell = { width: Math.max(size.width, labelSize.width), height: size.height + labelSize.height };
  const offsetOf = (index: number, length: number) => gap + index * (length + gap);
  const sheet = newCanvas(offsetOf(columnCount, cell.width), offsetOf(rowCount, cell.height));
  const context = sheet.getContext("2d");
  context.fillStyle = "#14161a";
  context.fillRect(0, 0, sheet.width, sheet.height);

  const fonts = await resolveFonts(labels.join(""), labelStyle, noProjectFont);
  for (const [index, tile] of tiles.entries()) {
    const left = offsetOf(index % columns, cell.width);
    const top = offsetOf(Math.floor(index / columns), cell.height);
    context.drawImage(await loadImage(tile), left + Math.floor((cell.width - size.width) / 2), top);
    context.drawImage(drawLabel(labels[index] ?? "", cell.width, fonts), left, top + size.height);
  }
  // Skia's own encoder takes five times as long for the same size
  return await encodePng(rgbOf(sheet), sheet, constants.Z_RLE);
}

/** Draws a label in the middle of a separate bitmap, because text is painted on layers as large as its bitmap. */
function drawLabel(text: string, width: number, fonts: TextFont): Bitmap {
  const label = newCanvas(width, labelSize.height);
  const context = label.getContext("2d");
  const anchor = { at: "center", x: width / 2, y: labelSize.height / 2 } as const;
  const { center, paint } = drawText({ kind: "text", text, style: labelStyle, anchor }, fonts);
  context.translate(center.x, center.y);
  paint(context);
  return label;
}

/** The pixels of an opaque bitmap as rgb24. */
function rgbOf(bitmap: Bitmap): Uint8Array {
  const { width, height } = bitmap;
  const { data } = bitmap.getContext("2d").getImageData(0, 0, width, height);
  const rgb = new Uint8Array(3 * width * height);
  for (let from = 0, to = 0; from < data.length; from += 4) {
    rgb[to++] = data[from]!;
    rgb[to++] = data[from + 1]!;
    rgb[to++] = data[from + 2]!;
  }
  return rgb;
}

const noProjectFont = () => Promise.reject(new Error("Labels have no project font."));

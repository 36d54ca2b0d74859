import { loadImage } from "@napi-rs/canvas";
import type { TextStyle } from "../../timeline/overlay.ts";
import type { Canvas } from "../../timeline/timeline.ts";
import { newCanvas } from "../drawing/new-canvas.ts";
import { resolveFonts } from "../text/fonts/fonts.ts";
import { drawText } from "../text/text.ts";

type ContactSheet = {
  readonly columns: number;
  /** Of each tile. */
  readonly size: Canvas;
  /** One below each tile. */
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
    const anchor = { at: "center", x: left + cell.width / 2, y: top + size.height + labelSize.height / 2 } as const;
    const label = drawText({ kind: "text", text: labels[index] ?? "", style: labelStyle, anchor }, fonts);
    context.save();
    context.translate(label.center.x, label.center.y);
    label.paint(context);
    context.restore();
  }
  return await sheet.encode("png");
}

const noProjectFont = () => Promise.reject(new Error("Labels have no project font."));

import { createCanvas, loadImage } from "@napi-rs/canvas";
import type { TextStyle } from "../../timeline/overlay.ts";
import type { Canvas } from "../../timeline/timeline.ts";
import { fontsFor } from "../text/fonts/fonts.ts";
import { drawText } from "../text/text.ts";

export type Sheet = {
  readonly columns: number;
  /** Of each tile. */
  readonly size: Canvas;
  /** What is written under each tile. */
  readonly times: readonly string[];
};

const longestSide = 320;
const gap = 12;
const label = { width: 96, height: 30 };

/** How large a film's frames are on its sheet. */
export function tileSize({ width, height }: Canvas): Canvas {
  const scale = Math.min(1, longestSide / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

const style: TextStyle = {
  fontSize: 18,
  fontColor: { red: 222, green: 226, blue: 230, alpha: 1 },
  fontWeight: 500,
  align: "center",
  lineHeight: 1.2,
  letterSpacing: 0,
};

/** Tiles row by row on a dark ground, each over its time. */
export async function drawSheet(tiles: readonly Uint8Array[], { columns, size, times }: Sheet): Promise<Uint8Array> {
  const across = Math.min(columns, tiles.length);
  const down = Math.ceil(tiles.length / columns);
  const cell = { width: Math.max(size.width, label.width), height: size.height + label.height };
  const along = (count: number, length: number) => gap + count * (length + gap);
  const context = createCanvas(along(across, cell.width), along(down, cell.height)).getContext("2d");
  context.fillStyle = "#14161a";
  context.fillRect(0, 0, context.canvas.width, context.canvas.height);

  const fonts = await fontsFor(times.join(""), style, () =>
    Promise.reject(new Error("A time needs no font of its own.")),
  );
  for (const [index, tile] of tiles.entries()) {
    const left = along(index % columns, cell.width);
    const top = along(Math.floor(index / columns), cell.height);
    context.drawImage(await loadImage(tile), left + Math.floor((cell.width - size.width) / 2), top);
    const anchor = { at: "center", x: left + cell.width / 2, y: top + size.height + label.height / 2 } as const;
    const text = drawText({ kind: "text", text: times[index] ?? "", style, anchor }, fonts);
    context.save();
    context.translate(text.center.x, text.center.y);
    text.paint(context);
    context.restore();
  }
  return await context.canvas.encode("png");
}

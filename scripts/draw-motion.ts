import { join } from "node:path";
import type { SKRSContext2D } from "@napi-rs/canvas";
import { newCanvas } from "../src/engine/drawing/new-canvas.ts";
import { contentLoader } from "../src/engine/overlays/content.ts";
import { prepareLayer } from "../src/engine/overlays/layer.ts";
import { loopTable, moveTable, type NamedMove } from "../src/engine/ports.ts";

import { inter, loadBundledFont } from "../src/engine/text/fonts/files.ts";
import { sceneOf } from "../src/engine/thumbnails/move-scene.ts";

/** Draws the picture of docs/motion.md: each entrance and each loop with its defaults, at some times of its course. */
const path = join(import.meta.dir, "../docs/images/motion.webp");

const moves: readonly NamedMove[] = [
  ...Object.keys(moveTable).map((name) => ({ role: "enter" as const, name })),
  ...Object.keys(loopTable).map((name) => ({ role: "loop" as const, name })),
];

const tile = { width: 90, height: 60 };
const shares = [0.15, 0.35, 0.55, 0.75, 1];
const gap = 4;
const label = 104;
const column = label + shares.length * (tile.width + gap) + 16;
const row = tile.height + gap;
const rows = Math.ceil(moves.length / 2);

const picture = newCanvas(2 * column, rows * row + gap);
const context = picture.getContext("2d");
context.fillStyle = "#ffffff";
context.fillRect(0, 0, picture.width, picture.height);
context.font = `600 13px ${loadBundledFont(inter, 600)}`;
context.textBaseline = "middle";

const loader = contentLoader(() => Promise.reject(new Error("The scenes have no files.")));

for (const [index, move] of moves.entries()) {
  const left = Math.floor(index / rows) * column;
  const top = gap + (index % rows) * row;
  context.fillStyle = "#1b1b3a";
  context.fillText(move.role === "loop" ? `${move.name} (loop)` : move.name, left + 8, top + tile.height / 2);
  for (const [at, share] of shares.entries()) {
    await drawTile(context, move, share, { x: left + label + at * (tile.width + gap), y: top });
  }
}

await Bun.write(path, await picture.encode("webp", 80));

/** Draws the frame of a move after a share of its moving frames. */
async function drawTile(target: SKRSContext2D, move: NamedMove, share: number, at: { x: number; y: number }) {
  const { states, canvas, backdrop } = sceneOf(move)!;
  const first = states.findIndex((state) => state !== null);
  const moving = states.filter((state) => state?.moves).length;
  const state = states[first + Math.round(share * (moving - 1))];
  const frame = newCanvas(canvas.width, canvas.height).getContext("2d");
  frame.fillStyle = backdrop;
  frame.fillRect(0, 0, canvas.width, canvas.height);
  (state && (await prepareLayer(state, canvas, loader)))?.paint(frame);
  target.drawImage(frame.canvas, at.x, at.y, tile.width, tile.height);
}

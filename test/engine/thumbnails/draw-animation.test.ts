import { expect, test } from "bun:test";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import { contentLoader } from "../../../src/engine/overlays/content.ts";
import { prepareLayer } from "../../../src/engine/overlays/layer.ts";
import { drawAnimation } from "../../../src/engine/thumbnails/draw-animation.ts";
import { type MoveScene, sceneOf } from "../../../src/engine/thumbnails/move-scene.ts";

type Part = { readonly x: number; readonly y: number; readonly milliseconds: number; readonly image: Buffer };

/** The parts of an animated WebP, as the container's specification lays them out. */
function partsOf(bytes: Uint8Array): readonly Part[] {
  const file = Buffer.from(bytes);
  const parts: Part[] = [];
  for (let at = 12; at < file.length; ) {
    const size = file.readUInt32LE(at + 4);
    const data = file.subarray(at + 8, at + 8 + size);
    if (file.toString("latin1", at, at + 4) === "ANMF") {
      const pixels = data.subarray(16);
      const header = Buffer.from("RIFF\0\0\0\0WEBP", "latin1");
      header.writeUInt32LE(4 + pixels.length, 4);
      const [x, y, milliseconds] = [2 * data.readUIntLE(0, 3), 2 * data.readUIntLE(3, 3), data.readUIntLE(12, 3)];
      parts.push({ x, y, milliseconds, image: Buffer.concat([header, pixels]) });
    }
    at += 8 + size + (size % 2);
  }
  return parts;
}

async function drawnFrames({ states, canvas, backdrop }: MoveScene): Promise<readonly Uint8ClampedArray[]> {
  const loader = contentLoader(() => Promise.reject(new Error("There are no files.")));
  const context = createCanvas(canvas.width, canvas.height).getContext("2d");
  const frames: Uint8ClampedArray[] = [];
  for (const state of states) {
    context.fillStyle = backdrop;
    context.fillRect(0, 0, canvas.width, canvas.height);
    (state && (await prepareLayer(state, canvas, loader)))?.paint(context);
    frames.push(context.getImageData(0, 0, canvas.width, canvas.height).data);
  }
  return frames;
}

test.each([
  ["enter", "pop"],
  ["enter", "typewriter"],
  ["exit", "fade"],
  ["loop", "shine"],
] as const)("%s %s: a player of the animation shows each frame at its time", async (role, name) => {
  const scene = sceneOf({ role, name })!;
  const { width, height } = scene.canvas;
  const parts = partsOf(await drawAnimation(scene));
  const context = createCanvas(width, height).getContext("2d");
  const frames = await drawnFrames(scene);
  let [shown, end] = [0, 0];
  for (const [frame, pixels] of frames.entries()) {
    const time = ((frame + 0.5) * 1000) / scene.rate;
    while (shown < parts.length && end <= time) {
      const { x, y, image, milliseconds } = parts[shown++]!;
      context.drawImage(await loadImage(image), x, y);
      end += milliseconds;
    }
    expect(context.getImageData(0, 0, width, height).data).toEqual(pixels);
  }
  expect([shown, end]).toEqual([parts.length, Math.round((frames.length * 1000) / scene.rate)]);
});

test("an entrance begins empty and ends where its exit begins", async () => {
  const entrance = await drawnFrames(sceneOf({ role: "enter", name: "fade" })!);
  const exit = await drawnFrames(sceneOf({ role: "exit", name: "fade" })!);
  expect([entrance[0], entrance.at(-1)]).toEqual([exit.at(-1), exit[0]]);
});

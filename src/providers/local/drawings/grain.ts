import { createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import { seededRandom } from "./random.ts";

const grainSide = 256;

/** Noise of a level or two, which prevents banding in smooth gradients after compression. */
const leastStrength = 5 / 255;

export function paintGrain(context: SKRSContext2D, strength = leastStrength): void {
  const tile = createCanvas(grainSide, grainSide);
  const tileContext = tile.getContext("2d");
  const pixels = tileContext.createImageData(grainSide, grainSide);
  const random = seededRandom("grain");
  for (let at = 0; at < pixels.data.length; at += 4) {
    pixels.data.fill(random() < 0.5 ? 0 : 255, at, at + 3);
    pixels.data[at + 3] = Math.floor(random() * 255 * strength);
  }
  tileContext.putImageData(pixels, 0, 0);
  // safe because createPattern returns null only for an image that is not loaded
  context.fillStyle = context.createPattern(tile, "repeat")!;
  context.fillRect(0, 0, context.canvas.width, context.canvas.height);
}

import type { Canvas } from "../timeline/timeline.ts";

/** A part of an animation's canvas that changes. `x` and `y` are even, as the container needs. */
export type AnimatedPart = {
  /** A still WebP image. */
  readonly image: Uint8Array;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly milliseconds: number;
};

/**
 * Joins still images to an opaque animation that repeats forever. The canvas library writes only still images, and
 * ffmpeg's encoder of animations is not a component that every supported build has; the container is a few headers.
 */
export function animatedWebp({ width, height }: Canvas, parts: readonly AnimatedPart[]): Uint8Array {
  const hasAnimation = 2;
  const repeatsForever = 0;
  const animation = webpChunk("ANIM", bytes([0, 4], [repeatsForever, 2]));
  return webpFile({ width, height }, hasAnimation, [animation, ...parts.map(animatedFrame)]);
}

/** A WebP file of chunks; `flags` say what they are. */
export function webpFile({ width, height }: Canvas, flags: number, chunks: readonly Uint8Array[]): Buffer {
  const header = webpChunk("VP8X", bytes([flags, 1], [0, 3], [width - 1, 3], [height - 1, 3]));
  return webpChunk("RIFF", Buffer.concat([Buffer.from("WEBP"), header, ...chunks]));
}

function animatedFrame({ image, x, y, width, height, milliseconds }: AnimatedPart): Uint8Array {
  const overwrites = 2;
  const place = bytes([x / 2, 3], [y / 2, 3], [width - 1, 3], [height - 1, 3], [milliseconds, 3], [overwrites, 1]);
  return webpChunk("ANMF", Buffer.concat([place, ...pixelChunks(image)]));
}

/** The chunks of an image that hold its pixels; those of a still one begin after its head. */
export function pixelChunks(image: Uint8Array, from = 12): readonly Uint8Array[] {
  const file = Buffer.from(image.buffer, image.byteOffset, image.byteLength);
  const found: Uint8Array[] = [];
  for (let at = from; at + 8 <= file.length; ) {
    const name = file.toString("latin1", at, at + 4);
    const size = file.readUInt32LE(at + 4);
    const end = at + 8 + size + (size % 2);
    if (name === "VP8 " || name === "VP8L" || name === "ALPH") found.push(file.subarray(at, end));
    at = end;
  }
  return found;
}

export function webpChunk(name: string, content: Uint8Array): Buffer {
  const padding = Buffer.alloc(content.length % 2);
  return Buffer.concat([Buffer.from(name, "latin1"), bytes([content.length, 4]), content, padding]);
}

/** Numbers in little-endian order, each with its count of bytes. */
function bytes(...numbers: readonly (readonly [value: number, count: number])[]): Buffer {
  return Buffer.from(
    numbers.flatMap(([value, count]) => Array.from({ length: count }, (_, at) => (value >>> (8 * at)) & 255)),
  );
}

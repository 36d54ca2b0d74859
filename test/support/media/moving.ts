import { createCanvas } from "@napi-rs/canvas";
import { pixelChunks, webpChunk, webpFile } from "../../../src/engine/images/animated-webp.ts";
import { encodePng, pngChunk, pngSignature } from "../../../src/engine/images/png.ts";

export const side = 40;

export type Picture = {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  /** Undefined is transparent. */
  readonly color: readonly [number, number, number] | undefined;
  readonly milliseconds: number;
  readonly replaces?: boolean;
  readonly after?: "kept" | "cleared" | "restored";
};

export const colors = { red: [255, 0, 0], green: [0, 255, 0], blue: [0, 0, 255] } as const;

/** Red for 100 ms, with a green square in the middle for 200 ms, then with a blue corner for 300 ms. */
export const threePictures = (green: Partial<Picture> = {}): readonly Picture[] => [
  { x: 0, y: 0, size: side, color: colors.red, milliseconds: 100 },
  { x: 10, y: 10, size: 20, color: colors.green, milliseconds: 200, ...green },
  { x: 0, y: 0, size: 10, color: colors.blue, milliseconds: 300 },
];

export const movingFormats = ["gif", "webp", "png"] as const;

export type MovingFormat = (typeof movingFormats)[number];

/** An animation of 40 × 40. */
export const movingFile = async (format: MovingFormat, pictures: readonly Picture[]): Promise<Buffer<ArrayBuffer>> =>
  Buffer.from(await writers[format](pictures));

const writers: { readonly [Format in MovingFormat]: (pictures: readonly Picture[]) => Promise<Buffer> } = {
  gif: async (pictures) => gifOf(pictures),
  webp: webpOf,
  png: pngOf,
};

const uint16 = (value: number) => [value & 255, value >> 8];

const disposals = { kept: 1, cleared: 2, restored: 3 };

function gifOf(pictures: readonly Picture[]): Buffer {
  const palette = [...colors.red, ...colors.green, ...colors.blue, ...new Array(3 * 125).fill(0)];
  const names = Object.values(colors);
  const frames = pictures.flatMap(({ x, y, size, color, milliseconds, after = "kept" }) => {
    const transparent = 3;
    const index = color ? names.indexOf(color as (typeof names)[number]) : transparent;
    const control = [0x21, 0xf9, 4, (disposals[after] << 2) | 1, ...uint16(milliseconds / 10), transparent, 0];
    const place = [0x2c, ...uint16(x), ...uint16(y), ...uint16(size), ...uint16(size), 0];
    // codes of eight bits: the table is cleared before it needs nine
    const codes = Array.from({ length: size * size }, (_, at) => (at % 100 === 0 ? [0x80, index] : [index])).flat();
    const data = [...codes, 0x81];
    const blocks = Array.from({ length: Math.ceil(data.length / 255) }, (_, at) => {
      const block = data.slice(255 * at, 255 * (at + 1));
      return [block.length, ...block];
    });
    return [...control, ...place, 7, ...blocks.flat(), 0];
  });
  const screen = [...uint16(side), ...uint16(side), 0x80 | 6, 0, 0];
  return Buffer.from([...Buffer.from("GIF89a"), ...screen, ...palette, ...frames, 0x3b]);
}

function pixelsOf({ size, color }: Picture): Uint8Array {
  const pixels = new Uint8Array(4 * size * size);
  if (color) for (let at = 0; at < pixels.length; at += 4) pixels.set([...color, 255], at);
  return pixels;
}

async function webpOf(pictures: readonly Picture[]): Promise<Buffer> {
  const frames = await Promise.all(
    pictures.map(async ({ x, y, size, color, milliseconds, replaces, after }) => {
      const canvas = createCanvas(size, size);
      const context = canvas.getContext("2d");
      if (color) {
        context.fillStyle = `rgb(${color.join()})`;
        context.fillRect(0, 0, size, size);
      }
      const still = await canvas.encode("webp", 100);
      const head = Buffer.alloc(16);
      for (const [at, value] of [x / 2, y / 2, size - 1, size - 1, milliseconds].entries())
        head.writeUIntLE(value, 3 * at, 3);
      head[15] = (replaces ? 2 : 0) | (after === "cleared" ? 1 : 0);
      return webpChunk("ANMF", Buffer.concat([head, ...pixelChunks(still)]));
    }),
  );
  const [hasAnimation, hasAlpha] = [2, 0x10];
  const animation = webpChunk("ANIM", Buffer.alloc(6));
  return webpFile({ width: side, height: side }, hasAnimation | hasAlpha, [animation, ...frames]);
}

const pngDisposals = { kept: 0, cleared: 1, restored: 2 };

async function pngOf(pictures: readonly Picture[]): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let number = 0;
  for (const [index, picture] of pictures.entries()) {
    const { x, y, size, milliseconds, replaces = false, after = "kept" } = picture;
    const still = Buffer.from(await encodePng(pixelsOf(picture), { width: size, height: size }));
    const start = still.indexOf("IDAT");
    const data = still.subarray(start + 4, start + 4 + still.readUInt32BE(start - 4));
    if (index === 0)
      chunks.push(still.subarray(pngSignature.length, start - 4), pngChunk("acTL", numbers(pictures.length, 0)));
    const control = Buffer.concat([numbers(number++, size, size, x, y), Buffer.alloc(6)]);
    control.writeUInt16BE(milliseconds, 20);
    control.writeUInt16BE(1000, 22);
    control[24] = pngDisposals[after];
    control[25] = replaces ? 0 : 1;
    chunks.push(pngChunk("fcTL", control));
    chunks.push(index === 0 ? pngChunk("IDAT", data) : pngChunk("fdAT", Buffer.concat([numbers(number++), data])));
  }
  return Buffer.concat([pngSignature, ...chunks, pngChunk("IEND")]);
}

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
  return bytes;
}

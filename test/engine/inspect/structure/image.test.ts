import { describe, expect, test } from "bun:test";
import { createCanvas } from "@napi-rs/canvas";
import { requireBoundedStructure } from "../../../../src/engine/inspect/structure/image.ts";
import type { Container } from "../../../../src/engine/timeline/source.ts";
import {
  avifOf,
  avifSequence,
  box,
  gridOf,
  obu,
  sequenceHeader,
  sizeProperty,
  tinyPicture,
} from "../../../support/media/bombs/avif.ts";
import { join, repeat, u8 } from "../../../support/media/bombs/bytes.ts";
import { gifOf, gifOfComments } from "../../../support/media/bombs/gif.ts";
import {
  jpegOf,
  jpegOfMetadata,
  jpegOfSegments,
  jpegOfTwoFrames,
  progressiveJpeg,
} from "../../../support/media/bombs/jpeg.ts";
import {
  apngOf,
  chunk,
  inflatingChunk,
  pngOf,
  pngOfChunks,
  pngOfTinyPixelChunks,
} from "../../../support/media/bombs/png.ts";
import { animatedWebp, extendedWebp, flatPixels, riffChunk, webpOf } from "../../../support/media/bombs/webp.ts";

const small = { width: 64, height: 64 };
const huge = { width: 16_000, height: 16_000 };
const large = { width: 7_000, height: 7_000 };
const tooLarge = "16000 × 16000 pixels: make it smaller than 50 megapixels";

const refusalOf = (bytes: Uint8Array, container: Container): unknown => {
  try {
    requireBoundedStructure(bytes, container);
  } catch (error) {
    return error;
  }
  return undefined;
};

const picture = { data: tinyPicture, size: small };
const codedAs = (size: typeof small, ...more: readonly Uint8Array[]) => ({
  data: join(sequenceHeader(size), ...more),
  size: small,
});
const frames = (count: number) => repeat(obu(6, u8(0)), count);
const gridOfCells = (columns: number, rows: number) =>
  avifOf({
    items: [{ type: "grid", data: gridOf(columns, rows, small), size: small }, ...Array(columns * rows).fill(picture)],
    references: [{ type: "dimg", from: 1, to: Array.from({ length: columns * rows }, (_, index) => index + 2) }],
  });

const bombs: readonly (readonly [title: string, container: Container, bytes: () => Uint8Array, sentence: string])[] = [
  ["empty segments", "jpeg", () => jpegOfSegments(4_001), "more than 4000 parts with metadata"],
  ["empty comments", "jpeg", () => jpegOfSegments(4_001, 0xfe), "more than 4000 parts with metadata"],
  [
    "empty segments behind bytes that decoders skip",
    "jpeg",
    () => jpegOf(small, u8(1, 2, 3, 0xff, 0xff), repeat(u8(0xff, 0xe1, 0, 0), 4_001)),
    "more than 4000 parts with metadata",
  ],
  ["scans of a small image", "jpeg", () => progressiveJpeg({ ...small, scans: 101 }), "more than 100 scans"],
  ["scans of a large image", "jpeg", () => progressiveJpeg({ ...large, scans: 21, components: 1 }), "too many layers"],
  ["a frame that is too large", "jpeg", () => jpegOf(huge), tooLarge],
  ["a second frame that is too large", "jpeg", () => jpegOfTwoFrames(small, huge), tooLarge],

  ["empty chunks", "png", () => pngOfChunks(50_001), "more than 50000 chunks"],
  [
    "texts that inflate",
    "png",
    () => pngOf({ ...small, before: Array(101).fill(inflatingChunk("zTXt", 9)) }),
    "more than 100 compressed texts",
  ],
  [
    "texts in several alphabets that inflate",
    "png",
    () => pngOf({ ...small, before: Array(101).fill(inflatingChunk("iTXt", 9)) }),
    "more than 100 compressed texts",
  ],
  ["one bit for each of too many pixels", "png", () => pngOf({ ...huge, pixels: u8(0) }), tooLarge],
  ["an animation's frame that is too large", "png", () => apngOf({ ...small, frames: 2, frameSize: huge }), tooLarge],

  ["frames", "gif", () => gifOf({ screen: small, frames: 10_001 }), "more than 10000 frames"],
  ["comments of a byte", "gif", () => gifOfComments(500_001), "more than 500000 blocks"],
  ["a screen that is too large", "gif", () => gifOf({ screen: huge, frameSize: small }), tooLarge],
  ["a frame larger than the screen", "gif", () => gifOf({ screen: small, frameSize: huge }), tooLarge],

  [
    "empty chunks",
    "webp",
    () => extendedWebp(small, small, repeat(riffChunk("XXXX"), 10_001)),
    "more than 10000 parts",
  ],
  ["frames", "webp", () => animatedWebp({ canvasSize: small, frames: 5_001 }), "more than 10000 parts"],
  ["lossless pixels that need no data", "webp", () => webpOf(flatPixels(huge)), tooLarge],
  ["a canvas that is too large", "webp", () => extendedWebp(huge, small), tooLarge],
  ["pixels larger than the canvas", "webp", () => extendedWebp(small, huge), tooLarge],
  [
    "an animation's frame that is too large",
    "webp",
    () => animatedWebp({ canvasSize: small, frames: 1, frameSize: huge, pixelSize: small }),
    tooLarge,
  ],
  [
    "pixels larger than an animation's frame",
    "webp",
    () => animatedWebp({ canvasSize: small, frames: 1, frameSize: small, pixelSize: huge }),
    tooLarge,
  ],

  ["items", "avif", () => avifOf({ items: Array(2_001).fill(picture) }), "more than 2000 items"],
  ["a grid of many cells", "avif", () => gridOfCells(50, 50), "more than 2000 items"],
  [
    "references",
    "avif",
    () => avifOf({ items: [picture], references: [{ type: "dimg", from: 1, to: Array(4_000).fill(1) }] }),
    "more than 4000 references",
  ],
  [
    "properties",
    "avif",
    () => avifOf({ items: [picture], properties: Array(10_001).fill(sizeProperty(small)) }),
    "more than 10000 parts",
  ],
  ["boxes", "avif", () => avifOf({ items: [picture], more: [repeat(box("free"), 10_001)] }), "more than 10000 parts"],
  [
    "bytes that are listed again and again",
    "avif",
    () => avifOf({ items: [{ ...picture, extents: 1_000 }] }),
    "damaged",
  ],
  ["a size that is too large", "avif", () => avifOf({ items: [{ ...picture, size: huge }] }), tooLarge],
  [
    "a grid whose whole is too large",
    "avif",
    () => avifOf({ items: [{ type: "grid", data: gridOf(2, 2, huge), size: small }, picture] }),
    tooLarge,
  ],
  ["a coded picture larger than its size", "avif", () => avifOf({ items: [codedAs(huge, frames(1))] }), tooLarge],
  [
    "an alpha channel larger than its size",
    "avif",
    () =>
      avifOf({
        items: [picture, { ...codedAs(huge, frames(1)), aux: true }],
        references: [{ type: "auxl", from: 2, to: [1] }],
      }),
    tooLarge,
  ],
  ["frames in one picture", "avif", () => avifOf({ items: [codedAs(large, frames(4))] }), "too many layers"],
  [
    "pictures without a sequence of their own",
    "avif",
    () => avifOf({ items: [codedAs(large), ...Array(4).fill({ data: frames(1), size: small })] }),
    "too many layers",
  ],
  [
    "units without content",
    "avif",
    () => avifOf({ items: [codedAs(small, repeat(obu(15, u8()), 20_001))] }),
    "more than 20000 parts",
  ],
  ["an animation's frame that is too large", "avif", () => avifSequence(codedAs(huge, frames(1)).data, 1), tooLarge],
  ["an animation of too many frames", "avif", () => avifSequence(tinyPicture, 20_001), "more than 20000 frames"],
];

test.each(bombs)("refuses %s (%s)", (_title, container, bytes, sentence) => {
  const refusal = refusalOf(bytes(), container);
  expect(refusal).toMatchObject({ code: "unsupported_media_type" });
  expect(`${refusal}`).toContain(sentence);
});

const canvas = createCanvas(96, 64);
canvas.getContext("2d").fillRect(8, 8, 40, 40);

const exif = (bytes: number) => join(u8(0xff, 0xe1, bytes >> 8, bytes & 255), Buffer.alloc(bytes - 2));

const real: readonly (readonly [title: string, container: Container, bytes: () => Uint8Array | Promise<Uint8Array>])[] =
  [
    ["a canvas", "jpeg", () => canvas.encode("jpeg")],
    ["a photo with a depth map of 25 MB", "jpeg", () => jpegOfMetadata(400)],
    ["a large progressive photo", "jpeg", () => progressiveJpeg({ ...large, scans: 12 })],
    ["an optimizer's scans", "jpeg", () => progressiveJpeg({ width: 4_000, height: 3_000, scans: 40 })],
    [
      "a photo with a gain map and a film behind it",
      "jpeg",
      () => join(jpegOf(small, exif(60_000)), jpegOf(huge), box("ftyp", u8(0)), jpegOfSegments(5_000)),
    ],
    ["a canvas", "png", () => canvas.encode("png")],
    ["16 bits for each of 49 megapixels", "png", () => pngOf({ ...large, bitDepth: 16, colorType: 2, pixels: u8(0) })],
    [
      "interlaced pixels in many chunks",
      "png",
      () => pngOf({ ...small, interlaced: true, before: Array(12_000).fill(chunk("IDAT", u8(0))) }),
    ],
    ["pixels in chunks of a byte", "png", () => pngOfTinyPixelChunks({ width: 4_000, height: 3_000 })],
    ["a sticker of 60 frames", "png", () => apngOf({ width: 320, height: 320, frames: 60 })],
    ["a canvas", "gif", () => canvas.encode("gif")],
    ["an animation of 600 frames", "gif", () => gifOf({ screen: small, frames: 600 })],
    ["a canvas", "webp", () => canvas.encode("webp")],
    ["an animation of 900 frames", "webp", () => animatedWebp({ canvasSize: small, frames: 900 })],
    ["a canvas with alpha", "avif", () => canvas.encode("avif")],
    ["a grid of 192 cells", "avif", () => gridOfCells(16, 12)],
    ["an animation of 600 frames", "avif", () => avifSequence(tinyPicture, 600)],
  ];

describe("takes", () => {
  test.each(real)("%s (%s)", async (_title, container, bytes) => {
    expect(refusalOf(await bytes(), container)).toBeUndefined();
  });
});

test.each(bombs)("takes or refuses each part of %s (%s)", (_title, container, bytes) => {
  const whole = bytes();
  for (const share of [0, 0.01, 0.1, 0.5, 0.9, 0.999]) {
    const refusal = refusalOf(whole.subarray(0, share * whole.length), container);
    if (refusal) expect(refusal).toMatchObject({ code: "unsupported_media_type" });
  }
});

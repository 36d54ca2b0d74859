import { expect, test } from "bun:test";
import fc from "fast-check";
import { googleImageConfig } from "../../src/providers/google/image.ts";
import { openaiImageSize } from "../../src/providers/openai/image.ts";

const side = fc.integer({ min: 8, max: 2048 }).map((half) => half * 2);
const anyCanvas = fc.record({ width: side, height: side });

test("requests only sizes that GPT Image 2 supports", () => {
  fc.assert(
    fc.property(anyCanvas, (requested) => {
      const [width, height] = openaiImageSize("gpt-image-2.5-flare", requested).split("x").map(Number) as [
        number,
        number,
      ];
      expect([width % 16, height % 16]).toEqual([0, 0]);
      expect(Math.max(width, height)).toBeLessThanOrEqual(3840);
      expect(Math.max(width / height, height / width)).toBeLessThanOrEqual(3);
      expect(width * height).toBeGreaterThanOrEqual(655_360);
      expect(width * height).toBeLessThanOrEqual(8_294_400);
    }),
  );
});

test("requests GPT Image 2 within two percent of every supported aspect ratio", () => {
  const supported = anyCanvas.filter(({ width, height }) => Math.max(width / height, height / width) <= 3);
  fc.assert(
    fc.property(supported, (requested) => {
      const [width, height] = openaiImageSize("gpt-image-2.5-flare", requested).split("x").map(Number) as [
        number,
        number,
      ];
      expect(Math.abs(Math.log((width * requested.height) / (height * requested.width)))).toBeLessThan(0.02);
    }),
  );
});

test.each([
  ["gpt-image-2.5-flare", 1080, 1920, "1152x2048"],
  ["gpt-image-2.5-flare", 720, 1280, "720x1280"],
  ["gpt-image-2.5-flare", 1080, 1080, "1088x1088"],
  ["gpt-image-2.5-flare", 1080, 1350, "1088x1360"],
  ["gpt-image-2.5-flare", 3840, 2160, "3840x2160"],
  ["gpt-image-2.5-flare", 4096, 16, "1440x480"],
  ["an-unknown-model", 1280, 720, "1280x720"],
  ["gpt-image-1.5", 1080, 1920, "1024x1536"],
  ["gpt-image-1-mini", 1920, 1080, "1536x1024"],
  ["chatgpt-image-latest", 1080, 1080, "1024x1024"],
])("%s: %d x %d is requested as %s", (model, width, height, size) => {
  expect(openaiImageSize(model, { width, height })).toBe(size);
});

test.each([
  ["gemini-3.1-flash-image", 1080, 1920, "9:16", "2K"],
  ["gemini-3.1-flash-image", 720, 1280, "9:16", "1K"],
  ["gemini-3.1-flash-image", 320, 320, "1:1", "512"],
  ["gemini-3.1-flash-image", 4096, 512, "8:1", "2K"],
  ["gemini-3-pro-image", 320, 320, "1:1", "1K"],
  ["gemini-3-pro-image", 4096, 512, "21:9", "2K"],
  ["gemini-3-pro-image", 1080, 1350, "4:5", "2K"],
  ["gemini-nano-banana-2.1", 4096, 4096, "1:1", "4K"],
  ["an-unknown-model", 320, 1280, "1:4", "1K"],
  ["gemini-3.1-flash-lite-image", 1920, 1080, "16:9", undefined],
])("%s: %d x %d is requested as %s in %s", (model, width, height, aspectRatio, imageSize) => {
  expect(googleImageConfig(model, { width, height })).toEqual({ aspectRatio, ...(imageSize && { imageSize }) });
});

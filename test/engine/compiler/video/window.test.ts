import { expect, test } from "bun:test";
import fc from "fast-check";
import { centerOffset, coverSize } from "../../../../src/engine/compiler/video/fit.ts";
import { cropForWindow } from "../../../../src/engine/compiler/video/window.ts";

const side = fc.integer({ min: 8, max: 2048 });
const even = side.map((half) => 2 * half);
const edit = fc.record({
  canvas: fc.record({ width: even, height: even }),
  source: fc.record({ width: side, height: side }),
});

test("a crop shows the places of the window that it stands for", () => {
  fc.assert(
    fc.property(edit, ({ canvas, source }) => {
      const size = coverSize(canvas, source);
      const window = { ...canvas, ...centerOffset(size, canvas) };
      const { part, scaled, at } = cropForWindow(source, size, window);
      for (const [start, length] of [
        ["x", "width"],
        ["y", "height"],
      ] as const) {
        expect(part[start]).toBeGreaterThanOrEqual(0);
        expect(part[start] + part[length]).toBeLessThanOrEqual(source[length]);
        expect(at[start] + window[length]).toBeLessThanOrEqual(scaled[length]);
        expect([part[start] % 2, scaled[length] % 2, at[start] % 2]).toEqual([0, 0, 0]);
        for (const place of [0, window[length]]) {
          const inSource = part[start] + ((at[start] + place) * part[length]) / scaled[length];
          const shown = (inSource * size[length]) / source[length];
          expect(Math.abs(shown - (window[start] + place))).toBeLessThan(0.11);
        }
      }
    }),
  );
});

test.each([
  ["1920x1080", 640 * 1080],
  ["3840x2160", 1244 * 2160],
  ["1280x720", 668 * 720],
  ["1080x1920", 1080 * 1920],
])("of %s, a portrait canvas needs %p pixels", (name, pixels) => {
  const [width = 0, height = 0] = name.split("x").map(Number);
  const canvas = { width: 1080, height: 1920 };
  const size = coverSize(canvas, { width, height });
  const { part } = cropForWindow({ width, height }, size, { ...canvas, ...centerOffset(size, canvas) });
  expect(part.width * part.height).toBe(pixels);
});

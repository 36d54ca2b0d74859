import { expect, test } from "bun:test";
import { QualityCollector } from "../../../src/engine/analysis/measure/quality/collector.ts";

const size = { width: 40, height: 72 };
const area = size.width * size.height;

type Color = readonly [luma: number, cb: number, cr: number];
const black: Color = [16, 128, 128];
const white: Color = [235, 128, 128];
const red: Color = [63, 102, 240];
/** As bright as the red. */
const gray: Color = [126, 128, 128];

/** A frame of a color, with another one in this share of it. */
function frame([luma, cb, cr]: Color, ground: Color = black, share = 1): Uint8Array {
  const bytes = new Uint8Array(area * 1.5);
  bytes.fill(ground[0], 0, area);
  bytes.fill(luma, 0, Math.round(area * share));
  bytes.fill(cb, area, area * 1.25);
  bytes.fill(cr, area * 1.25);
  return bytes;
}

/** What is measured of two seconds, at 30 frames a second by default. */
function measured(frameAt: (index: number) => Uint8Array, { fps = 30, seconds = 2 } = {}) {
  const collector = new QualityCollector(size, []);
  // times as ffmpeg writes them
  for (let index = 0; index < fps * seconds; index++)
    collector.push(frameAt(index), Math.round((index / fps) * 1e6) / 1e6);
  return collector.finish();
}

const flashing =
  (one: Color, other: Color, frames: number, share = 1) =>
  (index: number) =>
    frame(index % frames < frames / 2 ? one : other, black, share);

test.each([
  ["ten times a second", flashing(white, black, 3), { flashes: 10, red: 0 }],
  ["four times a second", flashing(white, black, 8), { flashes: 4, red: 0 }],
  ["three times a second", flashing(white, black, 10), { flashes: 3, red: 0 }],
  ["in a fifth of the screen", flashing(white, black, 3, 0.2), { flashes: 0, red: 0 }],
  ["in 30 % of the screen", flashing(white, black, 3, 0.3), { flashes: 10, red: 0 }],
  ["between two bright levels", flashing([230, 128, 128], white, 3), { flashes: 0, red: 0 }],
  ["to red of the same brightness", flashing(red, gray, 3), { flashes: 0, red: 10 }],
])("flashes are counted: %s", (_, frameAt, { flashes, red: redFlashes }) => {
  const found = measured(frameAt);
  expect([found.flashes.perSecond, found.redFlashes.perSecond]).toEqual([flashes, redFlashes]);
});

test("a slow fade, a cut and a picture that moves are no flashes", () => {
  const fade = measured((index) => frame([16 + index, 128, 128]));
  const cut = measured((index) => frame(index < 30 ? black : white));
  expect([fade.flashes, cut.flashes]).toEqual([{ perSecond: 0 }, { perSecond: 0 }]);
});

test("stretches of black and of one picture have their times", () => {
  const found = measured((index) => frame(index < 15 ? [100 + index, 128, 128] : index < 45 ? black : gray));
  expect(found.black).toEqual([{ start: 0.5, end: 1.5 }]);
  expect(found.frozen.map(({ start, end }) => [start, Math.round(end * 100) / 100])).toEqual([
    [0.5, 1.5],
    [1.5, 2],
  ]);
});

test("the ground around a text is measured while the text is shown", () => {
  const box = { x: 0.4, y: 0.4, width: 0.2, height: 0.1 };
  const collector = new QualityCollector(size, [
    { ...box, start: 0, end: 1, luminance: 1 },
    { ...box, start: 1, end: 2, luminance: 1 },
    { ...box, start: 5, end: 6, luminance: 1 },
  ]);
  for (let index = 0; index < 20; index++) collector.push(frame(index < 10 ? white : black), index / 10);
  const [onWhite, onBlack, never] = collector.finish().grounds;
  expect(onWhite).toEqual({ contrast: expect.closeTo(1, 2), lowShare: 1 });
  expect(onBlack).toEqual({ contrast: expect.closeTo(21, 0), lowShare: 0 });
  expect(never).toBeUndefined();
});

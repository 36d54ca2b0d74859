import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { compileSegment } from "../../../../src/engine/compiler/compile.ts";
import type { ClipEffects } from "../../../../src/engine/timeline/clip-effects.ts";
import type { BlendMode, Keyframe } from "../../../../src/engine/timeline/motion.ts";
import { halveTimeline, reframe } from "../../../../src/engine/timeline/reframe.ts";
import type { Source } from "../../../../src/engine/timeline/source.ts";
import { clipsOf } from "../../../../src/engine/timeline/track.ts";
import { draw, imageSource, videoSource } from "../../../support/media/draw-media.ts";
import {
  everyFrame,
  ffmpegs,
  runCommand,
  runFfmpeg,
  type TestFfmpeg,
  temporaryFolder,
  testedFfmpegs,
} from "../../../support/media/ffmpeg.ts";
import { clip, fastEncoding, sourcePaths, timeline } from "../../../support/media/timelines.ts";

const canvas = { width: 128, height: 96 };
const frames = 10;

/** The luma of the drawn waves, which change by 4 levels a pixel at most. */
const waves = (x: number, y: number) => 125 + 50 * Math.sin(x / 17) + 30 * Math.sin(y / 11);

let folder: string;
let source: Source;
let still: Source;
beforeAll(async () => {
  folder = await temporaryFolder();
  const size = `s=${canvas.width}x${canvas.height}`;
  const drawing = `color=c=black:${size}:r=30,format=yuv420p,trim=end_frame=15,geq=lum='125+50*sin(X/17)+30*sin(Y/11)'`;
  source = videoSource(await draw(`${folder}/waves.mp4`, drawing, "-c:v", "libx264", "-qp", "0"), canvas);
  const picture = `color=c=white:${size},format=rgba,geq=r='255*lt(X,40)':g='255*lt(X,40)':b='255*lt(X,40)':a=255`;
  still = imageSource(await draw(`${folder}/still.png`, picture, "-frames:v", "1"), canvas);
});
afterAll(() => rm(folder, { recursive: true }));

const keys = (...list: readonly (readonly [at: number, value: number])[]): readonly Keyframe<number>[] =>
  list.map(([at, value]) => ({ at, value, easing: "linear" }));

const editOf = (effects: ClipEffects | undefined, shown = source) =>
  timeline([clip(shown, 0, frames, { effects })], { canvas });

const segmentOf = (effects: ClipEffects | undefined, range = { start: 0, end: frames }, shown = source) => ({
  timeline: editOf(effects, shown),
  range,
  overlays: [],
  files: sourcePaths,
  encoding: { ...fastEncoding, crf: 1 },
});

/** The planes of a rendered clip, as a function that reads a pixel of a frame as [Y, U, V]. */
async function render(ffmpeg: TestFfmpeg, ...segment: Parameters<typeof segmentOf>) {
  const path = `${folder}/${ffmpeg.name}.mp4`;
  await runCommand(ffmpeg, compileSegment(segmentOf(...segment), path));
  const rawYuv = [...(await everyFrame(ffmpeg)), "-f", "rawvideo", "-pix_fmt", "yuv444p"];
  const bytes = await runFfmpeg(ffmpeg, ["-i", path, ...rawYuv, "-"]);
  const plane = canvas.width * canvas.height;
  const pixel = (frame: number, x: number, y: number) => {
    const at = frame * 3 * plane + y * canvas.width + x;
    return [bytes[at]!, bytes[at + plane]!, bytes[at + 2 * plane]!] as const;
  };
  return { bytes, pixel };
}

/** The pixels of a range before they are encoded. */
async function drawnPixels(ffmpeg: TestFfmpeg, effects: ClipEffects, range: { start: number; end: number }) {
  const command = compileSegment(segmentOf(effects, range), "unused.mp4");
  const path = `${folder}/${ffmpeg.name}.yuv`;
  const [option, map] = command.outputArgs;
  const raw = ["-f", "rawvideo", "-pix_fmt", "yuv420p", "-frames:v", `${range.end - range.start}`, "-y", path];
  await runCommand(ffmpeg, { ...command, outputArgs: [option!, map!, ...raw], writes: [path] });
  return await Bun.file(path).bytes();
}

type Pose = {
  readonly scaleX: number;
  readonly scaleY: number;
  readonly degrees: number;
  readonly x: number;
  readonly y: number;
};

/** Where a point of the picture lies on the canvas. */
function placed(x: number, y: number, pose: Pose) {
  const angle = (pose.degrees * Math.PI) / 180;
  const [fromX, fromY] = [(x - canvas.width / 2) * pose.scaleX, (y - canvas.height / 2) * pose.scaleY];
  return {
    x: Math.round(canvas.width / 2 + pose.x + Math.cos(angle) * fromX - Math.sin(angle) * fromY),
    y: Math.round(canvas.height / 2 + pose.y + Math.sin(angle) * fromX + Math.cos(angle) * fromY),
  };
}

const half = frames / 30;

const cameras: Record<string, readonly [ClipEffects, (progress: number) => Partial<Pose>]> = {
  "a zoom": [
    { keyframes: { scale: keys([0, 1], [half, 1.6]) } },
    (progress) => ({ scaleX: 1 + 0.6 * progress, scaleY: 1 + 0.6 * progress }),
  ],
  "a pan": [
    { scaleX: 1.5, scaleY: 1.5, keyframes: { centerX: keys([0, 20], [half, -20]), centerY: keys([0, -9]) } },
    (progress) => ({ scaleX: 1.5, scaleY: 1.5, x: 20 - 40 * progress, y: -9 }),
  ],
  "a turn": [{ keyframes: { rotation: keys([0, 0], [half, 90]) } }, (progress) => ({ degrees: 90 * progress })],
  "all at once, mirrored": [
    {
      rotationDegrees: -30,
      scaleX: 2,
      scaleY: 0.5,
      keyframes: { scaleX: keys([0, -0.5], [half, -0.25]), scaleY: keys([0, 1.6]), centerX: keys([0, 10]) },
    },
    (progress) => ({ scaleX: -1 + 0.5 * progress, scaleY: 0.8, degrees: -30, x: 10 }),
  ],
};

/** The values of red, green and blue that a filter of CSS gives for a color, 0..255. */
type Css = (color: readonly number[]) => readonly number[];
const each =
  (map: (value: number) => number): Css =>
  (color) =>
    color.map(map);
const gray = ([r, g, b]: readonly number[]) => 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;

const filters: readonly (readonly [NonNullable<ClipEffects["filter"]>, Css])[] = [
  [{ brightness: 1.3 }, each((value) => value * 1.3)],
  [{ contrast: 0.5 }, each((value) => (value - 127.5) * 0.5 + 127.5)],
  [{ invert: 1 }, each((value) => 255 - value)],
  [{ saturation: 0.5 }, (color) => color.map((value) => (value + gray(color)) / 2)],
  [{ saturation: 3 }, (color) => color.map((value) => gray(color) + 3 * (value - gray(color)))],
  [{ grayscale: 1 }, (color) => color.map(() => gray(color))],
  [
    { sepia: 1 },
    ([r, g, b]) =>
      [0.393, 0.349, 0.272].map((_, at) =>
        [
          [0.393, 0.769, 0.189],
          [0.349, 0.686, 0.168],
          [0.272, 0.534, 0.131],
        ][at]!.reduce((sum, entry, from) => sum + entry * [r!, g!, b!][from]!, 0),
      ),
  ],
  // a turn by 120 degrees keeps the luma: CSS mixes these
  [
    { hue: 180 },
    ([r, g, b]) => [
      -0.574 * r! + 1.43 * g! + 0.144 * b!,
      0.426 * r! + 0.43 * g! + 0.144 * b!,
      0.426 * r! + 1.43 * g! - 0.856 * b!,
    ],
  ],
  [
    { tint: { color: { red: 0, green: 100, blue: 200, alpha: 1 }, amount: 0.5 } },
    ([r, g, b]) => [r! / 2, g! / 2 + 50, b! / 2 + 100],
  ],
  [{ brightness: 4, contrast: 0.5 }, each((value) => (Math.min(255, value * 4) - 127.5) * 0.5 + 127.5)],
];

/** The color of a channel of the source over that of the ground, 0..1, as W3C Compositing 1 defines it. */
type Blended = (above: number, below: number) => number;
const screened: Blended = (above, below) => above + below - above * below;
const hardLight: Blended = (above, below) => (above <= 0.5 ? 2 * above * below : screened(2 * above - 1, below));
const softer = (below: number) => (below <= 0.25 ? ((16 * below - 12) * below + 4) * below : Math.sqrt(below));
const channels: Readonly<Record<string, Blended>> = {
  multiply: (above, below) => above * below,
  screen: screened,
  overlay: (above, below) => hardLight(below, above),
  darken: Math.min,
  lighten: Math.max,
  "color-dodge": (above, below) => (below === 0 ? 0 : above >= 1 ? 1 : Math.min(1, below / (1 - above))),
  "color-burn": (above, below) => (below === 1 ? 1 : above <= 0 ? 0 : 1 - Math.min(1, (1 - below) / above)),
  "hard-light": hardLight,
  "soft-light": (above, below) =>
    above <= 0.5 ? below - (1 - 2 * above) * below * (1 - below) : below + (2 * above - 1) * (softer(below) - below),
  difference: (above, below) => Math.abs(below - above),
  exclusion: (above, below) => below + above - 2 * below * above,
  "plus-lighter": (above, below) => Math.min(1, above + below),
};

type Rgb = readonly number[];
const lumaOf = ([r, g, b]: Rgb) => 0.3 * r! + 0.59 * g! + 0.11 * b!;
const saturationOf = (color: Rgb) => Math.max(...color) - Math.min(...color);
function withLuma(color: Rgb, luma: number): Rgb {
  const moved = color.map((value) => value + luma - lumaOf(color));
  const [least, most] = [Math.min(...moved), Math.max(...moved)];
  const raised = least < 0 ? moved.map((value) => luma + ((value - luma) * luma) / (luma - least)) : moved;
  return most > 1 ? raised.map((value) => luma + ((value - luma) * (1 - luma)) / (most - luma)) : raised;
}
const withSaturation = (color: Rgb, saturation: number): Rgb =>
  color.map((value) => ((value - Math.min(...color)) * saturation) / (saturationOf(color) || 1));
const colors: Readonly<Record<string, (above: Rgb, below: Rgb) => Rgb>> = {
  hue: (above, below) => withLuma(withSaturation(above, saturationOf(below)), lumaOf(below)),
  saturation: (above, below) => withLuma(withSaturation(below, saturationOf(above)), lumaOf(below)),
  color: (above, below) => withLuma(above, lumaOf(below)),
  luminosity: (above, below) => withLuma(below, lumaOf(above)),
};
const blends = Object.entries(colors).concat(
  Object.entries(channels).map(([mode, mix]) => [
    mode,
    (above, below) => above.map((value, channel) => mix(value, below[channel]!)),
  ]),
);

/** BT.709 of limited range. */
function toYuv(color: readonly number[]) {
  const [r, g, b] = color.map((value) => Math.min(255, Math.max(0, value)) / 255) as [number, number, number];
  const y = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  return [16 + 219 * y, 128 + (224 * (b - y)) / 1.8556, 128 + (224 * (r - y)) / 1.5748];
}

describe.each(testedFfmpegs.map((ffmpeg) => [ffmpeg.name, ffmpeg] as const))("with the %s ffmpeg", (_, ffmpeg) => {
  test.each(Object.entries(cameras))(
    "%s moves each point as its formula says, over black",
    async (_name, [effects, poseAt]) => {
      const { pixel } = await render(ffmpeg, effects);
      for (const frame of [0, 3, 6, 9]) {
        const pose = { scaleX: 1, scaleY: 1, degrees: 0, x: 0, y: 0, ...poseAt((frame + 0.5) / frames) };
        const errors: number[] = [];
        for (let x = 4; x < canvas.width - 4; x += 8) {
          for (let y = 4; y < canvas.height - 4; y += 8) {
            const at = placed(x, y, pose);
            if (at.x < 0 || at.y < 0 || at.x >= canvas.width || at.y >= canvas.height) continue;
            errors.push(Math.abs(pixel(frame, at.x, at.y)[0] - waves(x, y)));
          }
        }
        expect(errors.length).toBeGreaterThan(40);
        expect(Math.max(...errors)).toBeLessThanOrEqual(7);
        const corner = placed(canvas.width, canvas.height, {
          ...pose,
          scaleX: pose.scaleX * 1.06,
          scaleY: pose.scaleY * 1.06,
        });
        if (corner.x < 0 || corner.y < 0 || corner.x >= canvas.width || corner.y >= canvas.height) continue;
        expect(pixel(frame, corner.x, corner.y)[0]).toBeLessThanOrEqual(20);
      }
    },
  );

  test.each(filters)("the filter %j gives the colors of CSS", async (filter, css) => {
    const color = [200, 120, 40];
    const plain = `color=c=0xC87828:s=128x96,format=rgba`;
    const picture = imageSource(await draw(`${folder}/plain.png`, plain, "-frames:v", "1"), canvas);
    const { pixel } = await render(ffmpeg, { filter }, { start: 0, end: 2 }, picture);
    const wanted = toYuv(css(color));
    const shown = pixel(1, 64, 48);
    expect(shown.map((value, at) => Math.abs(value - wanted[at]!) <= 3)).toEqual([true, true, true]);
  });

  test.each(blends)("the blend mode %s mixes with the background as W3C defines it", async (blend, mix) => {
    const [above, below] = [
      [200, 120, 40],
      [60, 90, 170],
    ];
    const plain = `color=c=0xC87828:s=64x96,format=rgba`;
    const picture = imageSource(await draw(`${folder}/narrow.png`, plain, "-frames:v", "1"), { width: 64, height: 96 });
    const segment = segmentOf({ blend: blend as BlendMode }, { start: 0, end: 2 }, picture);
    const background = { red: 60, green: 90, blue: 170, alpha: 1 };
    const path = `${folder}/${ffmpeg.name}-blend.mp4`;
    await runCommand(ffmpeg, compileSegment({ ...segment, timeline: { ...segment.timeline, background } }, path));
    const bytes = await runFfmpeg(ffmpeg, ["-i", path, "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "yuv444p", "-"]);
    const plane = canvas.width * canvas.height;
    const errorsAt = (x: number, color: Rgb) =>
      toYuv(color).map((value, at) => Math.abs(bytes[at * plane + 48 * canvas.width + x]! - value));
    const share = (color: Rgb) => color.map((value) => value / 255);
    const wanted = mix(share(above!), share(below!)).map((value) => 255 * value);
    expect(Math.max(...errorsAt(64, wanted))).toBeLessThanOrEqual(4);
    // bars are no part of the picture
    expect(Math.max(...errorsAt(8, below!))).toBeLessThanOrEqual(3);
  });

  test("opacity mixes with black, by the middle of each frame", async () => {
    const { pixel } = await render(ffmpeg, { keyframes: { opacity: keys([0, 1], [half, 0]) } });
    for (const frame of [0, 4, 9]) {
      const wanted = 16 + (waves(30, 40) - 16) * (1 - (frame + 0.5) / frames);
      expect(Math.abs(pixel(frame, 30, 40)[0] - wanted)).toBeLessThanOrEqual(3);
    }
  });

  test.each<[string, ClipEffects]>([
    ["without a size", { scaleX: 0, scaleY: 1 }],
    ["far away", { keyframes: { centerX: keys([0, 3e6]), scale: keys([0, 100]) } }],
    [
      "tiny and far away",
      { rotationDegrees: 45, scaleX: 0.01, scaleY: -0.01, keyframes: { centerY: keys([0, -3e6]) } },
    ],
  ])("a clip %s is black", async (_name, effects) => {
    const { bytes } = await render(ffmpeg, effects, { start: 0, end: 2 });
    const plane = canvas.width * canvas.height;
    expect(bytes.slice(0, plane).every((level) => Math.abs(level - 16) <= 1)).toBe(true);
  });

  test("a background lies under what a moved and faded clip does not cover", async () => {
    const effects = { scaleX: 0.5, scaleY: 0.5, opacity: 0.5 };
    const segment = segmentOf(effects);
    const edit = { ...segment.timeline, background: { red: 0, green: 0, blue: 200, alpha: 1 } };
    const path = `${folder}/${ffmpeg.name}-background.mp4`;
    await runCommand(ffmpeg, compileSegment({ ...segment, timeline: edit }, path));
    const bytes = await runFfmpeg(ffmpeg, ["-i", path, "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "yuv444p", "-"]);
    const lumaAt = (x: number, y: number) => bytes[y * canvas.width + x]!;
    const blue = toYuv([0, 0, 200])[0]!;
    expect(Math.abs(lumaAt(10, 10) - blue)).toBeLessThanOrEqual(3);
    // half of the waves at the point that is shown there
    expect(Math.abs(lumaAt(50, 40) - (blue + waves(36, 32)) / 2)).toBeLessThanOrEqual(5);
  });

  test("a blur grows with its keyframes", async () => {
    const edge = `${folder}/edge-${ffmpeg.name}.mp4`;
    const drawing = "color=c=black:s=128x96:r=30,format=yuv420p,trim=end_frame=15,geq=lum='if(lt(X,64),40,200)'";
    const drawn = videoSource(await draw(edge, drawing, "-c:v", "libx264", "-qp", "0"), canvas);
    const { pixel } = await render(ffmpeg, { keyframes: { blur: keys([0.1, 0], [half, 20]) } }, undefined, drawn);
    const softness = Array.from({ length: frames }, (_, frame) => pixel(frame, 58, 48)[0] - 40);
    expect(softness.slice(0, 3).every((level) => level <= 2)).toBe(true);
    expect(softness).toEqual(softness.toSorted((a, b) => a - b));
    // a Gaussian of 18.5 pixels, 5.5 pixels from its edge: 38 % of the step
    expect(Math.abs(softness[9]! - 61)).toBeLessThan(10);
  });

  test("each part of a clip has exactly the pixels of the whole", async () => {
    const tint = { color: { red: 255, green: 0, blue: 0, alpha: 1 }, amount: 0.2 };
    const cases: readonly ClipEffects[] = [
      ...Object.values(cameras).map(([effects]) => effects),
      // at rest, then larger than the canvas, then smaller
      { keyframes: { scale: keys([0.1, 1], [0.2, 1.37], [0.3, 0.6]), rotation: keys([0.2, 0], [0.3, 7]) } },
      { filter: { tint }, keyframes: { opacity: keys([0, 0.4], [0.2, 1]), blur: keys([0.2, 0], [0.3, 9]) } },
      { filter: { hue: 40 }, keyframes: { brightness: keys([0.1, 1], [0.3, 3]), grayscale: keys([0.2, 0], [0.3, 1]) } },
    ];
    for (const effects of cases) {
      const whole = await drawnPixels(ffmpeg, effects, { start: 0, end: frames });
      const size = whole.length / frames;
      for (const [start, end] of [
        [0, 3],
        [3, 7],
        [5, 6],
        [7, 10],
      ] as const) {
        const part = await drawnPixels(ffmpeg, effects, { start, end });
        const isSame = Buffer.from(part).equals(Buffer.from(whole.slice(start * size, end * size)));
        expect({ effects, start, isSame }).toEqual({ effects, start, isSame: true });
      }
    }
  });

  test("a still does not zoom by itself if its clip says how it lies", async () => {
    const edgeOn = async (effects: ClipEffects) => {
      const { pixel } = await render(ffmpeg, effects, { start: 0, end: frames }, still);
      return Array.from({ length: 80 }, (_, x) => pixel(frames - 1, x, 48)[0]).filter((level) => level > 125).length;
    };
    expect(await edgeOn({ scaleX: 1, scaleY: 1 })).toBe(40);
    expect(await edgeOn({ opacity: 1 })).toBeLessThan(40);
  });
});

const graphOf = (effects: ClipEffects | undefined, start: number, end: number) =>
  compileSegment(segmentOf(effects, { start, end }), "out.mp4").graph;

test("frames at rest have the command of a clip without effects", () => {
  const rest = graphOf(undefined, 0, 5);
  expect(graphOf({ scaleX: 1, opacity: 1, filter: { brightness: 1, blur: 0 } }, 0, 5)).toBe(rest);
  expect(graphOf({ keyframes: { scale: keys([5 / 30, 1], [0.3, 2]), blur: keys([5 / 30, 0], [0.3, 2]) } }, 0, 5)).toBe(
    rest,
  );
});

test("a moved keyframe changes only the commands of the frames between its neighbors", () => {
  const at = (seconds: number) => ({ keyframes: { scale: keys([0, 1], [0.1, 1.5], [seconds, 1.2], [0.3, 1.4]) } });
  expect(graphOf(at(0.2), 0, 3)).toBe(graphOf(at(0.25), 0, 3));
  expect(graphOf(at(0.2), 3, 9)).not.toBe(graphOf(at(0.25), 3, 9));
  expect(graphOf(at(0.2), 9, 10)).toBe(graphOf(at(0.25), 9, 10));
});

test("a draft and another frame scale the lengths of effects", () => {
  const effects = {
    filter: { blur: 8 },
    keyframes: { centerX: keys([0, 40]), centerY: keys([0, 20]), scale: keys([0, 2]) },
  };
  const effectsIn = ({ track }: ReturnType<typeof editOf>) => clipsOf(track.spans[0]!)[0]!.effects;
  expect(effectsIn(halveTimeline(editOf(effects)))).toEqual({
    filter: { blur: 4 },
    keyframes: { centerX: keys([0, 20]), centerY: keys([0, 10]), scale: keys([0, 2]) },
  });
  expect(effectsIn(reframe(editOf(effects), { width: 96, height: 192 }))).toEqual({
    filter: { blur: 8 },
    keyframes: { centerX: keys([0, 30]), centerY: keys([0, 40]), scale: keys([0, 2]) },
  });
});

const [bundled] = ffmpegs();
const others = testedFfmpegs.filter(({ path }) => path !== bundled!.path);

test.skipIf(others.length === 0)("every effect renders the same frames as with the bundled ffmpeg", async () => {
  const cases: readonly ClipEffects[] = [
    ...Object.values(cameras).map(([effects]) => effects),
    ...filters.map(([filter]) => ({ filter })),
    { keyframes: { opacity: keys([0, 1], [half, 0]), blur: keys([0, 0], [half, 30]) } },
  ];
  for (const effects of cases) {
    const wanted = await render(bundled!, effects);
    for (const other of others) {
      const { bytes } = await render(other, effects);
      const worst = bytes.reduce((most, level, at) => Math.max(most, Math.abs(level - wanted.bytes[at]!)), 0);
      expect({ effects, worst: worst <= 6 ? "small" : worst }).toEqual({ effects, worst: "small" });
    }
  }
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { compileSegment } from "../../../../src/engine/compiler/compile.ts";
import type { FocusShot } from "../../../../src/engine/timeline/focus.ts";
import type { Mirroring, VideoFacts } from "../../../../src/engine/timeline/source.ts";
import { type Clip, clipFits } from "../../../../src/engine/timeline/track.ts";
import { draw, imageSource, smallCanvas, videoSource } from "../../../support/media/draw-media.ts";
import {
  everyFrame,
  runCommand,
  runFfmpeg,
  type TestFfmpeg,
  temporaryFolder,
  testedFfmpegs,
} from "../../../support/media/ffmpeg.ts";
import { clip, fastEncoding, sourcePaths, timeline } from "../../../support/media/timelines.ts";

let folder: string;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => rm(folder, { recursive: true }));

type Pixel = readonly [number, number, number];

/** Renders one clip. Returns a function that reads a pixel of a frame as [Y, U, V]. */
async function renderClip(ffmpeg: TestFfmpeg, only: Clip, canvas = smallCanvas) {
  const path = `${folder}/${ffmpeg.name}-export.mp4`;
  const edit = timeline([only], { canvas });
  const range = { start: 0, end: edit.track.frames };
  const encoding = { ...fastEncoding, crf: 1 };
  await runCommand(ffmpeg, compileSegment({ timeline: edit, range, overlays: [], files: sourcePaths, encoding }, path));
  const rawYuv = [...(await everyFrame(ffmpeg)), "-f", "rawvideo", "-pix_fmt", "yuv444p"];
  const bytes = await runFfmpeg(ffmpeg, ["-i", path, ...rawYuv, "-"]);
  const plane = canvas.width * canvas.height;
  return (frame: number, x: number, y: number): Pixel => {
    const at = frame * 3 * plane + y * canvas.width + x;
    return [bytes[at]!, bytes[at + plane]!, bytes[at + 2 * plane]!];
  };
}

const near = (actual: Pixel, wanted: Pixel, tolerance = 4) =>
  actual.every((value, index) => Math.abs(value - wanted[index]!) <= tolerance) ? "near" : actual;

const blackPixel: Pixel = [16, 128, 128];
const red: Pixel = [63, 102, 240];
const green: Pixel = [173, 42, 26];

/** A video of one coded color. */
const coded = (name: string, [y, u, v]: Pixel, size: string, ...args: readonly string[]) =>
  draw(
    `${folder}/${name}`,
    `color=c=black:s=${size}:r=30,format=yuv420p,trim=end_frame=5,geq=lum=${y}:cb=${u}:cr=${v}`,
    ...args,
  );

const square = { width: 40, height: 40 };

/** A video whose coded top-left quarter is white. */
const drawCorner = (name: string) => {
  const drawing = "color=c=black:s=40x40:r=30,format=yuv420p,trim=end_frame=3,geq=lum='16+219*lt(X,20)*lt(Y,20)'";
  return draw(`${folder}/${name}`, drawing, "-c:v", "libx264", "-qp", "0");
};

/** The same MP4 with another transformation matrix [a b c d] in its track header. */
function withTrackMatrix(mp4: Buffer, matrix: readonly number[]): Buffer {
  const at = mp4.indexOf("tkhd") + 44;
  for (const [index, value] of matrix.entries()) mp4.writeInt32BE(value * 0x10000, at + [0, 4, 12, 16][index]!);
  return mp4;
}

describe.each(testedFfmpegs.map((ffmpeg) => [ffmpeg.name, ffmpeg] as const))("with the %s ffmpeg", (_, ffmpeg) => {
  test.each<[string, Pixel, Partial<VideoFacts>]>([
    ["BT.709", red, { matrix: "bt709" }],
    ["BT.601", [81, 90, 240], { matrix: "bt601" }],
    ["BT.2020", [74, 97, 240], { matrix: "bt2020" }],
    ["full range", [54, 99, 255], { fullRange: true }],
    ["full range BT.601", [76, 85, 255], { matrix: "bt601", fullRange: true }],
  ])("red stays red from %s", async (name, level, facts) => {
    const path = await coded(`red-${name.replaceAll(" ", "-")}.mp4`, level, "64x36", "-c:v", "libx264", "-qp", "0");
    const pixel = await renderClip(ffmpeg, clip(videoSource(path, {}, facts), 0, 3));
    expect(near(pixel(1, 30, 18), red)).toBe("near");
  });

  test.each([false, true])("red stays red from RGB, with alpha %p", async (hasAlpha) => {
    const drawing = "color=c=red:s=64x36:r=30,format=argb,trim=end_frame=5";
    const path = await draw(`${folder}/rgb.mov`, drawing, "-c:v", "qtrle");
    const pixel = await renderClip(ffmpeg, clip(videoSource(path, {}, { matrix: "rgb", hasAlpha }), 0, 3));
    expect(near(pixel(1, 30, 18), red)).toBe("near");
  });

  test.each(["pq", "hlg"] as const)("%s is tone-mapped and keeps its colors", async (transfer) => {
    const trc = transfer === "pq" ? "smpte2084" : "arib-std-b67";
    const tags = ["-color_primaries", "bt2020", "-color_trc", trc, "-colorspace", "bt2020nc", "-color_range", "tv"];
    const path = await coded(`${transfer}.mp4`, [100, 128, 128], "64x36", "-c:v", "libx264", ...tags);
    const pixel = await renderClip(ffmpeg, clip(videoSource(path, {}, { matrix: "bt2020", transfer }), 0, 3));
    const [luma, ...chroma] = pixel(1, 30, 18);
    expect(luma).toBeGreaterThan(50);
    expect(luma).toBeLessThan(220);
    expect(chroma.every((value) => Math.abs(value - 128) <= 2)).toBe(true);
  });

  test("contain shows the whole video between black bars", async () => {
    const path = await coded("square.mp4", green, "40x40", "-c:v", "libx264");
    const pixel = await renderClip(ffmpeg, clip(videoSource(path, { width: 40, height: 40 }), 0, 2));
    expect([2, 9].map((x) => near(pixel(0, x, 18), blackPixel))).toEqual(["near", "near"]);
    expect([18, 32, 45].map((x) => near(pixel(0, x, 18), green))).toEqual(["near", "near", "near"]);
    expect([55, 62].map((x) => near(pixel(0, x, 18), blackPixel))).toEqual(["near", "near"]);
  });

  test("cover and blur fill the whole canvas", async () => {
    const path = await coded("wide.mp4", green, "80x20", "-c:v", "libx264");
    for (const fit of ["cover", "blur"] as const) {
      const pixel = await renderClip(ffmpeg, clip(videoSource(path, { width: 80, height: 20 }), 0, 2, { fit }));
      for (const [x, y] of [
        [0, 0],
        [63, 35],
        [32, 18],
        [5, 30],
      ] as const)
        expect(near(pixel(0, x, y), green, 6)).toBe("near");
    }
  });

  test.each<[number, Pixel]>([
    [0, green],
    [0.3, green],
    [0.7, red],
    [1, red],
  ])("cover with a focus at %p of the width shows that side", async (x, color) => {
    const halves = (plane: 0 | 1 | 2) => `'if(lt(X,W/2),${green[plane]},${red[plane]})'`;
    const colors = `geq=lum=${halves(0)}:cb=${halves(1)}:cr=${halves(2)}`;
    const drawing = `color=c=black:s=160x36:r=30,format=yuv420p,trim=end_frame=5,${colors}`;
    const path = await draw(`${folder}/halves.mp4`, drawing, "-c:v", "libx264", "-qp", "0");
    const source = videoSource(path, { width: 160, height: 36 });
    const pixel = await renderClip(ffmpeg, clip(source, 0, 2, { fit: "cover", focus: { x, y: 0.5 } }));
    expect([4, 32, 60].map((at) => near(pixel(1, at, 18), color))).toEqual(["near", "near", "near"]);
  });

  test("cover with a track shows the place of each frame, whatever part of the clip is drawn", async () => {
    const drawing = "color=c=black:s=160x36:r=30,format=yuv420p,trim=end_frame=20,geq=lum='30+X':cb=128:cr=128";
    const path = await draw(`${folder}/ramp.mp4`, drawing, "-c:v", "libx264", "-qp", "0");
    const shot = (startSeconds: number, ...xs: readonly number[]): FocusShot => ({
      startSeconds,
      reason: "motion",
      points: xs.map((x, index) => ({ atSeconds: startSeconds + index / 3, x, y: 0.5 })),
    });
    const focus = [shot(0, 0.2, 0.8), shot(0.4, 0.3)];
    const only = clip(videoSource(path, { width: 160, height: 36 }), 0, 18, { fit: "cover", focus });
    const left = await Promise.all(
      [0, 5].map(async (start) => {
        const edit = timeline([only], { canvas: smallCanvas });
        const output = `${folder}/${ffmpeg.name}-follow-${start}.mp4`;
        const range = { start, end: 18 };
        const encoding = { ...fastEncoding, crf: 1 };
        await runCommand(
          ffmpeg,
          compileSegment({ timeline: edit, range, overlays: [], files: sourcePaths, encoding }, output),
        );
        const rawYuv = [...(await everyFrame(ffmpeg)), "-f", "rawvideo", "-pix_fmt", "yuv420p"];
        const bytes = await runFfmpeg(ffmpeg, ["-i", output, ...rawYuv, "-"]);
        return Array.from({ length: 18 - start }, (_, frame) => bytes[frame * 64 * 54 + 18 * 64 + 10]! - 40);
      }),
    );
    // from 0 to 96 in ten frames, and to 16 at the cut
    const wanted = Array.from({ length: 18 }, (_, frame) => (frame < 12 ? Math.min(96, frame * 9.6) : 16));
    for (const [part, start] of [0, 5].entries()) {
      const errors = left[part]!.map((level, frame) => Math.abs(level - wanted[start + frame]!));
      expect(Math.max(...errors)).toBeLessThanOrEqual(2);
    }
  });

  test.each([
    ...clipFits.map((fit) => [fit, { fit }] as const),
    ["cover around a focus", { fit: "cover", focus: { x: 0.9, y: 0.1 } }] as const,
  ])("odd sizes and canvases of very different aspect ratios render with %s", async (_name, framing) => {
    const path = await coded("odd.mkv", green, "31x17", "-c:v", "ffv1", "-pix_fmt", "yuv444p");
    const source = videoSource(path, { width: 31, height: 17, container: "matroska" });
    for (const canvas of [
      { width: 16, height: 128 },
      { width: 128, height: 16 },
      { width: 18, height: 22 },
    ]) {
      const pixel = await renderClip(ffmpeg, clip(source, 0, 2, framing), canvas);
      expect(near(pixel(1, canvas.width / 2, canvas.height / 2), green, 12)).toBe("near");
    }
  });

  test("non-square pixels are shown in their true aspect ratio", async () => {
    const path = await coded("anamorphic.mp4", green, "32x36", "-vf", "setsar=2/1", "-c:v", "libx264");
    const pixel = await renderClip(ffmpeg, clip(videoSource(path), 0, 2));
    expect([1, 32, 62].map((x) => near(pixel(0, x, 18), green))).toEqual(["near", "near", "near"]);
  });

  test.each<[Mirroring, string, readonly number[]]>([
    ["upright", "NE", [-1, 0, 0, 1]],
    ["level", "SW", [1, 0, 0, -1]],
    ["falling", "NW", [0, 1, 1, 0]],
    ["rising", "SE", [0, -1, -1, 0]],
  ])("a video with %s mirroring shows its first corner in the %s", async (mirroring, corner, matrix) => {
    const path = await drawCorner(`${mirroring}.mp4`);
    await Bun.write(path, withTrackMatrix(Buffer.from(await Bun.file(path).bytes()), matrix));
    const pixel = await renderClip(
      ffmpeg,
      clip(videoSource(path, { width: 40, height: 40 }, { mirroring }), 0, 2),
      square,
    );
    const corners = { NW: pixel(1, 10, 10), NE: pixel(1, 30, 10), SW: pixel(1, 10, 30), SE: pixel(1, 30, 30) };
    const lit = Object.entries(corners).flatMap(([name, [luma]]) => (luma > 128 ? [name] : []));
    expect(lit).toEqual([corner]);
  });

  test.each(["libvpx", "libvpx-vp9"])("transparent parts of %s show black", async (encoder) => {
    const drawing =
      "color=c=red:s=64x36:r=30,format=yuva420p,trim=end_frame=6,geq=lum=63:cb=102:cr=240:a='255*gte(X,32)'";
    const path = await draw(`${folder}/${encoder}.webm`, drawing, "-c:v", encoder, "-auto-alt-ref", "0", "-b:v", "1M");
    const codec = encoder === "libvpx" ? "vp8" : "vp9";
    const source = videoSource(path, { container: "matroska" }, { codec, hasAlpha: true });
    const pixel = await renderClip(ffmpeg, clip(source, 0, 4));
    expect(near(pixel(3, 8, 18), blackPixel, 6)).toBe("near");
    expect(near(pixel(3, 54, 18), red, 10)).toBe("near");

    const bt601 = videoSource(path, { container: "matroska" }, { codec, hasAlpha: true, matrix: "bt601" });
    const converted = await renderClip(ffmpeg, clip(bt601, 0, 4));
    expect(near(converted(3, 8, 18), blackPixel, 6)).toBe("near");
    // the same code values are another color in BT.601
    expect(near(converted(3, 54, 18), [49, 111, 240], 10)).toBe("near");
  });

  test("an image is upright, keeps its colors, and shows black where it is transparent", async () => {
    const half = "color=c=red:s=64x36,format=rgba,geq=r=255:g=0:b=0:a='255*gte(X,32)'";
    const path = await draw(`${folder}/still.png`, half, "-frames:v", "1");
    const pixel = await renderClip(ffmpeg, clip(imageSource(path), 0, 6));
    expect(near(pixel(0, 8, 18), blackPixel)).toBe("near");
    expect(near(pixel(0, 54, 18), red)).toBe("near");
    expect(near(pixel(5, 54, 18), red)).toBe("near");
  });

  test("an image zooms in by 8 % without a jump", async () => {
    const line = "color=c=black:s=320x180,format=gray,geq=lum='255*lt(X,40)'";
    const path = await draw(`${folder}/line.png`, line, "-frames:v", "1");
    const source = imageSource(path, { width: 320, height: 180 });
    const pixel = await renderClip(ffmpeg, clip(source, 0, 40), { width: 320, height: 180 });
    // the position of the edge in fractions of a pixel, from the total light of the row
    const edgeOn = (frame: number) =>
      Array.from({ length: 160 }, (_, x) => (pixel(frame, x, 90)[0] - 16) / 219).reduce((sum, level) => sum + level, 0);
    const edges = Array.from({ length: 40 }, (_, frame) => edgeOn(frame));
    expect(Math.abs(edges[0]! - 40)).toBeLessThan(0.6);
    expect(Math.abs(edges[39]! - (160 - 120 * 1.08))).toBeLessThan(0.8);
    const steps = edges.slice(1).map((edge, index) => edges[index]! - edge);
    expect(steps.every((step) => step > -0.1 && step < 0.6)).toBe(true);
  });
});

describe.each(testedFfmpegs.map((ffmpeg) => [ffmpeg.name, ffmpeg] as const))("with the %s ffmpeg", (_, ffmpeg) => {
  test("a frame of two fields has no comb", async () => {
    // a bar that moves by a quarter of the frame from field to field
    const fields =
      "color=c=black:s=64x36:r=50:d=0.4,format=yuv420p,geq=lum='16+200*lt(mod(X-16*N+640,64),16)':cb=128:cr=128";
    const encoding = ["-vf", "interlace=lowpass=0", "-c:v", "libx264", "-qp", "0", "-flags", "+ildct+ilme"];
    const path = await draw(`${folder}/fields.mp4`, fields, ...encoding);
    const combOf = async (more: Partial<VideoFacts>) => {
      const pixel = await renderClip(ffmpeg, clip(videoSource(path, {}, more), 0, 6));
      const rows = Array.from({ length: 30 }, (_, row) => row + 3);
      const across = Array.from({ length: 64 }, (_, x) => x);
      const steps = rows.flatMap((y) => across.map((x) => Math.abs(pixel(4, x, y)[0] - pixel(4, x, y - 1)[0])));
      return steps.reduce((sum, step) => sum + step, 0) / steps.length;
    };
    expect(await combOf({})).toBeGreaterThan(20);
    expect(await combOf({ isInterlaced: true })).toBeLessThan(5);
  });

  test("the last picture is held while the sound goes on", async () => {
    const path = await coded("short.mp4", [173, 42, 26], "64x36", "-c:v", "libx264", "-qp", "0");
    const source = videoSource(path, { durationSeconds: 8, hasSound: true }, { endSeconds: 5 / 30 });
    const pixel = await renderClip(ffmpeg, clip(source, 0, 3, { sourceStartSeconds: 6 }));
    expect(near(pixel(2, 32, 18), green)).toBe("near");
  });
});

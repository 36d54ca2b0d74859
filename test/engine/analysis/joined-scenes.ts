import { expect } from "bun:test";
import { MetricsCollector } from "../../../src/engine/analysis/measure/metrics/collector.ts";
import { toVideoMetrics } from "../../../src/engine/analysis/metrics.ts";
import type { VideoMetrics } from "../../../src/engine/ports.ts";
import type { MediaFacts } from "../../../src/engine/timeline/source.ts";
import { draw, videoSource } from "../../support/media/draw-media.ts";
import { measuredHere } from "./measured-here.ts";

const size = { width: 192, height: 108 };
const lossy = ["-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p", "-vsync", "vfr"];

export const facts = (durationSeconds: number, more: Partial<MediaFacts> = {}): MediaFacts =>
  // lavfi converts colors to BT.601
  videoSource("video.mp4", { ...size, durationSeconds, ...more }, { matrix: "bt601" }).facts;

export type Pieces = readonly (readonly [drawing: string, frames: number])[];

/** Concatenates drawings at 25 frames a second. */
export const drawJoined = (path: string, pieces: Pieces, after = "null"): Promise<string> => {
  const drawn = pieces.map(
    ([drawing, frames], index) =>
      `${drawing},fps=25,trim=end_frame=${frames},setpts=N/25/TB,scale=192:108,setsar=1,format=yuv420p[p${index}]`,
  );
  const all = pieces.map((_, index) => `[p${index}]`).join("");
  const graph = `${all}concat=n=${pieces.length}:v=1:a=0,fps=25,${after}`;
  return draw(path, [...drawn, graph].join(";"), ...lossy);
};

export const still = `mandelbrot=r=25:s=192x108:start_scale=2:end_scale=2`;
export const bars = "smptebars=r=25:s=192x108";
export const test2 = "testsrc2=r=25:s=192x108";
export const fractal = "mandelbrot=r=25:s=192x108";
export const field = (color: string) => `color=c=${color}:r=25:s=192x108`;
export const lines = "rgbtestsrc=r=25:s=192x108";
export const worms = "cellauto=rule=110:r=25:s=192x108";

export const measureHere = async (path: string, durationSeconds: number, more: Partial<MediaFacts> = {}) => {
  const video = facts(durationSeconds, more);
  return toVideoMetrics(await measuredHere(path, video, (frameSize) => new MetricsCollector(frameSize)), video);
};

export type VideoMeasure = (path: string, durationSeconds: number) => Promise<VideoMetrics>;

export const cutsOf = async (path: string, seconds: number, measure: VideoMeasure = measureHere) => {
  const { scenes } = await measure(path, seconds);
  expect(scenes[0]?.startSeconds).toBe(0);
  expect(scenes.at(-1)?.endSeconds).toBe(seconds);
  expect(scenes.slice(1).map(({ startSeconds }) => startSeconds)).toEqual(
    scenes.slice(0, -1).map(({ endSeconds }) => endSeconds),
  );
  return scenes.slice(1).map(({ startSeconds }) => Math.round(startSeconds * 25));
};

/** Draws a video, and expects each cut within two frames, and no others. */
export async function expectCuts(path: string, pieces: Pieces, cuts: readonly number[]): Promise<void> {
  const frames = pieces.reduce((sum, [, count]) => sum + count, 0);
  const found = await cutsOf(await drawJoined(path, pieces), frames / 25);
  expect(found.map((cut, index) => (Math.abs(cut - cuts[index]!) <= 2 ? cuts[index] : cut))).toEqual([...cuts]);
}

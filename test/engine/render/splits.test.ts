import { afterAll, beforeAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { findSplits } from "../../../src/engine/render/tasks/splits.ts";
import { sharedTaskPool } from "../../../src/engine/sandbox/task-pool.ts";
import type { Clip } from "../../../src/engine/timeline/track.ts";
import { draw, videoSource } from "../../support/media/draw-media.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";
import { clip, sourcePaths, timeline, transitionInto } from "../../support/media/timelines.ts";

let folder: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  const gop = (frames: number) => ["-g", `${frames}`, "-keyint_min", `${frames}`, "-sc_threshold", "0"];
  await draw(`${folder}/phone.mp4`, "testsrc2=s=64x36:r=30:d=4", ...gop(30));
  await draw(`${folder}/generated.mp4`, "testsrc2=s=64x36:r=30:d=4", ...gop(120));
  // more keyframes than a process may list in one answer
  await draw(`${folder}/intra.mp4`, "color=s=16x16:r=240:d=90", ...gop(1));
  await Bun.write(`${folder}/broken.mp4`, "no video");
});
afterAll(() => rm(folder, { recursive: true }));

const source = (name: string) => videoSource(`${folder}/${name}.mp4`, { durationSeconds: 4 });

function splitsOf(clips: readonly Clip[]) {
  const edited = timeline(clips);
  const parts = Array.from({ length: Math.ceil(edited.track.frames / 15) }, (_, index) => ({
    range: { start: index * 15, end: index * 15 + 15 },
  }));
  const video = { timeline: edited, files: sourcePaths };
  const signal = new AbortController().signal;
  return findSplits(sharedTaskPool(), video, parts, { owner: "user", signal });
}

const whole = (frames: number) => Math.round(frames);

test("a run that begins inside a clip decodes from the clip's last keyframe", async () => {
  const { leadInAt } = await splitsOf([clip(source("phone"), 0, 60), clip(source("generated"), 60, 120)]);
  expect([0, 15, 30, 45, 60, 75, 105].map(leadInAt).map(whole)).toEqual([0, 15, 0, 15, 0, 15, 45]);
});

test("between two clips, a run begins where the clip goes on that has the nearer keyframe", async () => {
  const fade = transitionInto("fade", 15);
  const startsOf = async (first: string, second: string) => {
    const { clipStarts } = await splitsOf([clip(source(first), 0, 60, fade), clip(source(second), 60, 105)]);
    return [...clipStarts];
  };
  expect(await startsOf("phone", "generated")).toEqual([0, 60]);
  expect(await startsOf("generated", "phone")).toEqual([0, 75]);
});

test("a video whose keyframes cannot be read can be split anywhere", async () => {
  const { leadInAt, clipStarts } = await splitsOf([clip(source("broken"), 0, 75)]);
  expect([[...clipStarts], leadInAt(45)]).toEqual([[0], 0]);
});

test("a video of keyframes only can be split anywhere", async () => {
  const { leadInAt } = await splitsOf([clip(source("intra"), 0, 75)]);
  expect(leadInAt(45)).toBeWithin(0, 8);
});

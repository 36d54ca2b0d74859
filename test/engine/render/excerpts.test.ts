import { expect, test } from "bun:test";
import { writeExcerpts } from "../../../src/engine/render/excerpts.ts";
import { SandboxTaskError } from "../../../src/engine/sandbox/failures.ts";
import type { TaskPool } from "../../../src/engine/sandbox/task-pool.ts";
import { videoSource } from "../../support/media/draw-media.ts";
import { clip, sourcePaths, timeline } from "../../support/media/timelines.ts";

test("a source whose excerpt takes too long is shown whole, and not tried again", async () => {
  let tasks = 0;
  const run = async () => {
    tasks++;
    throw new SandboxTaskError("The process of a task ended.");
  };
  const canvas: TaskPool = { run, runAdded: run, textEngine: async () => "" };
  const edit = timeline([clip(videoSource("slow.mp4"), 0, 30)]);
  const wanted = { timeline: edit, frames: [20], files: sourcePaths, folder: "/nowhere" };
  const place = () => writeExcerpts(canvas, wanted, { owner: "ann" });
  expect(await place()).toBeUndefined();
  expect(await place()).toBeUndefined();
  expect(tasks).toBe(1);
});

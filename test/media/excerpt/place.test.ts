import { expect, test } from "bun:test";
import { CanvasTaskError } from "../../../src/media/canvas/failures.ts";
import type { CanvasProcesses } from "../../../src/media/canvas/processes.ts";
import { placeExcerpts } from "../../../src/media/excerpt/place.ts";
import { videoSource } from "../../helpers/media/draw-media.ts";
import { clip, sourcePaths, timeline } from "../../helpers/media/timelines.ts";

test("a source whose excerpt takes too long is shown whole, and not tried again", async () => {
  let tasks = 0;
  const run = async () => {
    tasks++;
    throw new CanvasTaskError("The process of a task ended.");
  };
  const canvas: CanvasProcesses = { run, textEngine: async () => "" };
  const edit = timeline([clip(videoSource("slow.mp4"), 0, 30)]);
  const wanted = { timeline: edit, frames: [20], files: sourcePaths, folder: "/nowhere" };
  const place = () => placeExcerpts(canvas, wanted, { owner: "ann" });
  expect(await place()).toBeUndefined();
  expect(await place()).toBeUndefined();
  expect(tasks).toBe(1);
});

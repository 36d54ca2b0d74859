import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { LocalGenerator, StoryboardRequest } from "../../domain/ai/generation/local-generator.ts";
import { concurrencyLimit } from "../../platform/concurrency-limit.ts";
import type { TaskOptions } from "../../platform/task-options.ts";
import { readOutput } from "../canvas/outputs.ts";
import { sharedCanvasProcesses } from "../canvas/processes.ts";
import { type CameraMovePorts, renderCameraMove } from "./camera-move.ts";

const slots = { concurrency: 4, perOwner: 2, maxQueuedPerOwner: 100, retryAfterSeconds: 10 };

type GeneratorOptions = Omit<CameraMovePorts, "canvas"> & Partial<Pick<CameraMovePorts, "canvas">>;

/** Draws storyboards with Skia and renders camera moves with ffmpeg. */
export function localGenerator({ canvas = sharedCanvasProcesses(), ...others }: GeneratorOptions): LocalGenerator {
  const limit = concurrencyLimit(slots);
  const ports = { ...others, canvas };
  return {
    drawStoryboard: (request, options) => limit(() => drawStoryboard(ports, request, options), options),
    moveCamera: (request, options) => limit(() => renderCameraMove(ports, request, options), options),
  };
}

/** Draws in a temporary folder that is always removed. */
async function drawStoryboard({ canvas, files }: CameraMovePorts, request: StoryboardRequest, options: TaskOptions) {
  const folder = await files.jobFolder();
  try {
    const output = join(folder, "storyboard.png");
    await canvas.run("drawStoryboard", { request, output }, options);
    return await readOutput(output);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

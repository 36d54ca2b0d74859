import { join } from "node:path";
import type { LocalGenerator, StoryboardRequest } from "../../domain/ai/generation/local-generator.ts";
import { type CpuBudget, cpuBudget } from "../../platform/cpu-budget.ts";
import { withJobFolder } from "../../platform/job-folder.ts";
import type { TaskOptions } from "../../platform/task-options.ts";
import { readOutput } from "../sandbox/outputs.ts";
import { sharedTaskPool } from "../sandbox/task-pool.ts";
import { type CameraMovePorts, renderCameraMove } from "./camera-move.ts";

type GeneratorOptions = Omit<CameraMovePorts, "canvas"> &
  Partial<Pick<CameraMovePorts, "canvas">> & {
    /** Default: one of its own. */
    readonly cpu?: Pick<CpuBudget, "models">;
  };

/** Draws storyboards with Skia and renders camera moves with ffmpeg. */
export function localGenerator({
  canvas = sharedTaskPool(),
  cpu = cpuBudget(),
  ...others
}: GeneratorOptions): LocalGenerator {
  const ports = { ...others, canvas };
  return {
    drawStoryboard: (request, options) => cpu.models(() => drawStoryboard(ports, request, options), options),
    moveCamera: (request, options) => cpu.models(() => renderCameraMove(ports, request, options), options),
  };
}

const drawStoryboard = ({ canvas, files }: CameraMovePorts, request: StoryboardRequest, options: TaskOptions) =>
  withJobFolder(files.jobFolder, async (folder) => {
    const output = join(folder, "storyboard.png");
    await canvas.run("drawStoryboard", { request, output }, options);
    return await readOutput(output);
  });

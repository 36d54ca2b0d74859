import { createReadStream } from "node:fs";
import { join, resolve } from "node:path";
import type { CameraMove, LocalGenerator, StoryboardRequest } from "../../../domain/ai/generation/local-generator.ts";
import { type CameraPath, compileCameraMove, stillSize } from "../../../engine/compiler/video/camera-move.ts";
import type { Ffmpeg } from "../../../engine/ffmpeg/ffmpeg.ts";
import type { FileStore, ReceivedFile } from "../../../engine/ports.ts";
import { mapTaskFailure, unreadableImage } from "../../../engine/sandbox/failures.ts";
import { readOutput } from "../../../engine/sandbox/task-files.ts";
import type { TaskPool } from "../../../engine/sandbox/task-pool.ts";
import { withJobFolder } from "../../../platform/files.ts";
import type { TaskOptions } from "../../../platform/limits/concurrency-limit.ts";
import { type CpuBudget, cpuBudget } from "../../../platform/limits/cpu-budget.ts";
import { storyboardTask } from "./tasks.ts";

type GeneratorOptions = CameraMovePorts & {
  /** Default: a budget of this generator's own. */
  readonly cpu?: Pick<CpuBudget, "models">;
};

/** Draws storyboards with Skia and renders camera moves with ffmpeg. */
export function localGenerator({ cpu = cpuBudget(), ...ports }: GeneratorOptions): LocalGenerator {
  return {
    drawStoryboard: (request, options) => cpu.models(() => drawStoryboard(ports, request, options), options),
    moveCamera: (request, options) => cpu.models(() => renderCameraMove(ports, request, options), options),
  };
}

const drawStoryboard = ({ canvas, files }: CameraMovePorts, request: StoryboardRequest, options: TaskOptions) =>
  withJobFolder(files.jobFolder, async (folder) => {
    const output = join(folder, "storyboard.png");
    await canvas.runAdded(storyboardTask, { request, output }, options);
    return await readOutput(output);
  });

type CameraMovePorts = {
  readonly ffmpeg: Ffmpeg;
  readonly files: Pick<FileStore, "jobFolder" | "receive">;
  readonly canvas: TaskPool;
};

type CameraMoveRequest = Parameters<LocalGenerator["moveCamera"]>[0];

/** Renders the move in a temporary folder that is always removed. */
async function renderCameraMove(
  ports: CameraMovePorts,
  request: CameraMoveRequest,
  options: TaskOptions,
): Promise<ReceivedFile> {
  return withJobFolder(ports.files.jobFolder, (folder) => renderIn(folder, ports, request, options));
}

async function renderIn(
  folder: string,
  { ffmpeg, files, canvas: processes }: CameraMovePorts,
  { path, facts, resolution: canvas, durationSeconds, move, direct, design }: CameraMoveRequest,
  options: TaskOptions,
): Promise<ReceivedFile> {
  const stillPath = join(folder, "still.rgba");
  const output = join(folder, "move.mp4");
  const image = { path: resolve(path), facts, output: stillPath };
  const size = stillSize(canvas);
  const zoom = zoomFor(durationSeconds, design ? groundShare : 1);
  const draw = async () => {
    if (!direct) {
      await processes.run("drawCoverImage", { ...image, size }, options);
      return;
    }
    const limits = { maxShare: maxShare / zoom, maxEnlargement: (maxEnlarged * size.width) / canvas.width / zoom };
    const drawing = { size, palette: direct.palette, core: direct.core, ...limits };
    const { contained } = await processes.run("drawDirectImage", { ...image, options: drawing }, options);
    if (contained) direct.onContained(contained);
  };
  await draw().catch(mapTaskFailure(unreadableImage));
  const shot = { stillPath, canvas, durationSeconds, path: pathOf(design ? "push_in" : move, zoom) };
  await ffmpeg.run(compileCameraMove(shot, output), { folder, signal: options.signal });
  return await files.receive(createReadStream(output), Bun.file(output).size);
}

/** The enlargement of the closer view, as a fraction of the image. */
const minEnlargement = 0.06;
const maxEnlargement = 0.12;

/** The enlargement per second of the move: longer moves keep this speed, up to the maximum enlargement. */
const enlargementPerSecond = 0.03;

/** The share of this enlargement for a drawn ground: it is behind words, and half as many views of it are scaled. */
const groundShare = 0.5;

const zoomFor = (durationSeconds: number, share: number): number =>
  1 + share * Math.min(maxEnlargement, Math.max(minEnlargement, durationSeconds * enlargementPerSecond));

/** Limits of a contained image at its largest in the move: a share of the frame, and a multiple of its own size. */
const maxShare = 0.8;
const maxEnlarged = 2;

/** A pan or tilt covers the whole length that its enlargement crops. */
function pathOf(move: CameraMove, zoom: number): CameraPath {
  const paths: Record<CameraMove, CameraPath> = {
    push_in: { kind: "zoom", from: 1, to: zoom },
    pull_out: { kind: "zoom", from: zoom, to: 1 },
    pan_left: { kind: "slide", axis: "x", isForward: false, zoom },
    pan_right: { kind: "slide", axis: "x", isForward: true, zoom },
    tilt_up: { kind: "slide", axis: "y", isForward: false, zoom },
    tilt_down: { kind: "slide", axis: "y", isForward: true, zoom },
  };
  return paths[move];
}

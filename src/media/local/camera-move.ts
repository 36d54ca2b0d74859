import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type CameraView, compileCameraMove, stillSize } from "../../compiler/video/camera-move.ts";
import type { CameraMove, LocalGenerator } from "../../domain/ai/generation/local-generator.ts";
import type { FileStore, ReceivedFile } from "../../domain/files/file-store.ts";
import { mapDiskFull } from "../../platform/disk-full.ts";
import type { Ffmpeg } from "../ffmpeg/ffmpeg.ts";
import { prepareCoverImage } from "../images/image.ts";

export type CameraMovePorts = {
  readonly ffmpeg: Ffmpeg;
  readonly files: Pick<FileStore, "jobFolder" | "receive">;
};

type CameraMoveRequest = Parameters<LocalGenerator["moveCamera"]>[0];

/** Renders the move in a temporary folder that is always removed. */
export async function renderCameraMove(
  ports: CameraMovePorts,
  request: CameraMoveRequest,
  signal: AbortSignal,
): Promise<ReceivedFile> {
  const folder = await ports.files.jobFolder();
  try {
    return await mapDiskFull(renderIn(folder, ports, request, signal));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function renderIn(
  folder: string,
  { ffmpeg, files }: CameraMovePorts,
  { path, facts, resolution: canvas, durationSeconds, move }: CameraMoveRequest,
  signal: AbortSignal,
): Promise<ReceivedFile> {
  const stillPath = join(folder, "still.png");
  const output = join(folder, "move.mp4");
  await Bun.write(stillPath, await prepareCoverImage(path, facts, stillSize(canvas)));
  const shot = { stillPath, canvas, durationSeconds, ...viewsOf(move, durationSeconds) };
  await ffmpeg.run(compileCameraMove(shot, output), { folder, signal });
  return await files.receive(createReadStream(output), Bun.file(output).size);
}

/** The enlargement of the closer view, as a fraction of the image. */
const minEnlargement = 0.06;
const maxEnlargement = 0.12;

/** Per second of the move: longer moves keep the same speed, up to the maximum enlargement. */
const enlargementPerSecond = 0.03;

/** The first and the last view. A pan or tilt runs over all that its enlargement crops. */
function viewsOf(move: CameraMove, durationSeconds: number): { from: CameraView; to: CameraView } {
  const enlargement = Math.min(maxEnlargement, Math.max(minEnlargement, durationSeconds * enlargementPerSecond));
  const zoom = 1 + enlargement;
  const margin = (1 - 1 / zoom) / 2;
  const close = { x: 0.5, y: 0.5, zoom };
  const whole = { ...close, zoom: 1 };
  const left = { ...close, x: 0.5 - margin };
  const right = { ...close, x: 0.5 + margin };
  const top = { ...close, y: 0.5 - margin };
  const bottom = { ...close, y: 0.5 + margin };
  const views: Record<CameraMove, { from: CameraView; to: CameraView }> = {
    push_in: { from: whole, to: close },
    pull_out: { from: close, to: whole },
    pan_left: { from: right, to: left },
    pan_right: { from: left, to: right },
    tilt_up: { from: bottom, to: top },
    tilt_down: { from: top, to: bottom },
  };
  return views[move];
}

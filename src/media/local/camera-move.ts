import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { compileCameraMove, stillSize, type View } from "../../compiler/picture/camera-move.ts";
import type { CameraMove, Studio } from "../../domain/ai/generation/local-generator.ts";
import type { FileStore, ReceivedFile } from "../../domain/files/file-store.ts";
import { mapDiskFull } from "../../platform/disk-full.ts";
import type { Ffmpeg } from "../ffmpeg/ffmpeg.ts";
import { coveringStill } from "../images/image.ts";

export type CameraPorts = { readonly ffmpeg: Ffmpeg; readonly files: Pick<FileStore, "jobFolder" | "receive"> };

type MoveWish = Parameters<Studio["moveCamera"]>[0];

/** Films the move in a folder of its own, which is gone afterwards whatever happens. */
export async function filmMove(ports: CameraPorts, wish: MoveWish, signal: AbortSignal): Promise<ReceivedFile> {
  const folder = await ports.files.jobFolder();
  try {
    return await mapDiskFull(filmIn(folder, ports, wish, signal));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function filmIn(folder: string, { ffmpeg, files }: CameraPorts, wish: MoveWish, signal: AbortSignal) {
  const { resolution: canvas, durationSeconds } = wish;
  const [stillPath, output] = [join(folder, "still.png"), join(folder, "move.mp4")];
  await Bun.write(stillPath, await coveringStill(wish.path, wish.facts, stillSize(canvas)));
  const shot = { stillPath, canvas, durationSeconds, ...viewsOf(wish.move, durationSeconds) };
  await ffmpeg.run(compileCameraMove(shot, output), { folder, signal });
  return await files.receive(createReadStream(output), Bun.file(output).size);
}

const [slowest, farthest] = [0.06, 0.12];

/** Shares of the picture a second: a long move is no faster than a short one, up to what the picture has to give. */
const speed = 0.03;

/** From which view to which. A pan or tilt runs over all that its enlargement leaves out. */
function viewsOf(move: CameraMove, durationSeconds: number): { from: View; to: View } {
  const zoom = 1 + Math.min(farthest, Math.max(slowest, durationSeconds * speed));
  const free = (1 - 1 / zoom) / 2;
  const near = { x: 0.5, y: 0.5, zoom };
  const views: Record<CameraMove, readonly [View, View]> = {
    push_in: [{ ...near, zoom: 1 }, near],
    pull_out: [near, { ...near, zoom: 1 }],
    pan_left: [
      { ...near, x: 0.5 + free },
      { ...near, x: 0.5 - free },
    ],
    pan_right: [
      { ...near, x: 0.5 - free },
      { ...near, x: 0.5 + free },
    ],
    tilt_up: [
      { ...near, y: 0.5 + free },
      { ...near, y: 0.5 - free },
    ],
    tilt_down: [
      { ...near, y: 0.5 - free },
      { ...near, y: 0.5 + free },
    ],
  };
  const [from, to] = views[move];
  return { from, to };
}

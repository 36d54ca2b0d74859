import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startService } from "../../scripts/demo/service.ts";
import { findFfmpeg } from "../../src/media/ffmpeg/ffmpeg.ts";
import { registerOn, type TestUser } from "../helpers/service.ts";
import { createExportRequest, exportVideo } from "./export-request.ts";
import { type Figure, report } from "./figures.ts";
import { drawFootage } from "./footage.ts";

/** Measures the response time of a simple request while the same process exports a video. */
const intervalMs = 20;
const folder = await mkdtemp(join(tmpdir(), "reelwright-bench-"));
const { path: ffmpeg } = await findFfmpeg(process.env.FFMPEG_PATH);
const { url, stop } = await startService(join(folder, "data"), { RATE_LIMIT: "off", FFMPEG_PATH: ffmpeg });

try {
  const user = await registerOn((path, init) => fetch(`${url}${path}`, init), "Ann");
  const { projectPath, request } = await createExportRequest(user, await drawFootage(ffmpeg, folder));
  const idle = await responseTimesDuring(user, projectPath, Bun.sleep(5000));
  const exporting = await responseTimesDuring(user, projectPath, exportVideo(user, request));
  report([figureOf("while idle", idle, ""), figureOf("while an export runs", exporting, "<= 50 ms")]);
} finally {
  await stop();
  await rm(folder, { recursive: true, force: true });
}

/** Repeats a GET until `work` ends; returns the milliseconds of each. */
async function responseTimesDuring(user: TestUser, path: string, work: Promise<unknown>): Promise<readonly number[]> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  const times: number[] = [];
  while (!isDone) {
    const startedAt = performance.now();
    await (await user.request(path)).arrayBuffer();
    times.push(performance.now() - startedAt);
    await Bun.sleep(intervalMs);
  }
  await done;
  return times;
}

function figureOf(when: string, times: readonly number[], goal: string): Figure {
  const sorted = times.toSorted((a, b) => a - b);
  const percentile = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
  const measured = `${percentile(0.99).toFixed(0)} ms (median ${percentile(0.5).toFixed(0)}, worst ${percentile(1).toFixed(0)}, of ${sorted.length})`;
  return { figure: `p99 of GET /api/projects/:id ${when}`, measured, goal };
}

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startService } from "../../scripts/demo-service.ts";
import { findFfmpeg } from "../../src/media/ffmpeg/ffmpeg.ts";
import { registerOn, type TestUser } from "../helpers/service.ts";
import { benchFilm, exportFilm } from "./bench-film.ts";
import { type Figure, report } from "./figures.ts";
import { drawFootage } from "./footage.ts";

/** How long others wait for an ordinary answer while the same process has a film rendered. */
const everyMs = 20;
const folder = await mkdtemp(join(tmpdir(), "reelwright-bench-"));
const { path: ffmpeg } = await findFfmpeg(process.env.FFMPEG_PATH);
const { url, stop } = await startService(join(folder, "data"), { RATE_LIMIT: "off", FFMPEG_PATH: ffmpeg });

try {
  const user = await registerOn((path, init) => fetch(`${url}${path}`, init), "Ann");
  const { projectPath, request } = await benchFilm(user, await drawFootage(ffmpeg, folder));
  const quiet = await waitsDuring(user, projectPath, Bun.sleep(5000));
  const busy = await waitsDuring(user, projectPath, exportFilm(user, request));
  report([figureOf("while nothing else happens", quiet, ""), figureOf("while an export runs", busy, "<= 50 ms")]);
} finally {
  await stop();
  await rm(folder, { recursive: true, force: true });
}

/** Milliseconds of one GET after the other, until `work` has ended. */
async function waitsDuring(user: TestUser, path: string, work: Promise<unknown>): Promise<readonly number[]> {
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  const waits: number[] = [];
  while (!isOver) {
    const begun = performance.now();
    await (await user.request(path)).arrayBuffer();
    waits.push(performance.now() - begun);
    await Bun.sleep(everyMs);
  }
  await over;
  return waits;
}

function figureOf(when: string, waits: readonly number[], goal: string): Figure {
  const sorted = waits.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
  const measured = `${at(0.99).toFixed(0)} ms (median ${at(0.5).toFixed(0)}, worst ${at(1).toFixed(0)}, of ${sorted.length})`;
  return { figure: `p99 of GET /api/projects/:id ${when}`, measured, goal };
}

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startService } from "../../scripts/demo/service.ts";
import { report } from "./figures.ts";
import { measureTime, medianOf } from "./measure.ts";

/** Measures the time from the command to the first 200 of /api/ready, on an empty and on an existing data folder. */
const runs = 3;
const folder = await mkdtemp(join(tmpdir(), "reelwright-bench-"));

/** Wall-clock seconds of one start. */
async function secondsToReady(dataDir: string): Promise<number> {
  const start = await measureTime(async () => {
    const service = await startService(dataDir);
    while (!(await fetch(`${service.url}/api/ready`)).ok);
    return service;
  });
  await start.result.stop();
  return start.wall;
}

try {
  const first: number[] = [];
  const again: number[] = [];
  for (let run = 0; run < runs; run++) {
    const dataDir = join(folder, `${run}`);
    first.push(await secondsToReady(dataDir));
    again.push(await secondsToReady(dataDir));
  }
  report([
    { figure: "start to ready, existing data folder", measured: `${medianOf(again).toFixed(2)} s`, goal: "<= 1.5 s" },
    { figure: "start to ready, empty data folder", measured: `${medianOf(first).toFixed(2)} s`, goal: "" },
  ]);
} finally {
  await rm(folder, { recursive: true, force: true });
}

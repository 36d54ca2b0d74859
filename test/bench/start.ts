import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startService } from "../../scripts/demo-service.ts";
import { report } from "./figures.ts";
import { medianOf, timed } from "./measure.ts";

/** From the command to the first 200 of /api/ready: on an empty data folder, and on one that has been used. */
const runs = 3;
const folder = await mkdtemp(join(tmpdir(), "reelwright-bench-"));

/** Wall seconds of one start. */
async function secondsToReady(dataDir: string): Promise<number> {
  const start = await timed(async () => {
    const service = await startService(dataDir);
    while (!(await fetch(`${service.url}/api/ready`)).ok);
    return service;
  });
  await start.result.stop();
  return start.wall;
}

try {
  const [first, again]: [number[], number[]] = [[], []];
  for (let run = 0; run < runs; run++) {
    const dataDir = join(folder, `${run}`);
    first.push(await secondsToReady(dataDir));
    again.push(await secondsToReady(dataDir));
  }
  report([
    { figure: "start to ready, existing data folder", measured: `${medianOf(again).toFixed(2)} s`, goal: "<= 1.5 s" },
    { figure: "start to ready, the first time", measured: `${medianOf(first).toFixed(2)} s`, goal: "" },
  ]);
} finally {
  await rm(folder, { recursive: true, force: true });
}

import { join } from "node:path";
import { findFfmpeg } from "../../src/media/ffmpeg/ffmpeg.ts";
import { type Figure, printTable } from "./figures.ts";

/** Every bench, or those named on the command line, as a process of its own; all figures in one table at the end. */
const systemFfmpeg = Bun.which("ffmpeg");
const ffmpegs = [(await findFfmpeg()).path, ...(systemFfmpeg ? [systemFfmpeg] : [])];
const benches = [
  ...["export", "frames"].flatMap((name) => ffmpegs.map((path) => ({ name, variables: { FFMPEG_PATH: path } }))),
  { name: "latency", variables: {} },
  { name: "options", variables: {} },
  { name: "upload", variables: {} },
  { name: "start", variables: {} },
];
const wanted = process.argv.slice(2);

const figures: Figure[] = [];
for (const { name, variables } of benches) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const bench = Bun.spawn([process.execPath, join(import.meta.dir, `${name}.ts`)], {
    env: { ...process.env, ...variables },
    stdio: ["ignore", "inherit", "inherit"],
    ipc: (measured: readonly Figure[]) => figures.push(...measured),
  });
  if ((await bench.exited) !== 0) process.exitCode = 1;
}
console.log("\nall figures");
printTable(figures);

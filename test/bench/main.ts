import { join } from "node:path";
import { findFfmpeg } from "../../src/media/ffmpeg/ffmpeg.ts";
import { type Figure, printTable } from "./figures.ts";

/** Runs all benches, or those named on the command line, each in its own process. Prints one table of all figures. */
const systemFfmpeg = Bun.which("ffmpeg");
const ffmpegs = [(await findFfmpeg()).path, ...(systemFfmpeg ? [systemFfmpeg] : [])];
const benches = [
  ...["films", "frames"].flatMap((name) => ffmpegs.map((path) => ({ name, variables: { FFMPEG_PATH: path } }))),
  ...ffmpegs.map((path) => ({ name: "camera-moves", variables: { FFMPEG_PATH: path } })),
  { name: "latency", variables: {} },
  { name: "options", variables: {} },
  { name: "upload", variables: {} },
  { name: "start", variables: {} },
];
const selected = process.argv.slice(2);

const figures: Figure[] = [];
for (const { name, variables } of benches) {
  if (selected.length > 0 && !selected.includes(name)) continue;
  const bench = Bun.spawn([process.execPath, join(import.meta.dir, `${name}.ts`)], {
    env: { ...process.env, ...variables },
    stdio: ["ignore", "inherit", "inherit"],
    ipc: (measured: readonly Figure[]) => figures.push(...measured),
  });
  if ((await bench.exited) !== 0) process.exitCode = 1;
}
console.log("\nall figures");
printTable(figures);

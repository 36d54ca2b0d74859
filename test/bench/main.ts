import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFfmpeg } from "../../src/engine/ffmpeg/ffmpeg.ts";
import { type Figure, printTable } from "./figures.ts";
import { footageFolder } from "./films/settings.ts";

/** Runs all benches, or those named on the command line, each in its own process. Prints one table of all figures. */
const systemFfmpeg = Bun.which("ffmpeg");
const ffmpegs = [(await findFfmpeg()).path, ...(systemFfmpeg ? [systemFfmpeg] : [])];
const perFfmpeg = ["films", "whole-way", "film-size", "tables", "frames", "previews", "layers"];
const benches = [
  ...perFfmpeg.flatMap((name) => ffmpegs.map((path) => ({ name, variables: { FFMPEG_PATH: path } }))),
  { name: "attacks", variables: {} },
  { name: "requests", variables: {} },
  // needs PostgreSQL's programs
  ...(existsSync("/usr/lib/postgresql")
    ? [
        { name: "statements", variables: {} },
        { name: "ordered-films", variables: {} },
      ]
    : []),
  ...(process.env.TEST_DATABASE_URL ? [{ name: "growth", variables: {} }] : []),
  { name: "telemetry", variables: {} },
  { name: "options", variables: {} },
  { name: "upload", variables: {} },
  { name: "client-types", variables: {} },
];
const selected = process.argv.slice(2);

// made once for all benches
const footage = footageFolder ?? (await mkdtemp(join(tmpdir(), "reelwright-footage-")));

const figures: Figure[] = [];
for (const { name, variables } of benches) {
  if (selected.length > 0 && !selected.includes(name)) continue;
  const bench = Bun.spawn([process.execPath, join(import.meta.dir, `${name}.ts`)], {
    env: { ...process.env, ...variables, BENCH_FOOTAGE: footage },
    stdio: ["ignore", "inherit", "inherit"],
    ipc: (measured: readonly Figure[]) => figures.push(...measured),
  });
  if ((await bench.exited) !== 0) process.exitCode = 1;
}
if (!footageFolder) await rm(footage, { recursive: true });
console.log("\nall figures");
printTable(figures);

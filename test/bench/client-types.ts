import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compilers, installClient, typeCheck } from "../support/client-package.ts";
import { report } from "./figures.ts";
import { medianOf } from "./measure.ts";

/** Measures what a type check of a project with the client's package costs its user. */
const runs = 5;
const folder = await mkdtemp(join(tmpdir(), "reelwright-bench-"));

type Check = { readonly wall: number; readonly cpu: number; readonly megabytes: number };

async function check(compiler: (typeof compilers)[number]): Promise<Check> {
  const startedAt = performance.now();
  const tsc = Bun.spawn([...typeCheck(compiler)], { cwd: folder, stdio: ["ignore", "inherit", "inherit"] });
  if ((await tsc.exited) !== 0) throw new Error(`The project does not compile with ${compiler}.`);
  const { cpuTime, maxRSS } = tsc.resourceUsage()!;
  return {
    wall: (performance.now() - startedAt) / 1000,
    cpu: Number(cpuTime.total) / 1e6,
    megabytes: maxRSS / 2 ** 20,
  };
}

try {
  await installClient(folder);
  for (const compiler of compilers) {
    const checks: Check[] = [];
    for (let run = 0; run < runs; run++) checks.push(await check(compiler));
    const wall = medianOf(checks.map((each) => each.wall));
    const cpu = medianOf(checks.map((each) => each.cpu));
    const megabytes = Math.max(...checks.map((each) => each.megabytes));
    report([
      {
        figure: `type check of a project with the client, ${compiler}`,
        measured: `${wall.toFixed(2)} s, ${cpu.toFixed(2)} s of CPU`,
        goal: "<= 3 s",
      },
      { figure: `its memory, ${compiler}`, measured: `${Math.round(megabytes)} MB`, goal: "<= 600 MB" },
    ]);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

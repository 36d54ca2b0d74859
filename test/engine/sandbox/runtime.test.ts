import { expect, test } from "bun:test";
import { existsSync, mkdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";

const runtime = join(import.meta.dir, "../../../src/engine/sandbox/runtime.ts");

test("the folder of programs of a killed process is removed, and that of a running one stays", async () => {
  const folder = await temporaryFolder();
  const ended = Bun.spawn(["true"]);
  await ended.exited;
  const [left, used] = [ended.pid, process.pid].map((pid) => join(folder, `reelwright-programs-${pid}-a`));
  for (const made of [left!, used!]) mkdirSync(made);

  // a process of its own: those of the tests use the folder of this one
  const program = `(await import(${JSON.stringify(runtime)})).programIn("src/main.ts")`;
  const { exitCode } = Bun.spawnSync([process.execPath, "-e", program], { env: { ...process.env, TMPDIR: folder } });

  expect([exitCode, existsSync(left!), existsSync(used!)]).toEqual([0, false, true]);
  await rm(folder, { recursive: true });
});

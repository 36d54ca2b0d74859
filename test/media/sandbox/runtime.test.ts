import { expect, test } from "bun:test";
import { existsSync, mkdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { programIn } from "../../../src/media/sandbox/runtime.ts";

test("the folder of programs of a killed process is removed, and that of a running one stays", async () => {
  const ended = Bun.spawn(["true"]);
  await ended.exited;
  const folderOf = (pid: number) => join(tmpdir(), `reelwright-programs-${pid}-${crypto.randomUUID()}`);
  const [left, used] = [folderOf(ended.pid), folderOf(process.pid)];
  for (const folder of [left, used]) mkdirSync(folder);

  // the folder of this process is made anew if somebody has swept it
  await rm(programIn("src/main.ts").folder, { recursive: true });
  programIn("src/main.ts");

  expect([existsSync(left), existsSync(used)]).toEqual([false, true]);
  await rm(used, { recursive: true });
});

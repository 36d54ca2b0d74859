import { join } from "node:path";
import type { Launch } from "../../../src/engine/sandbox/launch.ts";

const launcher = join(import.meta.dir, "../../../src/engine/sandbox/launch.ts");

const createRuleset = 444;

/** Loads the number of a system call, and answers this one as a kernel does that does not know it. */
const filter = [
  [0x20, 0],
  [0x15 | (1 << 24), createRuleset],
  [0x06, 0x00050026],
  [0x06, 0x7fff0000],
].flat();

/** A command that runs the one after it as on a machine without Landlock. */
export function withoutLandlock(): readonly string[] {
  const nothing = { executes: [], reads: [], writes: [], niceness: 0, keepsOutput: false, landlock: 0 };
  const limits = { memory: undefined, "CPU time": undefined, "file size": undefined };
  const launch: Launch = {
    ...nothing,
    ...{ parent: process.pid, folder: process.cwd(), filter },
    limits: { ...limits, "open files": undefined, "core dumps": undefined },
  };
  return [process.execPath, launcher, JSON.stringify(launch)];
}

import { afterEach, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { endOf, endStarted, spin, start } from "./watched-processes.ts";

afterEach(endStarted);

const knowsWaits = existsSync("/proc/self/schedstat") && Bun.which("taskset") !== null;

test.if(knowsWaits)("a process that gets no time from the machine is starved", async () => {
  const onOneCore = ["taskset", "-c", "0"];
  for (let others = 0; others < 3; others++) start(...onOneCore, "bash", "-c", spin);
  const starved = start(...onOneCore, "nice", "-n", "19", "bash", "-c", spin);
  expect(await endOf(starved, 2_000, 300)).toBe(true);
});

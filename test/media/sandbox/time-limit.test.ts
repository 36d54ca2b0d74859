import { afterEach, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { limitTime } from "../../../src/media/sandbox/time-limit.ts";

const spin = "while :; do :; done";
const running: Bun.Subprocess[] = [];
afterEach(() => {
  for (const { pid } of running.splice(0)) process.kill(pid, "SIGKILL");
});

function start(...command: readonly string[]): number {
  const started = Bun.spawn([...command]);
  running.push(started);
  return started.pid;
}

/** Whether the process was starved when its time was over. */
const endOf = (processId: number, milliseconds: number, clockMilliseconds: number) =>
  new Promise<boolean>((resolve) => void limitTime(processId, milliseconds, resolve, clockMilliseconds));

test("a process that works is out of time by what it has used", async () => {
  expect(await endOf(start("bash", "-c", spin), 100, 600_000)).toBe(false);
});

test("a process that sleeps is out of time by the clock", async () => {
  expect(await endOf(start("sleep", "1000"), 100, 2_000)).toBe(false);
});

const knowsWaits = existsSync("/proc/self/schedstat") && Bun.which("taskset") !== null;

test.if(knowsWaits)("a process that gets no time from the machine is starved", async () => {
  const onOneCore = ["taskset", "-c", "0"];
  for (let others = 0; others < 3; others++) start(...onOneCore, "bash", "-c", spin);
  const starved = start(...onOneCore, "nice", "-n", "19", "bash", "-c", spin);
  expect(await endOf(starved, 2_000, 300)).toBe(true);
});

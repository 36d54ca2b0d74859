import { limitTime } from "../../../src/engine/sandbox/time-limit.ts";

export const spin = "while :; do :; done";
const running: Bun.Subprocess[] = [];

export function start(...command: readonly string[]): number {
  const started = Bun.spawn([...command]);
  running.push(started);
  return started.pid;
}

export function endStarted(): void {
  for (const { pid } of running.splice(0)) process.kill(pid, "SIGKILL");
}

/** Whether the process was starved when its time was over. */
export const endOf = (processId: number, milliseconds: number, clockMilliseconds: number) =>
  new Promise<boolean>((resolve) => void limitTime(processId, milliseconds, resolve, clockMilliseconds));

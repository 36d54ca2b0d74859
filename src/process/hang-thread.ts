import { mkdirSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { workerData } from "node:worker_threads";

/** What the thread that watches is given. `beats` is incremented by the watched thread. */
export type HangWatch = {
  readonly beats: Int32Array;
  /** Ids of the exports that run, between spaces, up to the end of the line. */
  readonly note: Uint8Array;
  readonly tickMs: number;
  /** The process is ended after so many ticks without a beat. */
  readonly maxTicks: number;
  /** Where the note is written. */
  readonly folder: string;
};

const { beats, note, tickMs, maxTicks, folder }: HangWatch = workerData;

/** Hundredths of a second that the main thread has computed. Undefined on systems that do not tell. */
function mainThreadTicks(): number | undefined {
  try {
    const text = readFileSync(`/proc/self/task/${process.pid}/stat`, "utf8");
    // after the name, which may have spaces: user and system time are the fields 14 and 15
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return undefined;
  }
}

let seen = { beat: Atomics.load(beats, 0), cpu: mainThreadTicks(), ticks: 0 };

// own ticks are counted in place of the clock's time: a suspended machine stops both threads
setInterval(() => {
  const beat = Atomics.load(beats, 0);
  if (beat !== seen.beat) {
    seen = { beat, cpu: mainThreadTicks(), ticks: 0 };
    return;
  }
  seen.ticks++;
  if (seen.ticks < maxTicks || !hasComputed()) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${crypto.randomUUID()}.txt`), note.slice(0, Math.max(note.indexOf(10), 0)));
  writeSync(2, `The thread that answers has not turned for ${(maxTicks * tickMs) / 1000} s: the process ends.\n`);
  process.kill(process.pid, "SIGKILL");
}, tickMs);

/** False of a thread that waits, or for which the machine has no time. */
function hasComputed(): boolean {
  const cpu = mainThreadTicks();
  if (cpu === undefined || seen.cpu === undefined) return true;
  return (cpu - seen.cpu) * 10 >= (maxTicks * tickMs) / 2;
}

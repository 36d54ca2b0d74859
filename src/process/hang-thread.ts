import { mkdirSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { workerData } from "node:worker_threads";

/** The data of the watching thread. `beats` is incremented by the watched thread. */
export type HangWatch = {
  readonly beats: Int32Array;
  /** Ids of the running exports, separated by spaces, up to the end of the line. */
  readonly note: Uint8Array;
  readonly tickMs: number;
  /** The process is ended after this many ticks without a beat. */
  readonly maxTicks: number;
  /** The folder for the note. */
  readonly folder: string;
};

const { beats, note, tickMs, maxTicks, folder }: HangWatch = workerData;

/** CPU time of the main thread in hundredths of a second. Undefined on systems that do not report it. */
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

// counts its own ticks instead of the clock's time: a suspended machine stops both threads
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

/** False for a thread that waits or gets no CPU time. */
function hasComputed(): boolean {
  const cpu = mainThreadTicks();
  if (cpu === undefined || seen.cpu === undefined) return true;
  return (cpu - seen.cpu) * 10 >= (maxTicks * tickMs) / 2;
}

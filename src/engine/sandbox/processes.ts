import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TaskKind } from "./contract.ts";
import { startProcess, type TaskProcess } from "./task-process.ts";

type PooledProcess = {
  readonly process: TaskProcess;
  /** Undefined until its first task. It never changes: a compromised process sees nothing of other owners. */
  readonly owner: string | undefined;
  readonly tasksLeft: number;
  /** True if it holds Skia and fonts in memory. */
  readonly hasDrawn: boolean;
};

export type TakenProcess = PooledProcess & { readonly isNew: boolean };

type ProcessPool = {
  /** Throws busy if no process starts. */
  take(kind: string, owner: string): Promise<TakenProcess>;
  /** Keeps the process for further tasks of its owner. */
  release(process: PooledProcess): void;
  end(process: PooledProcess): void;
};

type PoolOptions = {
  /** The limit without spare processes. */
  readonly maxProcesses: number;
  readonly makeFolder?: (() => Promise<string>) | undefined;
  readonly spares: number;
  readonly program: string;
};

/** Fonts stay in memory, and native code may leak. */
const maxTasksPerProcess = 1000;

const maxIdleMilliseconds = 60_000;

/** CPU time for a spare process to load the drawing libraries. */
const startMilliseconds = 20_000;

/** Tasks that load no drawing libraries. */
const kindsWithoutSkia: ReadonlySet<string> = new Set([
  ...(["excerptVideo", "listKeyframes", "inspectTracks", "readSoundFormat"] satisfies readonly TaskKind[]),
]);

const loadsSkia = (kind: string): boolean => !kindsWithoutSkia.has(kind);

/** The owner of tasks without users' files: a process with only such tasks still has no owner. */
const service = "service";

const makeTemporaryFolder = () => mkdtemp(join(tmpdir(), "reelwright-tasks-"));

/**
 * Starts processes on demand. Idle ones wait for further tasks of their owner, for a minute; if there are too many, the
 * least recently used one ends. Spare ones wait for the next owner, with Skia in memory.
 */
export function processPool(options: PoolOptions): ProcessPool {
  const { maxProcesses, makeFolder = makeTemporaryFolder, spares, program } = options;
  /** The most recently used one is last. */
  const idle: PooledProcess[] = [];
  const starting: Promise<PooledProcess | undefined>[] = [];
  let busy = 0;

  const start = async (): Promise<PooledProcess> => {
    const process = await startProcess(await makeFolder(), program);
    return { process, owner: undefined, tasksLeft: maxTasksPerProcess, hasDrawn: false };
  };

  const startSpare = async (): Promise<PooledProcess | undefined> => {
    const spare = await start();
    const answer = await spare.process.run(
      { kind: "describeTextEngine", input: {} },
      { milliseconds: startMilliseconds },
    );
    return answer && { ...spare, hasDrawn: true };
  };

  const isSpare = ({ owner }: PooledProcess) => owner === undefined;

  const startSpares = (): void => {
    while (starting.length + idle.filter(isSpare).length < spares) starting.push(startSpare().catch(() => undefined));
  };

  // of those that have drawn, the most recently used one has the most fonts in memory; others are left to excerpts
  const takeIdle = (kind: string, owner: string | undefined): PooledProcess | undefined => {
    const own = idle.filter((process) => process.owner === owner);
    const taken = own.findLast(({ hasDrawn }) => hasDrawn === loadsSkia(kind)) ?? own.at(-1);
    if (taken) idle.splice(idle.indexOf(taken), 1);
    return taken;
  };

  const remove = (process: PooledProcess): void => {
    const index = idle.indexOf(process);
    if (index < 0) return;
    idle.splice(index, 1);
    process.process.kill();
  };

  const endSurplus = (): void => {
    const owned = idle.filter((process) => !isSpare(process));
    for (const process of owned.slice(0, Math.max(0, owned.length + busy - maxProcesses))) remove(process);
  };

  const end = ({ process }: PooledProcess): void => {
    busy--;
    process.kill();
  };

  return {
    async take(kind, owner) {
      busy++;
      try {
        const own = owner === service ? undefined : takeIdle(kind, owner);
        const known = own ?? takeIdle(kind, undefined) ?? (await starting.shift());
        endSurplus();
        const taken = known ?? (await start());
        startSpares();
        const owned = owner === service ? taken.owner : owner;
        return { ...taken, owner: owned, hasDrawn: taken.hasDrawn || loadsSkia(kind), isNew: !known };
      } catch (error) {
        busy--;
        throw error;
      }
    },

    release({ process, owner, tasksLeft, hasDrawn }) {
      const released = { process, owner, tasksLeft: tasksLeft - 1, hasDrawn };
      if (released.tasksLeft === 0) return end(released);
      busy--;
      idle.push(released);
      if (!isSpare(released)) setTimeout(() => remove(released), maxIdleMilliseconds).unref();
    },

    end,
  };
}

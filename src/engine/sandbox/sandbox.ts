import { join } from "node:path";
import { execa } from "execa";
import { onceSuccessful } from "../../platform/async.ts";
import { systemCallFilter } from "./filter.ts";
import type { Launch, Limits, Probed } from "./launch.ts";
import { executables, programIn, readable } from "./runtime.ts";

/** Resource limits of one process. */
export type JobLimits = {
  /** Unlimited if absent. */
  readonly cpuSeconds?: number;
  readonly fileBytes: number;
  /** Address space. */
  readonly memoryBytes: number;
  /** Scheduling priority below the server's own; `exportNiceness` if absent. */
  readonly niceness?: number;
};

const exportNiceness = 10;

/** The rights of a sandboxed program. Paths are absolute. */
export type Job = {
  readonly limits: JobLimits;
  /** The working directory. */
  readonly folder: string;
  /** Files, and folders with all their contents, that it may read. */
  readonly reads: readonly string[];
  /** Files that it may write, or folders in which it may create and remove files. */
  readonly writes: readonly string[];
  /** Files that it loads besides the system's and the service's own. */
  readonly executes?: readonly string[];
  /** True if it gets file descriptor 3. */
  readonly hasOutput?: boolean;
};

export type Started = { readonly command: readonly string[]; readonly cwd: string };

/** Starts programs with as few rights as this machine can enforce. */
export type Sandbox = {
  /** Names the layers in force and what they leave open, for the start-up log. */
  readonly description: string;
  readonly inForce: readonly string[];
  /** The names of the layers that this machine lacks or forbids. */
  readonly missing: readonly string[];
  /** The effects that sandboxed programs can still have on the rest of the machine. */
  readonly open: readonly string[];
  start(program: string, job: Job): Started;
  /** Starts one of our programs, which Bun runs, by its absolute path. */
  startOwn(program: string, job: Job): Started;
};

/** Probes once per process: the result does not change while the machine runs. */
export const findLayers = onceSuccessful(() => probeLayers());

export const findSandbox = async (): Promise<Sandbox> => sandboxOf(await findLayers());

/** A sandbox of these layers; tests omit some. */
export function sandboxOf(layers: Layers): Sandbox {
  const { inForce, missing } = layerNames(layers);
  const open = openRights(layers);
  const unavailable = missing.length > 0 ? ` (unavailable: ${missing.join(", ")})` : "";
  const start: Sandbox["start"] = layers.canLaunch ? (program, job) => launched(program, job, layers) : unlaunched;
  return {
    description: `${inForce.join(", ") || "none"}${unavailable}; open: ${open.join(", ")}`,
    inForce,
    missing,
    open,
    start,
    startOwn: (path, job) => {
      const { args, folder } = programIn(path);
      const { command, cwd } = start(process.execPath, { ...job, reads: [folder, ...job.reads] });
      return { command: [...command, ...args], cwd };
    },
  };
}

/** Starts programs on systems other than Linux with glibc. */
const unlaunched: Sandbox["start"] = (program, { folder, limits: { niceness = exportNiceness } }) => {
  const nice = Bun.which("nice");
  return { command: [...(nice ? [nice, "-n", `${niceness}`] : []), program], cwd: folder };
};

const launcher = join(import.meta.dir, "launch.ts");

function launched(program: string, job: Job, layers: Layers): Started {
  const { limits, folder, reads, writes, executes = [], hasOutput = false } = job;
  const launch: Launch = {
    parent: process.pid,
    folder,
    executes: [...executables, program, ...executes],
    reads: [...readable, ...reads],
    writes: ["/dev/null", ...writes],
    limits: limitsOf(limits),
    niceness: limits.niceness ?? exportNiceness,
    keepsOutput: hasOutput,
    landlock: layers.landlock,
    filter: layers.hasFilter ? systemCallFilter(layers.landlock) : [],
  };
  // a folder without configuration files that Bun would read, and where no job can create one
  return { command: [process.execPath, launcher, JSON.stringify(launch), program], cwd: import.meta.dir };
}

const limitsOf = ({ cpuSeconds, fileBytes, memoryBytes }: JobLimits): Limits => ({
  memory: memoryBytes,
  "CPU time": cpuSeconds,
  "file size": fileBytes,
  "open files": 1024,
  "core dumps": 0,
});

const probeMilliseconds = 60_000;

const nothing: Omit<Layers, "hasLowPriority"> = {
  ...{ canLaunch: false, landlock: 0, hasFilter: false, endsWithServer: false, limits: [] },
};

/** Gives up every right in a separate process and reports which layers hold. Throws if it does not end. */
async function probeLayers(): Promise<Layers> {
  const limits: JobLimits = { cpuSeconds: 60, fileBytes: 2 ** 30, memoryBytes: 2 ** 32 };
  const job: Job = { limits, folder: "/", reads: [], writes: [] };
  const { command, cwd } = launched("", job, { ...nothing, hasFilter: true, hasLowPriority: true });
  // without a program
  const [file, ...args] = command.slice(0, -1);
  const { stdout, failed, timedOut } = await execa(file!, args, {
    ...{ cwd, env: {}, extendEnv: false, stdin: "ignore", stderr: "ignore" },
    ...{ reject: false, timeout: probeMilliseconds },
  });
  if (timedOut) throw new Error("The sandbox of ffmpeg cannot be tested: a process does not end.");
  if (failed) return { ...nothing, hasLowPriority: Bun.which("nice") !== null };
  // safe because launch.ts prints it
  return { canLaunch: true, ...(JSON.parse(stdout) as Probed) };
}

/** The layers that hold on this machine. `canLaunch` is false where `launch.ts` cannot run: then there are none. */
export type Layers = Probed & { readonly canLaunch: boolean };

/** The limits that a machine may refuse, by the names of `launch.ts`. */
const limitNames = ["memory", "CPU time", "file size", "open files", "core dumps"];

/** The names of the layers, outermost first. */
function layerNames({ landlock, hasFilter, endsWithServer, limits, hasLowPriority }: Layers) {
  const unlimited = limitNames.filter((name) => !limits.includes(name));
  const layers: readonly (readonly [name: string, holds: boolean, detail?: string])[] = [
    ["killed with the server", endsWithServer],
    ["files", landlock > 0, `Landlock ${landlock}`],
    ["system calls", hasFilter, "seccomp"],
    ["resource limits", limits.length > 0],
    ["low priority", hasLowPriority],
  ];
  const inForce = layers.filter(([, holds]) => holds);
  const partial = limits.length > 0 ? unlimited.map((name) => `limit of ${name}`) : [];
  return {
    inForce: inForce.map(([name, , detail]) => (detail ? `${name} (${detail})` : name)),
    missing: [...layers.filter(([, holds]) => !holds).map(([name]) => name), ...partial],
  };
}

/** The effects that a compromised program can have on the rest of the machine, and the layers that prevent each. */
const closedBy: Readonly<Record<string, (layers: Layers) => boolean>> = {
  "other files": ({ landlock }) => landlock >= 1,
  "the server's environment and memory": ({ landlock }) => landlock >= 1,
  truncate: ({ landlock, hasFilter }) => hasFilter || landlock >= 3,
  TCP: ({ landlock, hasFilter }) => hasFilter || landlock >= 4,
  UDP: ({ hasFilter }) => hasFilter,
  "abstract sockets": ({ landlock, hasFilter }) => hasFilter || landlock >= 6,
  signals: ({ landlock, hasFilter }) => hasFilter || landlock >= 6,
  "Unix sockets": ({ hasFilter }) => hasFilter,
  chmod: ({ hasFilter }) => hasFilter,
  // it uses system calls that take paths, so only a private root would prevent it
  stat: () => false,
};

/** The effects that these layers leave open. */
const openRights = (layers: Layers): readonly string[] =>
  Object.entries(closedBy).flatMap(([name, isClosed]) => (isClosed(layers) ? [] : [name]));

import { execa } from "execa";

/** Resource limits of one process. */
export type JobLimits = {
  /** Unlimited if absent. */
  readonly cpuSeconds?: number;
  readonly fileBytes: number;
  /** Of address space. */
  readonly memoryBytes: number;
  /** Scheduling priority below the server's own; `exportNiceness` if absent. */
  readonly niceness?: number;
};

const exportNiceness = 10;

/** Wraps a command line so that the program runs with as few rights as this machine can enforce. */
export type Sandbox = {
  /** Names the active layers, for the start-up log. */
  readonly description: string;
  /** The names of layers that this machine lacks or forbids. */
  readonly missing: readonly string[];
  wrap(program: string, limits: JobLimits): readonly string[];
};

type Layer = {
  readonly name: string;
  readonly tool: string;
  readonly args: (limits: JobLimits) => readonly string[];
};

/**
 * Outermost first. Each tool execs the next, so the process keeps one id and signals reach the program itself.
 * - setpriv: the kernel kills the process when the server dies, and setuid binaries grant it no rights.
 * - prlimit: limits memory, CPU time, file size and open files; no core dumps.
 * - unshare: an empty network namespace, created in a user namespace so that it requires no privileges.
 * - nice: the server's own work has priority.
 */
const layers: readonly Layer[] = [
  { name: "killed with the server", tool: "setpriv", args: () => ["--pdeathsig", "KILL", "--no-new-privs"] },
  { name: "resource limits", tool: "prlimit", args: limitArgs },
  { name: "no network", tool: "unshare", args: () => ["--map-root-user", "--net"] },
  { name: "low priority", tool: "nice", args: ({ niceness = exportNiceness }) => ["-n", `${niceness}`] },
];

function limitArgs({ cpuSeconds, fileBytes, memoryBytes }: JobLimits) {
  return [
    `--as=${memoryBytes}`,
    `--cpu=${cpuSeconds ?? "unlimited"}`,
    `--fsize=${fileBytes}`,
    "--nofile=1024",
    "--core=0",
  ];
}

const probeLimits: JobLimits = { cpuSeconds: 60, fileBytes: 2 ** 30, memoryBytes: 2 ** 32 };

type Wrapper = (limits: JobLimits) => readonly string[];

let cached: Promise<Sandbox> | undefined;

/** Probes once per process: the result does not change while the machine runs. */
export const findSandbox = (): Promise<Sandbox> => {
  cached ??= probeLayers();
  return cached;
};

/** Tries each layer around a harmless program; skips the layers that this machine lacks or forbids. */
async function probeLayers(): Promise<Sandbox> {
  const harmless = Bun.which("true");
  const active: Layer[] = [];
  let wrapper: Wrapper = () => [];
  for (const layer of harmless ? layers : []) {
    const candidate = addLayer(wrapper, layer);
    if (!candidate || !(await succeeds([...candidate(probeLimits), harmless!]))) continue;
    wrapper = candidate;
    active.push(layer);
  }
  const missing = layers.filter((layer) => !active.includes(layer));
  return {
    description: describe(active, missing),
    missing: missing.map(({ name }) => name),
    wrap: (program, limits) => [...wrapper(limits), program],
  };
}

function addLayer(outer: Wrapper, { tool, args }: Layer): Wrapper | undefined {
  // an absolute path, because jobs run with an empty environment
  const path = Bun.which(tool);
  return path ? (limits) => [...outer(limits), path, ...args(limits)] : undefined;
}

async function succeeds([file, ...args]: readonly string[]): Promise<boolean> {
  const { failed } = await execa(file!, args, { reject: false, stdio: "ignore", timeout: 5_000 });
  return !failed;
}

const namesOf = (some: readonly Layer[]) => some.map(({ name }) => name).join(", ");

const describe = (active: readonly Layer[], missing: readonly Layer[]) =>
  [active.length > 0 ? namesOf(active) : "none", missing.length > 0 ? `(unavailable: ${namesOf(missing)})` : ""]
    .join(" ")
    .trim();

import { execa } from "execa";

/** What a job may use at most. */
export type JobLimits = {
  readonly cpuSeconds: number;
  readonly fileBytes: number;
  readonly memoryBytes: number;
  /** How far behind the server's own work it stands; that of films when absent. */
  readonly niceness?: number;
};

const filmNiceness = 10;

/** A command line that starts a program with as few rights as this machine can take away. */
export type Sandbox = {
  /** What holds a job here, for the log of the start. */
  readonly description: string;
  wrap(program: string, limits: JobLimits): readonly string[];
};

type Layer = {
  readonly name: string;
  readonly tool: string;
  readonly args: (limits: JobLimits) => readonly string[];
};

/** Outermost first. Each execs the next, so the process keeps one id and signals reach the program itself. */
const layers: readonly Layer[] = [
  { name: "dies with the server", tool: "setpriv", args: () => ["--pdeathsig", "KILL", "--no-new-privs"] },
  { name: "limits", tool: "prlimit", args: limitArgs },
  { name: "no network", tool: "unshare", args: () => ["--map-root-user", "--net"] },
  { name: "nice", tool: "nice", args: ({ niceness = filmNiceness }) => ["-n", `${niceness}`] },
];

function limitArgs({ cpuSeconds, fileBytes, memoryBytes }: JobLimits) {
  return [`--as=${memoryBytes}`, `--cpu=${cpuSeconds}`, `--fsize=${fileBytes}`, "--nofile=1024", "--core=0"];
}

const roomy: JobLimits = { cpuSeconds: 60, fileBytes: 2 ** 30, memoryBytes: 2 ** 32 };

type Wrapper = (limits: JobLimits) => readonly string[];

let found: Promise<Sandbox> | undefined;

/** What this machine can take away does not change, so it is tried once. */
export const findSandbox = (): Promise<Sandbox> => {
  found ??= tryLayers();
  return found;
};

/** Tries each layer; what this machine lacks or forbids is left out. */
async function tryLayers(): Promise<Sandbox> {
  const harmless = Bun.which("true");
  const held: Layer[] = [];
  let wrapper: Wrapper = () => [];
  for (const layer of harmless ? layers : []) {
    const candidate = inside(wrapper, layer);
    if (!candidate || !(await works([...candidate(roomy), harmless!]))) continue;
    wrapper = candidate;
    held.push(layer);
  }
  const missing = layers.filter((layer) => !held.includes(layer));
  return { description: describe(held, missing), wrap: (program, limits) => [...wrapper(limits), program] };
}

function inside(outer: Wrapper, { tool, args }: Layer): Wrapper | undefined {
  // by its full path, because a job runs with an empty environment
  const path = Bun.which(tool);
  return path ? (limits) => [...outer(limits), path, ...args(limits)] : undefined;
}

async function works([file, ...args]: readonly string[]): Promise<boolean> {
  const { failed } = await execa(file!, args, { reject: false, stdio: "ignore", timeout: 5_000 });
  return !failed;
}

const names = (some: readonly Layer[]) => some.map(({ name }) => name).join(", ");

const describe = (held: readonly Layer[], missing: readonly Layer[]) =>
  [held.length > 0 ? names(held) : "none", missing.length > 0 ? `(not here: ${names(missing)})` : ""].join(" ").trim();

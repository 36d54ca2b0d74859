import { dlopen, ptr } from "bun:ffi";

/**
 * The program that becomes a sandboxed one: `bun launch.ts <Launch as JSON> <program> <arguments>`. It gives up rights
 * and calls execv from the same thread, because Landlock and seccomp bind one thread and Bun has several before its
 * first line; exec ends the others. It imports none of our modules, so that it starts fast.
 */
export type Launch = {
  /** The server's process: the program ends with it. */
  readonly parent: number;
  /** The program's working directory. Bun reads configuration files in its own, which no program can write. */
  readonly folder: string;
  /** Files, and folders with all their contents: programs and what they load. */
  readonly executes: readonly string[];
  readonly reads: readonly string[];
  /** These can be read as well. In a folder, files can be created and removed. */
  readonly writes: readonly string[];
  readonly limits: Limits;
  /** Added to the niceness of the server. */
  readonly niceness: number;
  /** True if file descriptor 3 stays open. */
  readonly keepsOutput: boolean;
  /** The version of Landlock; 0 for none. */
  readonly landlock: number;
  /** The seccomp filter, two words for each instruction; null stands for the program's process id. Empty for none. */
  readonly filter: readonly (number | null)[];
};

/** `memory` is address space. None is raised above the server's own. */
export type Limits = { readonly [Name in keyof typeof resources]: number | undefined };

/** The output of a probe: the layers that hold. */
export type Probed = {
  readonly landlock: number;
  readonly hasFilter: boolean;
  readonly endsWithServer: boolean;
  readonly limits: readonly string[];
  readonly hasLowPriority: boolean;
};

const resources = { memory: 9, "CPU time": 0, "file size": 1, "open files": 7, "core dumps": 4 } as const;

const word = "u64";
const { symbols: c } = dlopen("libc.so.6", {
  syscall: { args: ["i64", word, word, word, word], returns: "i64" },
  prctl: { args: ["i32", word, word, word, word], returns: "i32" },
  open: { args: ["ptr", "i32"], returns: "i32" },
  chdir: { args: ["ptr"], returns: "i32" },
  fcntl: { args: ["i32", "i32", "i32"], returns: "i32" },
  signal: { args: ["i32", word], returns: word },
  getrlimit: { args: ["i32", "ptr"], returns: "i32" },
  setrlimit: { args: ["i32", "ptr"], returns: "i32" },
  setpriority: { args: ["i32", "i32", "i32"], returns: "i32" },
  getpriority: { args: ["i32", "i32"], returns: "i32" },
  execv: { args: ["ptr", "ptr"], returns: "i32" },
});

const text = (value: string) => Buffer.from(`${value}\0`);
const systemCall = (number: bigint, ...[one = 0, two = 0, three = 0, four = 0]: readonly number[]): number =>
  Number(c.syscall(number, one, two, three, four));

const setDeathSignal = 1;
const setNoNewPrivileges = 38;
const killed = 9;

/** The kernel ends the program when the server ends. */
const endWithServer = (parent: number): boolean =>
  c.prctl(setDeathSignal, killed, 0, 0, 0) === 0 && process.ppid === parent;

/** The lower of the wanted limit and the existing one. */
function allowedLimit(resource: number, wanted = Number.POSITIVE_INFINITY): bigint {
  const pair = new BigUint64Array(2);
  c.getrlimit(resource, pair);
  const hard = pair[1]!;
  return wanted < Number(hard) ? BigInt(wanted) : hard;
}

const limitResource = (resource: number, wanted?: number): boolean =>
  c.setrlimit(resource, new BigUint64Array(2).fill(allowedLimit(resource, wanted))) === 0;

/** Sets all limits except memory, which `become` sets. */
const limitResources = (limits: Limits): readonly string[] =>
  Object.entries(resources).flatMap(([name, resource]) =>
    resource === resources.memory || limitResource(resource, limits[name as keyof Limits]) ? [name] : [],
  );

const lowerPriority = (by: number): boolean => c.setpriority(0, 0, c.getpriority(0, 0) + by) === 0;

const landlockCreate = 444n;
const landlockAdd = 445n;
const landlockRestrict = 446n;

const landlockVersion = (): number => Math.max(0, systemCall(landlockCreate, 0, 0, 1));

const right = { execute: 1, write: 2, read: 4, list: 8, remove: 32, create: 256, truncate: 1 << 14 };
const execute = right.execute | right.read | right.list;
const read = right.read | right.list;
const write = read | right.write | right.remove | right.create | right.truncate;
const ofFiles = right.execute | right.write | right.read | right.truncate;

/** The rights over files that a version knows: 13, moves between folders, truncation, device controls. */
const fileRights = (version: number): number => 2 ** (13 + [2, 3, 5].filter((from) => version >= from).length) - 1;
const tcp = 3;
const signalsAndAbstractSockets = 3;

/** No other file can be opened afterwards. */
function restrictFiles({ landlock, executes, reads, writes }: Launch): boolean {
  const known = fileRights(landlock);
  const attributes = [known, landlock >= 4 ? tcp : 0, landlock >= 6 ? signalsAndAbstractSockets : 0];
  const rules = systemCall(landlockCreate, ptr(new BigUint64Array(attributes.map(BigInt))), 24);
  const allow = (rights: number) => (path: string) => allowPath(rules, path, rights & known);
  executes.forEach(allow(execute));
  reads.forEach(allow(read));
  writes.forEach(allow(write));
  return systemCall(landlockRestrict, rules) === 0;
}

const openPath = 0o10000000;
const closeOnExec = 0o2000000;

/** A path that does not exist cannot be opened in any case. A symbolic link allows its target. */
function allowPath(rules: number, path: string, rights: number): void {
  const file = c.open(text(path), openPath | closeOnExec);
  if (file < 0) return;
  const add = (some: number) => {
    const rule = new DataView(new ArrayBuffer(12));
    rule.setBigUint64(0, BigInt(some), true);
    rule.setInt32(8, file, true);
    return systemCall(landlockAdd, rules, 1, ptr(rule.buffer)) === 0;
  };
  // the rights of folders are invalid for a file
  if (!add(rights)) add(rights & ofFiles);
}

const seccomp = process.arch === "arm64" ? 277n : 317n;
const setFilter = 1;
const keepSpeculation = 4;

function filterSystemCalls(filter: Launch["filter"]): boolean {
  const instructions = new Uint32Array(filter.map((value) => value ?? process.pid));
  const program = new BigUint64Array([BigInt(filter.length / 2), BigInt(ptr(instructions))]);
  return systemCall(seccomp, setFilter, keepSpeculation, ptr(program)) === 0;
}

/** Bun ignores these signals, and a program would inherit that. */
const ignoredByBun = { brokenPipe: 13, fileTooLarge: 25 };

/** Sets the limit of memory, in KiB, and becomes the program. */
const shellScript = 'ulimit -v "$1" && shift && exec "$@"';

/** A thread of Bun that cannot get memory would crash before the program begins, so a shell sets that limit. */
function become(command: readonly string[], { folder, limits, keepsOutput }: Launch): never {
  for (const signal of Object.values(ignoredByBun)) c.signal(signal, 0);
  // exec would close it
  if (keepsOutput) c.fcntl(3, 2, 0);
  const kibibytes = `${allowedLimit(resources.memory, limits.memory) / 1024n}`;
  if (limits.memory !== undefined) replaceBy("/bin/sh", ["sh", "-ec", shellScript, "sh", kibibytes, ...command]);
  // fallback without a shell
  if (limits.memory !== undefined) limitResource(resources.memory, limits.memory);
  replaceBy(command[0]!, command);
  throw new Error(`${command[0]} cannot be started in ${folder}.`);
}

/** Returns only if it fails. */
function replaceBy(program: string, args: readonly string[]): void {
  const strings = args.map(text);
  c.execv(text(program), new BigUint64Array([...strings.map((string) => BigInt(ptr(string))), 0n]));
}

function require(holds: boolean, layer: string): void {
  if (!holds) throw new Error(`The sandbox's layer "${layer}" does not hold.`);
}

/** Gives up the rights that each layer removes. */
function probe(launch: Launch): Probed {
  const endsWithServer = endWithServer(launch.parent);
  const hasLowPriority = lowerPriority(launch.niceness);
  c.prctl(setNoNewPrivileges, 1, 0, 0, 0);
  const landlock = landlockVersion();
  const isRestricted = landlock > 0 && restrictFiles({ ...launch, landlock });
  const hasFilter = filterSystemCalls(launch.filter);
  return {
    landlock: isRestricted ? landlock : 0,
    hasFilter,
    endsWithServer,
    limits: limitResources(launch.limits),
    hasLowPriority,
  };
}

function run(launch: Launch, command: readonly string[]): never {
  require(endWithServer(launch.parent), "killed with the server");
  require(c.chdir(text(launch.folder)) === 0, "folder");
  lowerPriority(launch.niceness);
  c.prctl(setNoNewPrivileges, 1, 0, 0, 0);
  if (launch.landlock > 0) require(restrictFiles(launch), "files");
  if (launch.filter.length > 0) require(filterSystemCalls(launch.filter), "system calls");
  limitResources(launch.limits);
  become(command, launch);
}

if (import.meta.main) {
  const [json, ...command] = process.argv.slice(2);
  // safe because only sandbox.ts starts this program
  const launch = JSON.parse(json!) as Launch;
  if (command.length > 0) run(launch, command);
  process.stdout.write(JSON.stringify(probe(launch)));
}

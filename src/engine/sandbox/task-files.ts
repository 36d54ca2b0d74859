import { constants } from "node:fs";
import { copyFile, link, lstat, mkdir, open, readdir, realpath, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { oncePer } from "../../platform/async.ts";
import { ifMissing } from "../../platform/files.ts";

/** The fields of inputs that hold paths of files to read: one, a list or a record of them. */
const readFields = ["path", "paths", "source", "font", "tiles", "ground"] as const;
/** The fields that hold paths of files to write, or their prefixes. */
const writeFields = ["output", "outputs"] as const;
const prefixField = "pathPrefix";

type Input = Readonly<Record<string, unknown>>;

/** The folders of one process: the files that it reads, and the only folder that it can write. */
export type TaskFolders = { readonly root: string; readonly reads: string; readonly writes: string };

export async function makeTaskFolders(root: string): Promise<TaskFolders> {
  const folders = { root, reads: join(root, "in"), writes: join(root, "out") };
  for (const path of [folders.reads, folders.writes]) await mkdir(path);
  return folders;
}

/** The input of a task as its process sees it. */
export type PlacedTask = {
  readonly input: Input;
  /** Moves the files that the task wrote to the requested paths. */
  collect(): Promise<void>;
};

/**
 * Links the files that a task reads into the folder of its process, because it can open no others. The folder is not
 * writable: a link in a writable one would let the task change the stored file.
 */
export async function placeTask(input: Input, { reads, writes }: TaskFolders): Promise<PlacedTask> {
  const outputs = new Map<string, string>();
  const prefixes = new Map<string, string>();
  let count = 0;
  const newName = () => `${count++}`;
  const place = oncePer(
    (path: string) => path,
    (path) => placeFile(path, join(reads, newName())),
  );
  const written = async (path: string) => {
    const name = newName();
    outputs.set(name, path);
    return join(writes, name);
  };
  const seen: Record<string, unknown> = { ...input };
  for (const field of readFields) seen[field] = await mapPaths(input[field], place);
  for (const field of writeFields) seen[field] = await mapPaths(input[field], written);
  const prefix = input[prefixField];
  if (typeof prefix === "string") {
    const name = newName();
    prefixes.set(name, prefix);
    seen[prefixField] = join(writes, name);
  }
  return { input: seen, collect: () => collect(writes, outputs, prefixes) };
}

/** Maps the paths in a string, a list or a record. */
async function mapPaths(value: unknown, map: (path: string) => Promise<string>): Promise<unknown> {
  if (typeof value === "string") return await map(value);
  if (Array.isArray(value)) return await Promise.all(value.map((item) => mapPaths(item, map)));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(async ([key, item]) => [key, await mapPaths(item, map)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

/** A file that does not exist is missing for the task as well. */
async function placeFile(from: string, to: string): Promise<string> {
  const file = await realpath(from).catch(() => undefined);
  if (file === undefined) return to;
  // a link fails across file systems, and where a file system has none
  const copy = () => copyFile(file, to, constants.COPYFILE_FICLONE);
  await link(file, to).catch(copy).catch(ifMissing(undefined));
  return to;
}

/** Takes regular files of the expected names only. */
async function collect(
  folder: string,
  outputs: ReadonlyMap<string, string>,
  prefixes: ReadonlyMap<string, string>,
): Promise<void> {
  for (const file of await readdir(folder)) {
    const [, name = "", rest = ""] = /^(\d+)(-\d+\.(?:png|pam|rgba))?$/.exec(file) ?? [];
    const to = rest === "" ? outputs.get(name) : prefixes.has(name) ? prefixes.get(name) + rest : undefined;
    const from = join(folder, file);
    if (to === undefined || !(await lstat(from)).isFile()) continue;
    await rename(from, to).catch(() => copyFile(from, to));
  }
}

/** Removes the contents of a process's folders, so that the next task finds nothing of this one. */
export async function emptyFolders({ reads, writes }: TaskFolders): Promise<void> {
  for (const folder of [reads, writes]) {
    for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
  }
}

/** More than any image that is returned or sent to a model. */
const maxBytes = 256 * 2 ** 20;

/** Reads a file that a task wrote. Whatever a process has put at its path, reading ends and takes little memory. */
export async function readOutput(path: string): Promise<Uint8Array> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const { size } = await file.stat();
    if (size > maxBytes) throw new Error("The output of a task is too large.");
    return await file.readFile();
  } finally {
    await file.close();
  }
}

import { lstatSync } from "node:fs";
import { lstat, open, rm } from "node:fs/promises";
import { isAbsolute, resolve } from "node:path";
import { type Command, inputsOf } from "../../compiler/command.ts";

/** Inputs that are not in the job's folder, or symbolic links in it. */
export const inputsElsewhere = (command: Command, folder: string): readonly string[] =>
  inputsOf(command).filter((path) => isAbsolute(path) && (!path.startsWith(`${folder}/`) || isLink(path)));

const isLink = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;

/**
 * Creates what the command writes, because it may write these files alone: a folder in which it could create files would
 * let it change the stored files that are linked into it.
 */
export const createOutputs = ({ writes }: Command, folder: string): Promise<readonly string[]> =>
  Promise.all(writes.map((path) => createFile(resolve(folder, path))));

async function createFile(path: string): Promise<string> {
  const create = () => open(path, "wx").then((file) => file.close());
  await create().catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
    const { nlink } = await lstat(path);
    if (nlink === 1) return;
    // another name of a stored file
    await rm(path);
    await create();
  });
  return path;
}

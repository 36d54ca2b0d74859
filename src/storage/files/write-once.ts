import { readFile, writeFile } from "node:fs/promises";

/** Writes a private file unless it is there, and answers what it holds: of several writers the first one decides. */
export async function writeOnce(path: string, text: string): Promise<string> {
  await writeFile(path, text, { mode: 0o600, flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  return readFile(path, "utf8");
}

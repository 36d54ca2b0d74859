import { constants } from "node:fs";
import { open } from "node:fs/promises";

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

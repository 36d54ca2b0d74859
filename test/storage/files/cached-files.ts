import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

/** The files of the cache in a folder. */
export async function cachedFilesIn(folder: string): Promise<string[]> {
  const entries = await readdir(join(folder, "cache"), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** The bytes that the cache holds now; a file that is removed meanwhile counts nothing. */
export async function cachedBytesIn(folder: string): Promise<number> {
  const sizes = (await cachedFilesIn(folder)).map((path) =>
    stat(path).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { sha256Of } from "../../platform/values.ts";

/** Opening a file and reading it by chunks costs more than hashing most segments. */
const chunkBytes = 2 ** 20;

/** Returns hexadecimal digits. */
export async function sha256OfFile(path: string): Promise<string> {
  const file = Bun.file(path);
  if (file.size < chunkBytes) return sha256Of(await file.bytes());
  const hash = createHash("sha256");
  const handle = await open(path);
  try {
    // one buffer, because a stream leaves as much garbage as the file has bytes
    const buffer = Buffer.allocUnsafe(chunkBytes);
    const readChunk = async () => (await handle.read(buffer, 0, chunkBytes)).bytesRead;
    for (let size = await readChunk(); size > 0; size = await readChunk()) hash.update(buffer.subarray(0, size));
    return hash.digest("hex");
  } finally {
    await handle.close();
  }
}

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";

/** A stream costs more than to hash most segments. */
const streamFromBytes = 2 ** 20;

/** Hex. */
export async function sha256OfFile(path: string): Promise<string> {
  const file = Bun.file(path);
  if (file.size < streamFromBytes)
    return createHash("sha256")
      .update(await file.bytes())
      .digest("hex");
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) hash.update(chunk);
  return hash.digest("hex");
}

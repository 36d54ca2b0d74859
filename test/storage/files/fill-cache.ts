import { writeSync } from "node:fs";
import { join } from "node:path";
import { diskRenderCache } from "../../../src/storage/files/render-cache.ts";

/** Adds entries of 8 KiB to the cache in a folder until the process is killed. Prints a line after each. */
const [folder = "", limit = ""] = process.argv.slice(2);
const cache = diskRenderCache(folder, Number(limit));
const path = join(folder, crypto.randomUUID());
await Bun.write(path, "x".repeat(8192));
for (;;) {
  const hash = new Bun.CryptoHasher("sha256").update(crypto.randomUUID()).digest("hex");
  await cache.put([{ key: `proj/${hash}`, path }]);
  // throws once nobody reads it, which ends a process that its test left behind
  writeSync(1, "added\n");
}

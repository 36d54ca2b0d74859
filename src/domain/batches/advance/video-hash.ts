import type { ExportState } from "../../exports/jobs.ts";
import type { FileStore } from "../../files/file-store.ts";

export async function sha256Of({ read }: Pick<FileStore, "read">, { key, sizeBytes }: ExportState["files"][number]) {
  const hash = new Bun.CryptoHasher("sha256");
  for await (const chunk of await read({ key, sizeBytes }, 0, sizeBytes)) hash.update(chunk);
  return hash.digest("hex");
}

import { existsSync } from "node:fs";
import { Readable } from "node:stream";
import type { FileStore, StoredFile } from "../../src/domain/files/file-store.ts";
import { newId } from "../../src/domain/shared/ids.ts";

/** A file in the store that calls itself a picture; its bytes are none. */
export async function storedFile(files: FileStore, projectId: string): Promise<StoredFile> {
  const received = await files.receive(Readable.from([Buffer.from("bytes")]), 100);
  const key = `${projectId}/${newId("media")}.png`;
  await files.keep(received, key);
  const facts = { kind: "image", container: "png", mimeType: "image/png", extension: "png" } as const;
  return { key, sizeBytes: received.sizeBytes, sha256: received.sha256, filename: "a.png", facts };
}

export const isThere = async (files: FileStore, { key }: StoredFile): Promise<boolean> =>
  existsSync(await files.localPath(key));

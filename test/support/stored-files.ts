import { access } from "node:fs/promises";
import { Readable } from "node:stream";
import { newId } from "../../src/domain/shared/ids.ts";
import type { FileStore, StoredFile } from "../../src/engine/ports.ts";

/** A stored file that has the facts of an image but other bytes. */
export async function storedFile(files: FileStore, projectId: string): Promise<StoredFile> {
  const received = await files.receive(Readable.from([Buffer.from("bytes")]), 100);
  const key = `${projectId}/${newId("media")}.png`;
  await files.store(received, key);
  const facts = { kind: "image", container: "png", mimeType: "image/png", extension: "png" } as const;
  return { key, sizeBytes: received.sizeBytes, sha256: received.sha256, filename: "a.png", facts };
}

export const isStored = (files: FileStore, { key }: Pick<StoredFile, "key">): Promise<boolean> =>
  files.withLocalFile({ key }, access).then(
    () => true,
    () => false,
  );

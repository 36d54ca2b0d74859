import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { openBucket } from "../../../src/storage/s3/bucket.ts";
import { s3Files } from "../../../src/storage/s3/files.ts";
import type { StoreAccess } from "../../../src/storage/s3/request.ts";
import { s3Server } from "../../support/s3-server.ts";

export const gibibyte = 1024 ** 3;

/** A store, and machines with folders of their own that keep files in it. */
export async function machines() {
  const server = s3Server();
  const folder = await mkdtemp(join(tmpdir(), "reelwright-s3-"));
  const newFolder = () => mkdtemp(join(folder, "machine-"));

  const open = (access: StoreAccess, dataDir = folder, scratchBytes = gibibyte) =>
    s3Files({ bucket: openBucket(access, { prefix: "tests/" }), dataDir, scratchBytes, hasPublicUrls: false });

  /** Two machines that share a bucket; `near` has stored a file under `key`. */
  async function twoMachines(bytes: Buffer, farScratchBytes = gibibyte) {
    const access = server.newBucket();
    const near = await open(access, await newFolder());
    const farFolder = await newFolder();
    const far = await open(access, farFolder, farScratchBytes);
    const received = await near.receive(Readable.from([bytes]), bytes.length);
    const key = "project/video.mp4";
    await near.store(received, key);
    const file = { key, sizeBytes: bytes.length, sha256: received.sha256 };
    const object = server.objectsOf(access);
    return { access, near, far, farFolder, file, object };
  }

  const close = async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { server, folder, open, twoMachines, close };
}

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import type { Engine } from "../../domain/provenance/statement.ts";
import { engineVersion } from "./cache-keys.ts";
import type { RendererDeps } from "./prepare.ts";

/** Read once in a process: the program is not replaced while it is in use. */
export function engineOf({ ffmpeg, canvas, version }: RendererDeps): () => Promise<Engine> {
  let program: Promise<string> | undefined;
  return async () => {
    program ??= hashOf(ffmpeg.path);
    return {
      reelwright: version,
      renderer: engineVersion,
      ffmpeg: { version: ffmpeg.version, sha256: await program },
      texts: await canvas.textEngine(),
    };
  };
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

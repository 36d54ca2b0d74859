import { copyFile, link, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { sha256Of } from "../platform/values.ts";
import { createEngine, type Engine } from "./engine.ts";
import { findFfmpeg } from "./ffmpeg/ffmpeg.ts";
import type { FileStore, RenderCache } from "./ports.ts";
import type { Source } from "./timeline/source.ts";

/** The engine without a service: files are identified by their paths, and results are not cached. */
export type StandaloneEngine = Engine & {
  /** Inspects a file for a timeline. Throws unsupported_media_type. */
  open(path: string): Promise<Source>;
};

/** `ffmpegPath` is like the setting FFMPEG_PATH. */
export async function openEngine({ ffmpegPath }: { readonly ffmpegPath?: string } = {}): Promise<StandaloneEngine> {
  const engine = createEngine({
    ffmpeg: await findFfmpeg(ffmpegPath),
    files: filesByPath,
    leases: { acquire: async () => true, renew: async () => [], release: async () => {} },
    caches: { segments: noCache, frames: noCache },
    concurrency: 2,
  });
  return {
    ...engine,
    async open(path) {
      const bytes = await Bun.file(path).bytes();
      const facts = await engine.inspector.inspect(path, { owner });
      return { file: resolve(path), hash: sha256Of(bytes), sizeBytes: bytes.length, facts };
    },
  };
}

/** The only owner of rendered files. */
const owner = "standalone";

const notStored = async (): Promise<never> => {
  throw new Error("The standalone engine stores no files.");
};

const filesByPath: FileStore = {
  ...{ receive: notStored, store: notStored, storeCopy: notStored, copy: notStored, discard: async () => {} },
  ...{ remove: async () => {}, removeFolder: async () => {} },
  read: async ({ key }, start, end) => Bun.file(key).slice(start, end).stream(),
  withLocalFile: ({ key }, use) => use(key),
  // files on another disk cannot be hard-linked
  linkTo: ({ key }, path) => link(key, path).catch(() => copyFile(key, path)),
  jobFolder: () => mkdtemp(join(tmpdir(), "reelwright-engine-")),
};

const noCache: RenderCache = {
  ...{ sizeOf: async () => undefined, find: async () => new Set<string>(), linkTo: async () => false },
  ...{ put: async () => {}, listProjects: async () => [], removeProject: async () => {} },
};

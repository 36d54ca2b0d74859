import { writeFile } from "node:fs/promises";
import { withJobFolder } from "../../platform/files.ts";
import { sha256Of } from "../../platform/values.ts";
import type { Composition } from "../composer/compose.ts";
import { compositionOf, type SoundLibrary } from "../composer/library.ts";
import type { FileReference, FileStore, RenderCache } from "../ports.ts";
import { readOutput } from "../sandbox/task-files.ts";
import type { TaskPool } from "../sandbox/task-pool.ts";

type MadeFilesOptions = {
  readonly library: SoundLibrary;
  readonly cache: Pick<RenderCache, "linkTo" | "put">;
  readonly canvas: TaskPool;
};

/** The scope of cached sounds, which belong to no project. */
const scope = "sounds";

/** Beds and effects are everybody's, so all who need one made share a turn. */
const owner = "made sounds";

/** The files of a store, and besides the beds and effects of a library: each is composed once, when it is read first. */
export function withMadeSounds<Files extends FileStore>(
  files: Files,
  { library, cache, canvas }: MadeFilesOptions,
): Files {
  const running = new Map<string, Promise<void>>();

  /** Puts a sound at a path that must not exist yet. */
  async function provide(key: string, composition: Composition, path: string): Promise<void> {
    const cacheKey = `${scope}/${sha256Of(key)}`;
    if (await cache.linkTo(cacheKey, path)) return;
    const other = running.get(key);
    if (other) {
      await other;
      if (await cache.linkTo(cacheKey, path)) return;
    }
    const made = withJobFolder(files.jobFolder, async (folder) => {
      const output = `${folder}/composed.wav`;
      await canvas.run("composeSound", { composition, output }, { owner });
      await writeFile(path, await readOutput(output));
      await cache.put([{ key: cacheKey, path }]);
    });
    running.set(key, made);
    await made.finally(() => running.delete(key));
  }

  const inFolder = <Result>(key: string, composition: Composition, use: (path: string) => Promise<Result>) =>
    withJobFolder(files.jobFolder, async (folder) => {
      const path = `${folder}/sound.wav`;
      await provide(key, composition, path);
      return await use(path);
    });

  const madeOf = ({ key }: FileReference): Composition | undefined => compositionOf(library, key);

  return {
    ...files,
    async read(file: FileReference, start: number, end: number) {
      const composition = madeOf(file);
      if (!composition) return await files.read(file, start, end);
      const bytes = await inFolder(file.key, composition, (path) => Bun.file(path).bytes());
      return new Blob([bytes.subarray(start, end)]).stream();
    },
    async withLocalFile<Result>(file: FileReference, use: (path: string) => Promise<Result>) {
      const composition = madeOf(file);
      return await (composition ? inFolder(file.key, composition, use) : files.withLocalFile(file, use));
    },
    async linkTo(file: FileReference, path: string) {
      const composition = madeOf(file);
      await (composition ? provide(file.key, composition, path) : files.linkTo(file, path));
    },
  };
}

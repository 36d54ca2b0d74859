import { writeFile } from "node:fs/promises";
import { oncePer } from "../../platform/async.ts";
import { withJobFolder } from "../../platform/files.ts";
import { sha256Of } from "../../platform/values.ts";
import type { FileStore, MoveDrawer, NamedMove, RenderCache } from "../ports.ts";
import { engineVersion } from "../render/cache-keys.ts";
import { readOutput } from "../sandbox/task-files.ts";
import { sharedTaskPool, type TaskPool } from "../sandbox/task-pool.ts";
import { type MoveScene, sceneOf } from "./move-scene.ts";

type MoveDrawerDeps = {
  readonly files: Pick<FileStore, "jobFolder">;
  readonly cache: RenderCache;
  readonly canvas?: TaskPool;
};

/** Increment when the same scene gives another picture. */
const version = 1;

/** The scope of the pictures, which belong to no project. */
const scope = "motion";

/** Anyone can ask for the pictures, so all who do share one turn. */
const owner = "motion previews";

export function moveDrawer({ files, cache, canvas = sharedTaskPool() }: MoveDrawerDeps): MoveDrawer {
  const drawn = new Map<string, Promise<Uint8Array>>();
  return {
    versionOf: (move) => sceneWithHash(move).hash,
    draw(move) {
      const { scene, hash } = sceneWithHash(move);
      const picture = drawn.get(hash) ?? drawOrLoad(scene, `${scope}/${hash}`);
      // kept in memory, because a cache on disk may have no room; there are only as many as names
      drawn.set(hash, picture);
      picture.catch(() => drawn.delete(hash));
      return picture;
    },
  };

  function drawOrLoad(scene: MoveScene, key: string): Promise<Uint8Array> {
    return withJobFolder(files.jobFolder, async (folder) => {
      const output = `${folder}/move.webp`;
      if (await cache.linkTo(key, output)) return await readOutput(output);
      const picture = `${folder}/drawn.webp`;
      await canvas.run("drawAnimation", { ...scene, output: picture }, { owner });
      const bytes = await readOutput(picture);
      await writeFile(output, bytes);
      await cache.put([{ key, path: output }]);
      return bytes;
    });
  }
}

type SceneWithHash = { readonly scene: MoveScene; readonly hash: string };

const sceneWithHash = oncePer(
  ({ role, name }: NamedMove) => `${role} ${name}`,
  (move): SceneWithHash => {
    const scene = sceneOf(move);
    if (!scene) throw new Error(`There is no ${move.role} ${move.name}.`);
    return { scene, hash: sha256Of(JSON.stringify([version, engineVersion, scene])) };
  },
);

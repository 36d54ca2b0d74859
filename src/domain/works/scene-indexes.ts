import type { Work } from "./works.ts";

type Scenes = Pick<Work, "scenes" | "generatedScenes">;

/**
 * True if the client that saved the work counts its scenes from 1, as an editor does that has removed one and was not
 * reloaded since. Its numbers are then indexes plus one, also in the clips of its exports.
 */
const countsFromOne = ({ scenes, generatedScenes }: Scenes): boolean =>
  scenes.length > 0 &&
  generatedScenes.length > 0 &&
  scenes.every(({ scene_index }, index) => scene_index === index + 1) &&
  generatedScenes.every(({ sceneIndex }) => sceneIndex >= 1);

/**
 * Converts a client's scene numbers to indexes in `scenes`. They are equal unless the client counts from 1; a list with
 * a 0 cannot come from such a client. Convert only once: indexes are not numbers of a client.
 */
export function toSceneIndexes(work: Scenes, numbers: readonly number[]): readonly number[] {
  const isFromOne = countsFromOne(work) && numbers.every((number) => number >= 1);
  return isFromOne ? numbers.map((number) => number - 1) : numbers;
}

/** The inverse of `toSceneIndexes`. */
export const toSceneNumbers = (work: Scenes, indexes: readonly number[]): readonly number[] =>
  toSceneIndexes(work, indexes) === indexes ? indexes : indexes.map((index) => index + 1);

import type { Work } from "./works.ts";

/**
 * True if the client that saved the work counts its scenes from 1, as an editor does that has removed one and has not
 * been reloaded since. Its numbers are then those of the list plus one, also in the clips of its exports.
 */
const countsFromOne = ({ scenes, generatedScenes }: Pick<Work, "scenes" | "generatedScenes">): boolean =>
  scenes.length > 0 &&
  generatedScenes.length > 0 &&
  scenes.every(({ scene_index }, place) => scene_index === place + 1) &&
  generatedScenes.every(({ sceneIndex }) => sceneIndex >= 1);

/**
 * The places in `scenes` that a client means by its scene numbers. They are places already, unless the client counts
 * from 1; a list with a 0 cannot come from such a client.
 */
export function placesOf(
  work: Pick<Work, "scenes" | "generatedScenes">,
  numbers: readonly number[],
): readonly number[] {
  const isFromOne = countsFromOne(work) && numbers.every((number) => number >= 1);
  return isFromOne ? numbers.map((number) => number - 1) : numbers;
}

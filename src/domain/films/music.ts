import { generateMusic } from "../ai/music/generate-music.ts";
import type { Work } from "../works/works.ts";
import type { Made, MakePorts, Making } from "./making.ts";

/** Makes music as long as the film, as an asset of the project. */
export async function makeMusic(
  ports: MakePorts,
  { film, step, caller, call, choiceOf }: Making,
  work: Work,
): Promise<Made> {
  const { musicPrompt } = film.order;
  if (musicPrompt === undefined) return {};
  const wish = step.wish?.model === undefined ? {} : { modelId: step.wish.model };
  const model = ports.models.music({ ...choiceOf("music"), ...wish });
  const seconds = work.scenes.reduce((sum, scene) => sum + scene.duration_seconds, 0);
  const task = { prompt: musicPrompt, seconds: Math.ceil(seconds), kind: "music" as const };
  const { assetId } = await generateMusic(ports, { call, model }, { caller, task, projectId: film.projectId });
  return assetId === undefined ? {} : { found: { musicAssetId: assetId } };
}

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
  if (assetId === undefined) return {};
  await replaceInEditor(ports, work, film.order.found?.musicAssetId, assetId);
  return { found: { musicAssetId: assetId } };
}

/** New music replaces the earlier one in an editor that a person has saved with it. */
async function replaceInEditor(
  { works, internalUrls }: MakePorts,
  { projectId, id, editorState }: Work,
  earlier: string | undefined,
  assetId: string,
): Promise<void> {
  const url = earlier && internalUrls.asset(projectId, earlier);
  if (!url || editorState?.audioUrl !== url) return;
  const audioUrl = internalUrls.asset(projectId, assetId);
  await works.change(projectId, id, (found) =>
    found.editorState?.audioUrl === url
      ? { ...found, editorState: { ...found.editorState, audioUrl }, updatedAt: Date.now() }
      : found,
  );
}

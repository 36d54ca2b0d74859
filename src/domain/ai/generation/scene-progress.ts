import type { ReceivedFile } from "../../../engine/ports.ts";
import { isDatabaseAway, isDomainError } from "../../../errors.ts";
import type { MediaSlot } from "../../files/internal-urls.ts";
import { requireFound } from "../../shared/versioned.ts";
import type { WorkMediaPorts } from "../../works/media.ts";
import {
  failGenerating,
  type GeneratedScene,
  type SceneFile,
  startGenerating,
  stopGenerating,
  withScene,
} from "../../works/scene-state.ts";
import type { Work, WorkStore } from "../../works/works.ts";
import type { ProviderCall } from "../provider-calls.ts";
import type { SceneTarget } from "./scene-lock.ts";

export type SceneProgressPorts = WorkMediaPorts & { readonly works: WorkStore };

export const sceneSlot = ({ sceneIndex }: SceneTarget, file: SceneFile): MediaSlot => `scene/${sceneIndex}/${file}`;

/** Stores a generated file at its destination and returns the file's URL there. */
export type StoreMedia = (generated: ReceivedFile) => Promise<string>;

type SceneJob = {
  readonly call: ProviderCall;
  /** Makes the file, stores it in its slot and returns its URL. May call `stored` once it has stored a file. */
  readonly generate: (stored: () => void) => Promise<string>;
  /** True if a film shows the progress: the scene shows only the result or the error. */
  readonly isShownElsewhere?: boolean;
};

/** Runs a generation. The scene shows the generating status, then the result or the error. */
export async function generateForScene(
  ports: SceneProgressPorts,
  target: SceneTarget,
  file: SceneFile,
  { call, generate, isShownElsewhere = false }: SceneJob,
): Promise<string> {
  const start = (scene: GeneratedScene) => startGenerating(scene, file);
  if (!isShownElsewhere) await changeScene(ports, target, start);
  try {
    let isStored = false;
    const url = await generate(() => {
      isStored = true;
    });
    if (!isStored && !isShownElsewhere) await endIfGenerating(ports, target);
    return url;
  } catch (error) {
    const message = errorMessage(error, call);
    const edit = (found: GeneratedScene) => {
      const scene = isShownElsewhere ? start(found) : found;
      return message === undefined ? stopGenerating(scene) : failGenerating(scene, message);
    };
    // `endInterruptedScenes` ends the scene when its lease has expired
    if (isDatabaseAway(error)) throw error;
    // the work may be deleted: the first error is the one to report
    await changeScene(ports, target, edit).catch(() => {});
    throw error;
  }
}

/** The message that the scene shows; undefined after a disconnect, which is not a failure. */
function errorMessage(error: unknown, call: ProviderCall): string | undefined {
  if (isDomainError(error)) return error.message;
  return call.clientSignal.aborted ? undefined : "Something broke on our side.";
}

/** Ends a scene whose result came from a checkpoint: only storing a file ends it otherwise. */
async function endIfGenerating(ports: { readonly works: WorkStore }, target: SceneTarget): Promise<void> {
  const { projectId, id } = target.work;
  const scene = sceneOf(requireFound(await ports.works.find(projectId, id)), target.sceneIndex);
  if (scene && stopGenerating(scene) !== scene) await changeScene(ports, target, stopGenerating);
}

export const sceneOf = ({ generatedScenes }: Work, sceneIndex: number): GeneratedScene | undefined =>
  generatedScenes.find((scene) => scene.sceneIndex === sceneIndex);

export async function changeScene(
  { works }: { readonly works: WorkStore },
  { work: { projectId, id }, sceneIndex }: SceneTarget,
  edit: (scene: GeneratedScene) => GeneratedScene,
): Promise<void> {
  const change = (work: Work): Work => ({
    ...work,
    generatedScenes: withScene(work.generatedScenes, sceneIndex, edit),
    updatedAt: Date.now(),
  });
  requireFound(await works.change(projectId, id, change));
}

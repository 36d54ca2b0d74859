import { DomainError, isDomainError } from "../../../errors.ts";
import type { ReceivedFile } from "../../files/file-store.ts";
import type { Services } from "../../services.ts";
import { requireFound } from "../../shared/versioned.ts";
import { putMediaUnlessTaken } from "../../works/media.ts";
import { beginScene, endScene, failScene, type SceneFile, withScene } from "../../works/scene-state.ts";
import type { GeneratedScene, MediaSlot, Work } from "../../works/works.ts";
import type { ProviderCall } from "../provider-calls.ts";

/** A scene of a work that something is made for. */
export type SceneTarget = { readonly work: Work; readonly sceneIndex: number };

export const sceneSlot = ({ sceneIndex }: SceneTarget, file: SceneFile): MediaSlot => `scene/${sceneIndex}/${file}`;

/** Puts what was made where it belongs; answers the URL that it has there. */
export type Place = (made: ReceivedFile) => Promise<string>;

/** The scenes that this process makes something for. */
const running = new Set<string>();
const nameOf = (workId: string, sceneIndex: number) => `${workId}/${sceneIndex}`;

/** Of two requests for the same scene the second is sent away, before it costs anything. */
export async function aloneOnScene<Result>(target: SceneTarget, run: () => Promise<Result>): Promise<Result> {
  const { work, sceneIndex } = target;
  const name = nameOf(work.id, sceneIndex);
  if (running.has(name)) throw new DomainError("request_in_progress", { sceneIndex, retryAfterSeconds: 10 });
  running.add(name);
  try {
    return await run();
  } finally {
    running.delete(name);
  }
}

type ScenePorts = Pick<Services, "works" | "workMedia" | "files" | "inspector">;

/** Makes a file for a scene: the work shows that it is being made, and then what came of it. */
export async function makeForScene(
  services: ScenePorts,
  target: SceneTarget,
  file: SceneFile,
  { call, make }: { readonly call: ProviderCall; readonly make: (place: Place) => Promise<string> },
): Promise<string> {
  const slot = sceneSlot(target, file);
  const seen = await services.workMedia.find(target.work.id, slot);
  await changeScene(services, target, (scene) => beginScene(scene, file));
  try {
    const url = await make((made) => putMediaUnlessTaken(services, target.work, slot, made, seen));
    await showEnd(services, target);
    return url;
  } catch (error) {
    const end = sentenceOf(error, call);
    const edit = (scene: GeneratedScene) => (end === undefined ? endScene(scene) : failScene(scene, end));
    // a work that is gone shows nothing; a database that is away is the lesser trouble beside what was thrown
    await changeScene(services, target, edit).catch(() => {});
    throw error;
  }
}

/** What people are told of a failure; undefined when nobody waited any more: that is none. */
function sentenceOf(error: unknown, call: ProviderCall): string | undefined {
  if (isDomainError(error)) return error.message;
  return call.clientSignal.aborted ? undefined : "Something broke on our side.";
}

/** What was put into the work has ended the scene already; an answer that was given again has not. */
async function showEnd(services: Pick<Services, "works">, target: SceneTarget): Promise<void> {
  const { projectId, id } = target.work;
  const scene = sceneOf(requireFound(await services.works.find(projectId, id)), target.sceneIndex);
  if (scene && endScene(scene) !== scene) await changeScene(services, target, endScene);
}

export const sceneOf = ({ generatedScenes }: Work, sceneIndex: number): GeneratedScene | undefined =>
  generatedScenes.find((scene) => scene.sceneIndex === sceneIndex);

export async function changeScene(
  { works }: Pick<Services, "works">,
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

/** Ends the scenes that a process which is gone left as being made: those of works unchanged since `before`. */
export async function endAbandonedScenes({ works }: Pick<Services, "works">, before: number): Promise<void> {
  for (const { projectId, id } of await works.findMaking(before)) {
    const isOurs = ({ sceneIndex }: GeneratedScene) => running.has(nameOf(id, sceneIndex));
    await works.change(projectId, id, (work) => ({
      ...work,
      generatedScenes: work.generatedScenes.map((scene) => (isOurs(scene) ? scene : endScene(scene))),
    }));
  }
}

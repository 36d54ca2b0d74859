import type { GeneratedScene, SceneStatus } from "./works.ts";

export type SceneFile = "image" | "video";

/** Where a scene may go from each status. To stay is always allowed: an upload may replace another. */
const jumps: Record<SceneStatus, readonly SceneStatus[]> = {
  pending: ["generating_image", "image_ready", "done"],
  generating_image: ["pending", "image_ready", "done", "error"],
  image_ready: ["pending", "generating_image", "generating_video", "done"],
  generating_video: ["pending", "image_ready", "done", "error"],
  done: ["pending", "image_ready", "generating_image", "generating_video"],
  error: ["pending", "image_ready", "done", "generating_image", "generating_video"],
};

export const mayJump = (from: SceneStatus, to: SceneStatus): boolean => from === to || jumps[from].includes(to);

/** The only way to another status. An illegal one is our own mistake, never the caller's. */
export function moveScene({ error: _, ...scene }: GeneratedScene, to: SceneStatus): GeneratedScene {
  if (!mayJump(scene.status, to)) throw new Error(`A scene cannot go from ${scene.status} to ${to}.`);
  return { ...scene, status: to };
}

/** The status of a scene that nothing works on: what it has decides. */
const settledStatus = ({ imageUrl, videoUrl }: GeneratedScene): SceneStatus => {
  if (videoUrl !== undefined) return "done";
  return imageUrl === undefined ? "pending" : "image_ready";
};

/** A scene that got a file, or lost it: then `url` is undefined. */
export function withSceneFile(scene: GeneratedScene, file: SceneFile, url: string | undefined): GeneratedScene {
  const { [`${file}Url` as const]: _, ...rest } = scene;
  const changed: GeneratedScene = url === undefined ? rest : { ...rest, [`${file}Url`]: url };
  return moveScene(changed, settledStatus(changed));
}

/** A scene that something is made for. A video is made of a picture: wherever that is from, it counts as ready. */
export const beginScene = (scene: GeneratedScene, file: SceneFile): GeneratedScene =>
  file === "image"
    ? moveScene(moveScene(scene, settledStatus(scene)), "generating_image")
    : moveScene(moveScene(scene, "image_ready"), "generating_video");

const isBegun = ({ status }: GeneratedScene) => status === "generating_image" || status === "generating_video";

/** A scene that nothing is made for any more, as one sees it then. */
export const endScene = (scene: GeneratedScene): GeneratedScene =>
  isBegun(scene) ? moveScene(scene, settledStatus(scene)) : scene;

/** A scene for which something could not be made; one that was given a file meanwhile is fine as it is. */
export const failScene = (scene: GeneratedScene, sentence: string): GeneratedScene =>
  isBegun(scene) ? { ...moveScene(scene, "error"), error: sentence } : scene;

/** Changes one scene of a work; those before it that are not there yet come in as pending. */
export function withScene(
  scenes: readonly GeneratedScene[],
  sceneIndex: number,
  edit: (scene: GeneratedScene) => GeneratedScene,
): readonly GeneratedScene[] {
  const known = new Set(scenes.map((scene) => scene.sceneIndex));
  const missing = Array.from({ length: sceneIndex + 1 }, (_, index) => index).filter((index) => !known.has(index));
  const added = missing.map((index): GeneratedScene => ({ sceneIndex: index, status: "pending" }));
  return [...scenes, ...added]
    .sort((one, other) => one.sceneIndex - other.sceneIndex)
    .map((scene) => (scene.sceneIndex === sceneIndex ? edit(scene) : scene));
}

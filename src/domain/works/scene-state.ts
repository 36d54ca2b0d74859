export const sceneStatuses = [
  "pending",
  "generating_image",
  "image_ready",
  "generating_video",
  "done",
  "error",
] as const;
export type SceneStatus = (typeof sceneStatuses)[number];

export type GeneratedScene = {
  readonly sceneIndex: number;
  readonly imageUrl?: string;
  readonly videoUrl?: string;
  readonly voiceUrl?: string;
  /** The reason why the scene has no voice, or not the requested one. */
  readonly voiceError?: string;
  readonly status: SceneStatus;
  readonly error?: string;
};

export type SceneFile = "image" | "video";

/** The statuses that may follow each status. Staying in a status is always allowed: an upload may replace another. */
const nextStatuses: Record<SceneStatus, readonly SceneStatus[]> = {
  pending: ["generating_image", "image_ready", "done"],
  generating_image: ["pending", "image_ready", "done", "error"],
  image_ready: ["pending", "generating_image", "generating_video", "done"],
  generating_video: ["pending", "image_ready", "done", "error"],
  done: ["pending", "image_ready", "generating_image", "generating_video"],
  error: ["pending", "image_ready", "done", "generating_image", "generating_video"],
};

export const canChangeStatus = (from: SceneStatus, to: SceneStatus): boolean =>
  from === to || nextStatuses[from].includes(to);

/** Changes the status and clears the error. A forbidden change is a programming error, not the caller's. */
export function setSceneStatus({ error: _, ...scene }: GeneratedScene, to: SceneStatus): GeneratedScene {
  if (!canChangeStatus(scene.status, to)) throw new Error(`A scene cannot go from ${scene.status} to ${to}.`);
  return { ...scene, status: to };
}

/** The status of a scene without a running generation, which its files determine. */
const idleStatus = ({ imageUrl, videoUrl }: GeneratedScene): SceneStatus => {
  if (videoUrl !== undefined) return "done";
  return imageUrl === undefined ? "pending" : "image_ready";
};

/** Sets or, with an undefined `url`, removes the file of a scene. */
export function withSceneFile(scene: GeneratedScene, file: SceneFile, url: string | undefined): GeneratedScene {
  const { [`${file}Url` as const]: _, ...rest } = scene;
  const changed: GeneratedScene = url === undefined ? rest : { ...rest, [`${file}Url`]: url };
  return setSceneStatus(changed, idleStatus(changed));
}

/** Sets or, with an undefined `url`, removes the voice of a scene, which its status does not depend on. */
export function withSceneVoice(
  { voiceUrl: _, voiceError: __, ...scene }: GeneratedScene,
  url: string | undefined,
): GeneratedScene {
  return url === undefined ? scene : { ...scene, voiceUrl: url };
}

/** Sets the status of a running generation. A video is generated from an image, so the image counts as ready. */
export const startGenerating = (scene: GeneratedScene, file: SceneFile): GeneratedScene =>
  file === "image"
    ? setSceneStatus(setSceneStatus(scene, idleStatus(scene)), "generating_image")
    : setSceneStatus(setSceneStatus(scene, "image_ready"), "generating_video");

export const isGenerating = ({ status }: GeneratedScene) =>
  status === "generating_image" || status === "generating_video";

/** Ends a generation with the status that the scene's files determine. Other scenes are returned unchanged. */
export const stopGenerating = (scene: GeneratedScene): GeneratedScene =>
  isGenerating(scene) ? setSceneStatus(scene, idleStatus(scene)) : scene;

/** Ends a generation with an error. A scene that received its file in the meantime is returned unchanged. */
export const failGenerating = (scene: GeneratedScene, message: string): GeneratedScene =>
  isGenerating(scene) ? { ...setSceneStatus(scene, "error"), error: message } : scene;

/** Edits one scene of a work. Missing scenes up to that index are added as pending. */
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

/** The URL of a file of the scene at this index of the list; undefined if the scene has no such file. */
type FindFileUrl = (at: number, file: SceneFile | "voice") => string | undefined;

/** Includes voices: an editor may not know them. Statuses stay unchanged. */
export const withFileUrls = (scenes: readonly GeneratedScene[], urlOf: FindFileUrl): readonly GeneratedScene[] =>
  scenes.map((silent, at) => {
    const voiceUrl = silent.voiceUrl ?? urlOf(at, "voice");
    const scene = { ...silent, ...(voiceUrl && { voiceUrl }) };
    if (scene.imageUrl || scene.videoUrl) return scene;
    const imageUrl = urlOf(at, "image");
    const videoUrl = urlOf(at, "video");
    return { ...scene, ...(imageUrl && { imageUrl }), ...(videoUrl && { videoUrl }) };
  });

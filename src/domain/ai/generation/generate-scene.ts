import { DomainError } from "../../../errors.ts";
import { type CopyImagePorts, copyStoredImage, type FoundImage } from "../../media-sources/image-sources.ts";
import type { Project } from "../../projects/projects.ts";
import { requireFound } from "../../shared/versioned.ts";
import { defaultResolution } from "../../works/editor-state.ts";
import { type SceneFile, withSceneFile } from "../../works/scene-state.ts";
import type { ScenarioScene, Work } from "../../works/works.ts";
import type { ImageModel, VideoModel } from "../models.ts";
import { animateAndStore, drawAndStore, type GenerationContext } from "./generation.ts";
import { imageTaskOf, type ShotSpec, videoTaskOf } from "./prompts.ts";
import { type SceneTarget, withSceneLock } from "./scene-lock.ts";
import { changeScene, generateForScene, type SceneProgressPorts, sceneOf, sceneSlot } from "./scene-progress.ts";

/** Called only for media that the scene lacks, because choosing a model may throw. */
export type SceneModels = { image(): ImageModel; video(): VideoModel };

export type GenerateSceneRequest = SceneTarget & { readonly project: Project; readonly models: SceneModels };

export type SceneUrls = { readonly imageUrl: string; readonly videoUrl: string };

type GenerateScenePorts = SceneProgressPorts & CopyImagePorts;

/** Generates the media that a scene of a work lacks: its image, then the video made from it. Existing media stay. */
export async function generateScene(
  ports: GenerateScenePorts,
  { call }: GenerationContext,
  request: GenerateSceneRequest,
): Promise<SceneUrls> {
  const scene = requireScene(request);
  return withSceneLock(request, async () => {
    const { image, video } = await missingModels(ports, request);
    if (image) await drawScene(ports, request, { call, scene, model: image });
    call.clientSignal.throwIfAborted();
    if (video) await animateScene(ports, request, { call, scene, model: video });
    return restoreUrls(ports, request);
  });
}

function requireScene({ work, sceneIndex }: SceneTarget): ScenarioScene {
  const scene = work.scenes.find(({ scene_index }) => scene_index === sceneIndex);
  if (!scene) throw new DomainError("scene_missing", { sceneIndex });
  return scene;
}

/** The models for the missing media. Chooses both before the first call, so that an invalid choice costs nothing. */
async function missingModels({ workMedia }: GenerateScenePorts, request: GenerateSceneRequest) {
  const lacks = async (file: SceneFile) => !(await workMedia.find(request.work.id, sceneSlot(request, file)));
  const lacksImage = await lacks("image");
  const lacksVideo = await lacks("video");
  return {
    image: lacksImage ? request.models.image() : undefined,
    video: lacksVideo ? request.models.video() : undefined,
  };
}

type SceneStep<Model> = Pick<GenerationContext, "call"> & { readonly scene: ScenarioScene; readonly model: Model };

function drawScene(
  ports: GenerateScenePorts,
  request: GenerateSceneRequest,
  { call, scene, model }: SceneStep<ImageModel>,
) {
  const shot = shotOf(request, scene, { prompt: scene.image_prompt, instruction: request.work.imageSystemPrompt });
  const task = imageTaskOf(shot, resolutionOf(request.work));
  return generateForScene(ports, request, "image", {
    call,
    generate: (store) => drawAndStore(ports, { call, model }, task, store),
  });
}

function animateScene(
  ports: GenerateScenePorts,
  request: GenerateSceneRequest,
  { call, scene, model }: SceneStep<VideoModel>,
) {
  const shot = shotOf(request, scene, { prompt: scene.video_prompt, instruction: request.work.videoSystemPrompt });
  const resolution = resolutionOf(request.work);
  const durationSeconds = model.nearestDuration(scene.duration_seconds);
  return generateForScene(ports, request, "video", {
    call,
    generate: async (store) => {
      const { image, dispose } = await sceneImage(ports, request);
      try {
        const task = videoTaskOf(shot, { resolution, durationSeconds, image });
        return await animateAndStore(ports, { call, model }, task, store);
      } finally {
        await dispose();
      }
    },
  });
}

/** The scene's current image: the drawn one, or an upload that replaced it meanwhile. */
async function sceneImage(ports: GenerateScenePorts, request: GenerateSceneRequest): Promise<FoundImage> {
  const media = await ports.workMedia.find(request.work.id, sceneSlot(request, "image"));
  if (media) return copyStoredImage(ports, media.file);
  throw new DomainError("scene_video_missing", { path: "sceneIndex", sceneIndex: request.sceneIndex });
}

const shotOf = (
  { project: { styleGuide } }: GenerateSceneRequest,
  { negative_prompt: negativePrompt }: ScenarioScene,
  texts: Pick<ShotSpec, "prompt" | "instruction">,
): ShotSpec => ({ ...texts, negativePrompt, ...(styleGuide && { styleGuide }) });

const resolutionOf = ({ resolution = defaultResolution }: Work) => resolution;

/** Returns both URLs. Sets them in the work again if an editor that saved meanwhile has overwritten them. */
async function restoreUrls(ports: GenerateScenePorts, request: GenerateSceneRequest): Promise<SceneUrls> {
  const { work, sceneIndex } = request;
  const urls = {
    imageUrl: ports.internalUrls.workMedia(work, sceneSlot(request, "image")),
    videoUrl: ports.internalUrls.workMedia(work, sceneSlot(request, "video")),
  };
  const current = sceneOf(requireFound(await ports.works.find(work.projectId, work.id)), sceneIndex);
  const isComplete =
    current?.status === "done" && current.imageUrl === urls.imageUrl && current.videoUrl === urls.videoUrl;
  if (!isComplete) {
    await changeScene(ports, request, (scene) =>
      withSceneFile(withSceneFile(scene, "image", urls.imageUrl), "video", urls.videoUrl),
    );
  }
  return urls;
}

import { DomainError } from "../../../errors.ts";
import { type FoundPicture, storedPicture } from "../../files/image-sources.ts";
import type { Project } from "../../projects/projects.ts";
import type { Services } from "../../services.ts";
import { requireFound } from "../../shared/versioned.ts";
import { defaultResolution } from "../../works/editor-state.ts";
import { mediaUrl } from "../../works/media.ts";
import { type SceneFile, withSceneFile } from "../../works/scene-state.ts";
import type { ScenarioScene, Work } from "../../works/works.ts";
import type { ImageModel, VideoModel } from "../models.ts";
import { animateInto, drawInto, imageTaskOf, type Making, videoTaskOf } from "./generation.ts";
import type { ShotWish } from "./prompts.ts";
import { aloneOnScene, changeScene, makeForScene, type SceneTarget, sceneOf, sceneSlot } from "./scene-lock.ts";

/** The models of a scene, each chosen only when there is something for it to do. */
export type SceneModels = { image(): ImageModel; video(): VideoModel };

export type SceneOrder = SceneTarget & { readonly project: Project; readonly models: SceneModels };

export type SceneUrls = { readonly imageUrl: string; readonly videoUrl: string };

/** Makes what a scene of a work lacks: its picture, then the video of it. What is there is not made again. */
export async function generateScene(services: Services, making: Making, order: SceneOrder): Promise<SceneUrls> {
  const scene = requireScene(order);
  return aloneOnScene(order, async () => {
    const { image, video } = await lackingModels(services, order);
    if (image) await drawScene(services, making, order, { scene, model: image });
    making.call.clientSignal.throwIfAborted();
    if (video) await animateScene(services, making, order, { scene, model: video });
    return showBoth(services, order);
  });
}

function requireScene({ work, sceneIndex }: SceneTarget): ScenarioScene {
  const scene = work.scenes.find(({ scene_index }) => scene_index === sceneIndex);
  if (!scene) throw new DomainError("scene_missing", { sceneIndex });
  return scene;
}

/** Both are chosen before either is paid for. */
async function lackingModels(services: Services, order: SceneOrder) {
  const lacks = async (file: SceneFile) => !(await services.workMedia.find(order.work.id, sceneSlot(order, file)));
  const [lacksImage, lacksVideo] = [await lacks("image"), await lacks("video")];
  return {
    image: lacksImage ? order.models.image() : undefined,
    video: lacksVideo ? order.models.video() : undefined,
  };
}

type Part<Model> = { readonly scene: ScenarioScene; readonly model: Model };

function drawScene(services: Services, { call }: Making, order: SceneOrder, { scene, model }: Part<ImageModel>) {
  const wish = wishOf(order, scene.image_prompt, scene.negative_prompt, order.work.imageSystemPrompt);
  const task = imageTaskOf(wish, resolutionOf(order.work));
  return makeForScene(services, order, "image", {
    call,
    make: (place) => drawInto(services, { call, model }, task, place),
  });
}

function animateScene(services: Services, { call }: Making, order: SceneOrder, { scene, model }: Part<VideoModel>) {
  const wish = wishOf(order, scene.video_prompt, scene.negative_prompt, order.work.videoSystemPrompt);
  const frame = {
    resolution: resolutionOf(order.work),
    durationSeconds: model.nearestDuration(scene.duration_seconds),
  };
  return makeForScene(services, order, "video", {
    call,
    make: async (place) => {
      const { image, dispose } = await pictureOf(services, order);
      try {
        return await animateInto(services, { call, model }, videoTaskOf(wish, { ...frame, image }), place);
      } finally {
        await dispose();
      }
    },
  });
}

/** The one that was drawn, or the one that was put there instead meanwhile. */
async function pictureOf(services: Services, order: SceneOrder): Promise<FoundPicture> {
  const media = await services.workMedia.find(order.work.id, sceneSlot(order, "image"));
  if (media) return storedPicture(services, media.file);
  throw new DomainError("scene_video_missing", { path: "sceneIndex", sceneIndex: order.sceneIndex });
}

const wishOf = (
  { project: { styleGuide } }: SceneOrder,
  prompt: string,
  negativePrompt: string,
  instruction: string,
): ShotWish => ({ prompt, negativePrompt, instruction, ...(styleGuide && { styleGuide }) });

const resolutionOf = ({ resolution = defaultResolution }: Work) => resolution;

/** Both URLs, which the work shows too: an editor that saved it meanwhile may have written over them. */
async function showBoth(services: Services, order: SceneOrder): Promise<SceneUrls> {
  const { work, sceneIndex } = order;
  const urls = {
    imageUrl: mediaUrl(work, sceneSlot(order, "image")),
    videoUrl: mediaUrl(work, sceneSlot(order, "video")),
  };
  const shown = sceneOf(requireFound(await services.works.find(work.projectId, work.id)), sceneIndex);
  const isShown = shown?.status === "done" && shown.imageUrl === urls.imageUrl && shown.videoUrl === urls.videoUrl;
  if (!isShown) {
    await changeScene(services, order, (scene) =>
      withSceneFile(withSceneFile(scene, "image", urls.imageUrl), "video", urls.videoUrl),
    );
  }
  return urls;
}

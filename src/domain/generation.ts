import { Readable } from "node:stream";
import { DomainError, isDomainError } from "../errors.ts";
import type { Canvas } from "../timeline/timeline.ts";
import type { Caller } from "./callers.ts";
import type { ReceivedFile } from "./files.ts";
import { addGenerated } from "./generated-media.ts";
import { avoided, imagePrompt, type ShotWish, videoPrompt } from "./generation-prompts.ts";
import type { ImageModel, ImageTask, SeenFile, VideoModel, VideoTask } from "./models.ts";
import type { JobMemory, ProviderCall } from "./provider-calls.ts";
import type { SceneFile } from "./scene-media.ts";
import { aloneOnScene, makeForScene, type Place, type SceneTarget } from "./scene-runs.ts";
import type { Services } from "./services.ts";

/** On whose account something is made. */
export type Making = { readonly caller: Caller; readonly call: ProviderCall };

/** More than any picture of a model has. */
const maxPictureBytes = 100 * 1024 * 1024;

export const imageTaskOf = (wish: ShotWish, resolution: Canvas): ImageTask => ({
  prompt: imagePrompt(wish),
  shot: { prompt: wish.prompt, avoid: avoided(wish), ...(wish.styleGuide && { styleGuide: wish.styleGuide }) },
  resolution,
});

type Frame = Pick<VideoTask, "resolution" | "durationSeconds"> & { readonly image: SeenFile };

export const videoTaskOf = (wish: ShotWish, frame: Frame): VideoTask => ({
  prompt: videoPrompt(wish),
  movement: wish.prompt,
  ...frame,
});

type MakingPorts = Pick<Services, "files" | "inspector" | "generatedMedia" | "mediaLinks" | "works" | "workMedia">;

/** Has a picture drawn, for a scene of a work or for itself; answers its URL. */
export const generateImage = (
  services: MakingPorts,
  making: Making & { readonly model: ImageModel },
  task: ImageTask,
  target?: SceneTarget,
): Promise<string> => placed(services, making, "image", (place) => drawInto(services, making, task, place), target);

/** Has a picture set in motion, for a scene of a work or for itself; answers the video's URL. */
export const generateVideo = (
  services: MakingPorts,
  making: Making & { readonly model: VideoModel },
  task: VideoTask,
  target?: SceneTarget,
): Promise<string> => placed(services, making, "video", (place) => animateInto(services, making, task, place), target);

function placed(
  services: MakingPorts,
  { caller, call }: Making,
  file: SceneFile,
  make: (place: Place) => Promise<string>,
  target?: SceneTarget,
): Promise<string> {
  if (!target) return make((made) => addGenerated(services, caller.user, made, file));
  return aloneOnScene(target, () => makeForScene(services, target, file, { call, make }));
}

type FilePorts = Pick<Services, "files">;

/** Draws a picture and hands it to `place`, once for each request: what is placed is not paid for again. */
export const drawInto = (
  { files }: FilePorts,
  { call, model }: { readonly call: ProviderCall; readonly model: ImageModel },
  task: ImageTask,
  place: Place,
): Promise<string> =>
  onceIfBilled(model, call, "image", async () => {
    const bytes = await model.draw(task, call);
    return handOver(files, await files.receive(Readable.from([bytes]), maxPictureBytes), place);
  });

/** The same for a video. */
export const animateInto = (
  { files }: FilePorts,
  { call, model }: { readonly call: ProviderCall; readonly model: VideoModel },
  task: VideoTask,
  place: Place,
): Promise<string> =>
  onceIfBilled(model, call, "video", async (job) => handOver(files, await model.animate(task, call, job), place));

const noMemory: JobMemory = { keep: async () => {} };

const onceIfBilled = (
  { isBilled }: { readonly isBilled: boolean },
  call: ProviderCall,
  step: SceneFile,
  run: (job: JobMemory) => Promise<string>,
): Promise<string> => (isBilled ? call.once(step, run) : run(noMemory));

/** What a model gave is a stranger's file until it was looked at; what was not placed goes. */
async function handOver(files: Services["files"], made: ReceivedFile, place: Place): Promise<string> {
  try {
    return await place(made);
  } catch (error) {
    throw isDomainError(error) && error.code === "unsupported_media_type" ? unusable(error) : error;
  } finally {
    await files.discard(made);
  }
}

const unusable = (cause: Error) =>
  new DomainError(
    "provider_bad_response",
    { provider: "The provider", reason: "what it made cannot be read as what was asked for" },
    { cause },
  );

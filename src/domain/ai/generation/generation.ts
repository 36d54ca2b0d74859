import { Readable } from "node:stream";
import type { ReadableStream as NodeWebStream } from "node:stream/web";
import { DomainError, isDomainError } from "../../../errors.ts";
import type { Canvas } from "../../../timeline/timeline.ts";
import type { Caller } from "../../auth/caller.ts";
import type { ReceivedFile } from "../../files/file-store.ts";
import { addGenerated } from "../../files/generated-media.ts";
import type { Services } from "../../services.ts";
import { newId } from "../../shared/ids.ts";
import type { SceneFile } from "../../works/scene-state.ts";
import type { ImageModel, ImageTask, SeenFile, VideoModel, VideoTask } from "../models.ts";
import type { JobMemory, ProviderCall } from "../provider-calls.ts";
import { avoided, imagePrompt, type ShotWish, videoPrompt } from "./prompts.ts";
import { aloneOnScene, makeForScene, type Place, type SceneTarget } from "./scene-lock.ts";

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

type MakingPorts = Pick<Services, "files" | "inspector" | "generatedMedia" | "signedLinks" | "works" | "workMedia">;

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

/**
 * Draws a picture and hands it to `place`, once for each request: what is placed is not paid for again, nor is what was
 * only drawn before a crash.
 */
export async function drawInto(
  { files }: FilePorts,
  { call, model }: { readonly call: ProviderCall; readonly model: ImageModel },
  task: ImageTask,
  place: Place,
): Promise<string> {
  const draft = draftIn(files);
  const drawn = async () => files.receive(Readable.from([await model.draw(task, call)]), maxPictureBytes);
  try {
    return await onceIfBilled(model, call, "image", async (job) => {
      const made = (await draft.found(job)) ?? (await draft.kept(await drawn(), job));
      return handOver(files, made, place);
    });
  } finally {
    await draft.remove();
  }
}

/** The same for a video. */
export const animateInto = (
  { files }: FilePorts,
  { call, model }: { readonly call: ProviderCall; readonly model: VideoModel },
  task: VideoTask,
  place: Place,
): Promise<string> =>
  onceIfBilled(model, call, "video", async (job) => handOver(files, await model.animate(task, call, job), place));

/**
 * A drawn picture in the store, under a name that the job memory keeps: to look at it and to place it takes its time,
 * and a crash meanwhile must not cost it. What a crash left and nobody came back for goes with the store's orphans.
 */
function draftIn(files: Services["files"]) {
  let key: string | undefined;
  return {
    async found({ id }: JobMemory): Promise<ReceivedFile | undefined> {
      key = id;
      if (id === undefined) return undefined;
      const bytes = files.read(id, 0, maxPictureBytes) as unknown as NodeWebStream;
      return files.receive(Readable.fromWeb(bytes), maxPictureBytes);
    },

    /** The picture is good without it: a disk that is full tells so when the picture is placed. */
    async kept(made: ReceivedFile, job: JobMemory): Promise<ReceivedFile> {
      if (job === noMemory) return made;
      key = `drawn/${newId("media")}`;
      await files.keepToo(made.path, key).then(
        () => job.keep(key!),
        () => {},
      );
      return made;
    },

    remove: async () => void (key && (await files.remove([key]).catch(() => {}))),
  };
}

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

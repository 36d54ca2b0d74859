import { Readable } from "node:stream";
import type { FileStore, ReceivedFile } from "../../../engine/ports.ts";
import { DomainError, isDomainError } from "../../../errors.ts";
import { isMissing } from "../../../platform/files.ts";
import type { LeasePorts } from "../../../platform/leases.ts";
import type { Caller } from "../../accounts/caller.ts";
import { receiveStored } from "../../files/file-store.ts";
import { type AddGeneratedMediaPorts, addGeneratedMedia } from "../../files/generated-media.ts";
import type { JobCheckpoint, Json } from "../../idempotency/checkpoints.ts";
import { newId } from "../../shared/ids.ts";
import { throughOutage } from "../../shared/outages.ts";
import { putGenerated } from "../../works/media.ts";
import type { SceneFile } from "../../works/scene-state.ts";
import type { ImageModel, ImageTask, VideoModel, VideoTask } from "../models.ts";
import type { ProviderCall } from "../provider-calls.ts";
import { type SceneTarget, withSceneLock } from "./scene-lock.ts";
import { generateForScene, type SceneProgressPorts, type StoreMedia, sceneSlot } from "./scene-progress.ts";

/** The caller that owns the result, and the request that the model calls belong to. */
type GenerationContext = { readonly caller: Caller; readonly call: ProviderCall };

/** Larger than any image or sound that a model returns. */
const maxImageBytes = 100 * 1024 * 1024;

type GenerationPorts = SceneProgressPorts & AddGeneratedMediaPorts & LeasePorts;

/** Generates an image, for a scene of a work or without a target, and returns its URL. */
export const generateImage = (
  ports: GenerationPorts,
  context: GenerationContext & { readonly model: ImageModel },
  task: ImageTask,
  target?: SceneTarget,
): Promise<string> => generate(ports, context, "image", (store) => drawAndStore(ports, context, task, store), target);

/** Generates a video from an image, for a scene of a work or without a target, and returns the video's URL. */
export const generateVideo = (
  ports: GenerationPorts,
  context: GenerationContext & { readonly model: VideoModel },
  task: VideoTask,
  target?: SceneTarget,
): Promise<string> =>
  generate(ports, context, "video", (store) => animateAndStore(ports, context, task, store), target);

function generate(
  ports: GenerationPorts,
  { caller, call, model }: GenerationContext & { readonly model: ImageModel | VideoModel },
  file: SceneFile,
  run: (store: StoreMedia) => Promise<string>,
  target?: SceneTarget,
): Promise<string> {
  const { id: generatedBy } = model;
  const madeBy = generatedBy && { generatedBy };
  if (!target) return run((received) => addGeneratedMedia(ports, caller.user, received, file, generatedBy));
  return withSceneLock(ports, target, async () => {
    const slot = sceneSlot(target, file);
    const seen = await ports.workMedia.find(target.work.id, slot);
    const destination = { work: target.work, slot, seen, ...madeBy };
    const store: StoreMedia = async (generated) =>
      (await putGenerated(ports, destination, generated, caller.user.id)).url;
    return generateForScene(ports, target, file, { call, generate: () => run(store) });
  });
}

type FilePorts = { readonly files: FileStore };

/** With checkpoints, no image is paid for twice: neither a stored one nor one drawn before a crash. */
export const drawAndStore = (
  ports: FilePorts,
  context: { readonly call: ProviderCall; readonly model: ImageModel },
  task: ImageTask,
  store: StoreMedia,
): Promise<string> => makeAndStore(ports, context, "image", () => context.model.draw(task, context.call), store);

/** Makes and stores the answer of one model call. `step` names the call within its request. */
export async function makeAndStore<Stored extends Json>(
  { files }: FilePorts,
  { call, model }: { readonly call: ProviderCall; readonly model: { readonly isBilled: boolean } },
  step: string,
  make: () => Promise<Uint8Array>,
  store: (made: ReceivedFile) => Promise<Stored>,
): Promise<Stored> {
  const checkpoint = fileCheckpoint(files, call.taskOptions.owner);
  const receive = async () => files.receive(Readable.from([await make()]), maxImageBytes);
  try {
    const stored = await runOnceIfBilled(model, call, step, async (job) => {
      const made = (await checkpoint.load(job)) ?? (await checkpoint.save(await receive(), job));
      return storeAndDiscard(files, made, store);
    });
    await call.afterwards(checkpoint.remove);
    return stored;
  } catch (error) {
    if (!call.resumesAfter(error)) await checkpoint.remove();
    throw error;
  }
}

/** Animates an image and passes the video to `store`. With checkpoints it runs once per request. */
export const animateAndStore = (
  { files }: FilePorts,
  { call, model }: { readonly call: ProviderCall; readonly model: VideoModel },
  task: VideoTask,
  store: StoreMedia,
): Promise<string> =>
  runOnceIfBilled(model, call, "video", async (job) =>
    storeAndDiscard(files, await model.animate(task, call, job), store),
  );

/**
 * Holds a generated file among the user's files, under a key in the request's checkpoint, until it is stored at its
 * destination: inspecting and storing take time, and a crash meanwhile must not cost the file. A file that no repeated
 * request loads is removed with the store's orphans.
 */
function fileCheckpoint(files: FileStore, userId: string) {
  let key: string | undefined;
  return {
    async load({ id }: JobCheckpoint): Promise<ReceivedFile | undefined> {
      key = id;
      return id === undefined ? undefined : receiveKept(files, id, maxImageBytes);
    },

    /** Waits while the store is unavailable: the image exists only here. The final store reports a full disk. */
    async save(image: ReceivedFile, job: JobCheckpoint): Promise<ReceivedFile> {
      if (job === noCheckpoint) return image;
      key = `${userId}/${newId("media")}`;
      await throughOutage(() => files.storeCopy(image, key!)).then(
        () => job.save(key!),
        () => {},
      );
      return image;
    },

    remove: async () => void (key && (await files.remove([key]).catch(() => {}))),
  };
}

/** Loads what an earlier attempt has paid for. Its key is empty if it could not be stored. */
export async function receiveKept(files: FileStore, key: string, maxBytes: number): Promise<ReceivedFile> {
  if (key === "") throw lostAnswer();
  return receiveStored({ files }, { key }, maxBytes).catch((error) => {
    throw isMissing(error) ? lostAnswer(error) : error;
  });
}

const lostAnswer = (cause?: unknown) =>
  new DomainError(
    "provider_error",
    {
      reason:
        "what it made in an earlier try is lost here: another try, with a new Idempotency-Key if it had one, pays again",
      isGone: true,
    },
    { cause },
  );

const noCheckpoint: JobCheckpoint = { save: async () => {} };

const runOnceIfBilled = <Result extends Json>(
  { isBilled }: { readonly isBilled: boolean },
  call: ProviderCall,
  step: string,
  run: (job: JobCheckpoint) => Promise<Result>,
): Promise<Result> => (isBilled ? call.runOnce(step, run) : run(noCheckpoint));

/** Stores a model's file, which is untrusted until `store` has inspected it, and removes the received copy. */
async function storeAndDiscard<Stored>(
  files: FileStore,
  generated: ReceivedFile,
  store: (generated: ReceivedFile) => Promise<Stored>,
): Promise<Stored> {
  try {
    return await store(generated);
  } catch (error) {
    throw isDomainError(error) && error.code === "unsupported_media_type" ? unreadableOutput(error) : error;
  } finally {
    await files.discard(generated);
  }
}

const unreadableOutput = (cause: Error) =>
  new DomainError(
    "provider_bad_response",
    { provider: "The provider", reason: "its result is not the requested kind of file" },
    { cause },
  );

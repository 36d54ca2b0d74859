import { Readable } from "node:stream";
import type { ImageTask, ModelChoice, Models, VideoTask } from "../../../src/domain/ai/models.ts";
import type { ProviderCall } from "../../../src/domain/ai/provider-calls.ts";
import type { JobCheckpoint } from "../../../src/domain/idempotency/checkpoints.ts";
import type { ReceivedFile } from "../../../src/engine/ports.ts";
import type { Services } from "../../../src/services.ts";
import { rememberedMedia } from "../remembered-media.ts";
import { mp4, png } from "../uploads.ts";

type Draw = (task: ImageTask, call: ProviderCall) => Promise<Uint8Array>;
type Animate = (task: VideoTask, call: ProviderCall, job: JobCheckpoint) => Promise<Uint8Array>;

/** Scripted image and video models. By default they return a small image and a short video. */
export function scriptedModels() {
  const defaults = {
    draw: (async () => png(64, 36).bytes()) as Draw,
    animate: (async () => (await mp4()).bytes()) as Animate,
  };
  const script = {
    ...defaults,
    imageTasks: [] as ImageTask[],
    videoTasks: [] as VideoTask[],
    /** The bytes of the images to animate. */
    inputImages: [] as Uint8Array[],
    choices: [] as ModelChoice[],
    reset() {
      Object.assign(script, defaults);
      for (const list of [script.imageTasks, script.videoTasks, script.inputImages, script.choices]) list.length = 0;
    },
  };
  const models = (services: Services) => ({ ...rememberedMedia(services), models: modelsOf(script, services.files) });
  return { script, models };
}

const withoutHeaders = ({ headers: _, ...choice }: ModelChoice): ModelChoice => choice;

export type Script = ReturnType<typeof scriptedModels>["script"];

/** An image that is drawn when the test says so, unless its request is cancelled. */
export function holdDrawing(script: Script) {
  const started = Promise.withResolvers<AbortSignal>();
  const result = Promise.withResolvers<void>();
  const { draw } = script;
  script.draw = async (task, call) => {
    started.resolve(call.clientSignal);
    const cancelled = Promise.withResolvers<void>();
    call.clientSignal.addEventListener("abort", () => cancelled.resolve());
    await Promise.race([result.promise, cancelled.promise]);
    call.clientSignal.throwIfAborted();
    return draw(task, call);
  };
  return { started: started.promise, finish: () => result.resolve() };
}

function modelsOf(script: Script, files: Services["files"]): Models {
  const none = () => {
    throw new Error("no such model in this test");
  };
  return {
    providers: [],
    select: (_, { provider = "one", modelId = `${provider}-1` }) => ({
      id: { provider, model: modelId },
      needsKey: true,
    }),
    requireOffered: () => {},
    vision: none,
    llm: none,
    speech: none,
    music: none,
    transcription: none,
    stock: none,
    image: (choice) => {
      script.choices.push(withoutHeaders(choice));
      return {
        isBilled: true,
        maxReferences: 2,
        draw: (task, call) => {
          script.imageTasks.push(task);
          return script.draw(task, call);
        },
      };
    },
    video: (choice) => {
      script.choices.push(withoutHeaders(choice));
      return {
        isBilled: true,
        maxReferences: 1,
        nearestDuration: (wanted) => Math.min(8, Math.max(4, Math.round(wanted))),
        async animate(task, call, job): Promise<ReceivedFile> {
          script.videoTasks.push(task);
          script.inputImages.push(await Bun.file(task.image.path).bytes());
          return files.receive(Readable.from([await script.animate(task, call, job)]), 10_000_000);
        },
      };
    },
  };
}

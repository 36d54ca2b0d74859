import { resolve } from "node:path";
import type { VideoFrame } from "../../domain/ai/video-metrics.ts";
import type { TaskOptions } from "../../platform/task-options.ts";
import type { MediaFacts } from "../../timeline/source.ts";
import { mapTaskFailure, unreadableImage } from "../sandbox/failures.ts";
import { readOutput } from "../sandbox/outputs.ts";
import type { TaskPool } from "../sandbox/task-pool.ts";

type ImageOptions = TaskOptions & {
  readonly path: string;
  readonly facts: MediaFacts;
  readonly mimeTypes: readonly string[];
  readonly maxBytes?: number;
  readonly folder: string;
};

/** The stored image if it is an upright still of an accepted type; else a JPEG, or a PNG if it has transparency. */
export async function imageForModel(
  canvas: TaskPool,
  { path, facts, mimeTypes, maxBytes, folder, ...options }: ImageOptions,
): Promise<Omit<VideoFrame, "atSeconds">> {
  const conversion = { path: resolve(path), facts, mimeTypes, maxBytes, output: `${folder}/image` };
  const { mimeType } = await canvas.run("convertForModel", conversion, options).catch(mapTaskFailure(unreadableImage));
  if (mimeType) return { bytes: await readOutput(conversion.output), mimeType };
  return { bytes: await Bun.file(path).bytes(), mimeType: facts.mimeType };
}

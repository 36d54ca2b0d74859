import { basename } from "node:path";
import type { Asset, Client, MediaSlot, UploadedMedia, UploadProgress } from "../index.ts";
import { type Context, signedInClient } from "./context.ts";
import { UsageError } from "./exit-codes.ts";
import { progressBar, sizeText } from "./progress.ts";

type UploadOptions = {
  readonly project: string;
  readonly work?: string;
  readonly slot?: string;
  readonly name?: string;
  readonly tag?: readonly string[];
};

/** Uploads files one after another: to the assets of a project, or one file to a slot of a work. */
export async function upload(context: Context, paths: readonly string[], options: UploadOptions): Promise<void> {
  assertTarget(paths, options);
  const client = await signedInClient(context);
  const uploaded: (Asset | UploadedMedia)[] = [];
  for (const path of paths) uploaded.push(await uploadOne(context, client, path, options));
  context.output.result(uploaded, () => uploaded.map((one) => ("id" in one ? one.id : one.url)).join("\n"));
}

function assertTarget(paths: readonly string[], { work, slot, name }: UploadOptions) {
  if ((work === undefined) !== (slot === undefined)) throw new UsageError("--work and --slot belong together.");
  if (paths.length > 1 && (slot !== undefined || name !== undefined)) {
    throw new UsageError("--slot and --name are for one file.");
  }
  if (slot !== undefined && !isSlot(slot)) {
    throw new UsageError("--slot is reference, audio, scene/0/image or scene/0/video.");
  }
}

const isSlot = (slot: string): slot is MediaSlot => /^(reference|audio|scene\/\d+\/(image|video))$/.test(slot);

async function uploadOne({ output, signal }: Context, client: Client, path: string, options: UploadOptions) {
  const { project: projectId, work: workId, slot, name, tag } = options;
  const bar = progressBar(output, basename(path));
  const onProgress = ({ sentBytes, totalBytes = sentBytes }: UploadProgress) =>
    bar.update(totalBytes === 0 ? 1 : sentBytes / totalBytes, sizeText(totalBytes));
  try {
    if (workId !== undefined && slot !== undefined && isSlot(slot)) {
      return await client.uploadFile({ projectId, workId, slot }, path, { onProgress, signal });
    }
    return await client.uploadFile({ projectId }, path, { name, tags: tag, onProgress, signal });
  } finally {
    bar.end();
  }
}

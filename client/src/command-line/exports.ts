import { extname } from "node:path";
import { type Client, type ExportJob, unwrap } from "../index.ts";
import { withRetries } from "../retry.ts";
import { type Context, signedInClient } from "./context.ts";
import { InterruptedError, UsageError } from "./exit-codes.ts";
import { progressBar, sizeText, stageNote } from "./progress.ts";
import { type ExportBody, type RequestOptions, readRequest } from "./request.ts";

type ExportOptions = RequestOptions & {
  readonly output: string;
  readonly to?: readonly string[];
  readonly detach?: boolean;
};

type WatchOptions = { readonly output?: string };

/** Exports a video and downloads it. Ctrl-C cancels the export, which only this command waits for. */
export async function exportVideo(context: Context, path: string, options: ExportOptions): Promise<void> {
  const client = await signedInClient(context);
  const request = await readRequest(path, options);
  const sent = options.to && (await destinationsOf(client, request.projectId, options.to));
  const begun = await startExport(client, { ...request, ...(sent && { destinations: sent }) });
  for (const { message } of begun.warnings) context.output.note(`Warning: ${message}`);
  if (options.detach) return context.output.result(begun, () => begun.id);
  await finishExport(context, client, begun.id, options.output);
}

/** Follows and downloads an export that this command started. */
export async function finishExport(context: Context, client: Client, exportId: string, output: string): Promise<void> {
  try {
    const job = await follow(context, client, exportId);
    await download(context, client, job, output);
  } catch (error) {
    if (context.signal.aborted) await cancel(client, exportId);
    throw error;
  }
}

/** Destinations of a project by their names, for an order. */
export async function destinationsOf(client: Client, projectId: string, names: readonly string[]) {
  const route = client.api.projects[":projectId"].destinations[":destination"];
  const found = names.map((destination) => unwrap(route.$get({ param: { projectId, destination } })));
  // safe because the service validates what it is sent
  return (await Promise.all(found)).map(({ type, name }) => ({ type, name })) as NonNullable<
    ExportBody["destinations"]
  >;
}

const startAttempts = 5;

/**
 * Retries a start whose answer was lost, with the same key, so that no second export begins. Ctrl-C does not stop it:
 * once started, the export has an id and can be cancelled.
 */
export async function startExport(client: Client, json: ExportBody): Promise<ExportJob> {
  const headers = { "Idempotency-Key": crypto.randomUUID() };
  const start = async () => (await unwrap(client.api.exports.$post({ json }, { headers }))) as ExportJob;
  return await withRetries(start, { attempts: startAttempts });
}

/** Follows an export that does not depend on this command, and downloads it if there is an output file. */
export async function watchExport(context: Context, exportId: string, { output: path }: WatchOptions): Promise<void> {
  const client = await signedInClient(context);
  const job = await follow(context, client, exportId, (state) => {
    if (context.output.isJson) context.output.result(state, () => "");
  });
  if (path !== undefined) return download(context, client, job, path);
  if (!context.output.isJson) context.output.result(job, () => `${job.id} is done.`);
}

async function follow(
  { output, signal }: Context,
  client: Client,
  exportId: string,
  onState: (job: ExportJob) => void = () => {},
): Promise<ExportJob> {
  const bar = progressBar(output, "Export");
  try {
    return await client.waitForExport(exportId, {
      signal,
      onProgress: (job) => {
        bar.update(job.progress, stageNote(job));
        onState(job);
      },
    });
  } finally {
    bar.end();
  }
}

/** One video of an export; `target` is its aspect ratio if there are several. */
type Video = { readonly target?: string; readonly size: number };

function download(context: Context, client: Client, job: ExportJob, path: string): Promise<void> {
  const { files = [] }: Pick<ExportJob, "id"> & { readonly files?: readonly Video[] } = job;
  return downloadVideos(context, client, { id: job.id, files, result: job }, path);
}

type Videos = { readonly id: string; readonly files: readonly Video[]; readonly result: object };

/** Downloads the videos of an export, and prints their paths, or as JSON the result including them. */
export async function downloadVideos(
  context: Context,
  client: Client,
  { id, files, result }: Videos,
  path: string,
): Promise<void> {
  const videos = files.map(({ target, size }) => ({ target, size, path: pathFor(path, target) }));
  for (const video of videos) await downloadOne(context, client, id, video);
  context.output.result({ ...result, paths: videos.map((video) => video.path) }, () =>
    videos.map((video) => `${video.path} (${sizeText(video.size)})`).join("\n"),
  );
}

/** `film.mp4`, or `film-9x16.mp4` if there are several aspect ratios. */
function pathFor(path: string, target: string | undefined): string {
  if (target === undefined) return path;
  const extension = extname(path);
  return `${path.slice(0, path.length - extension.length)}-${target.replace(":", "x")}${extension}`;
}

type TargetFile = Video & { readonly path: string };

async function downloadOne({ output, signal }: Context, client: Client, exportId: string, video: TargetFile) {
  const bar = progressBar(output, "Download");
  try {
    await client.downloadExport(exportId, {
      to: video.path,
      target: video.target,
      signal,
      onProgress: ({ receivedBytes }) => bar.update(receivedBytes / video.size, sizeText(video.size)),
    });
  } finally {
    bar.end();
  }
}

const timelineFormats = ["otio", "fcpxml", "edl", "zip"] as const;

type TimelineOptions = { readonly output: string; readonly target?: string };

/** Downloads the edit of an export for another program; the file name determines the format. */
export async function timeline(context: Context, exportId: string, { output, target }: TimelineOptions): Promise<void> {
  const format = timelineFormats.find((one) => extname(output) === `.${one}`);
  if (!format) throw new UsageError(`${output} must end with one of .${timelineFormats.join(", .")}.`);
  const client = await signedInClient(context);
  await client.downloadExport(exportId, { to: output, target, timeline: format, signal: context.signal });
  context.output.result({ path: output }, () => output);
}

const cancelTimeoutMs = 10_000;

async function cancel(client: Client, exportId: string): Promise<void> {
  const signal = AbortSignal.timeout(cancelTimeoutMs);
  const cancelled = client.api.exports[":exportId"].$delete({ param: { exportId } }, { init: { signal } });
  await unwrap(cancelled).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new InterruptedError(`Interrupted, but ${exportId} may continue: ${reason}`);
  });
}

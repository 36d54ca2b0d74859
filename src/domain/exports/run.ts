import { DomainError, invalid } from "../../errors.ts";
import type { Caller } from "../auth/caller.ts";
import type { Services } from "../services.ts";
import { newId } from "../shared/ids.ts";
import type { Work } from "../works/works.ts";
import { completeRequest } from "./complete.ts";
import {
  type ExportFile,
  type ExportJob,
  type ExportProgress,
  errorOf,
  failureOf,
  followExport,
  hasEnded,
  type JobLease,
  newExport,
} from "./jobs.ts";
import type { RenderedVideos } from "./renderer.ts";
import { canvasOf, checkExport, resolveExport } from "./resolve.ts";
import type { ExportRequest } from "./schema.ts";
import { targetsOf, timelinesOf } from "./targets.ts";
import type { AsyncExportRequest } from "./webhooks/schema.ts";
import { acceptWebhook } from "./webhooks/webhooks.ts";

/**
 * Orders an export. What the work's editor says now is what will be exported, and what is wrong with the request
 * is thrown at once.
 */
export async function orderExport(
  services: Services,
  caller: Caller,
  work: Work,
  { webhook, ...request }: AsyncExportRequest,
): Promise<ExportJob> {
  const complete = completeRequest(request, work);
  const settled = { ...complete, options: { ...complete.options, ...canvasOf(complete, work) } };
  const { timeline, warnings } = await checkExport(services, work, settled);
  const order = { caller, work, request: settled, keepMs: services.settings.exportKeepMs };
  const frames = timeline.track.frames * targetsOf(settled).length;
  const job = { ...newExport(order), frames, warnings };
  await services.exports.add(job, webhook && (await acceptWebhook(services, webhook)));
  return job;
}

/** Orders one film and waits for its end; whoever leaves meanwhile cancels it. Throws what the export failed of. */
export async function exportFilm(
  services: Services,
  caller: Caller,
  work: Work,
  request: ExportRequest,
  signal: AbortSignal,
): Promise<ExportJob> {
  if (completeRequest(request, work).options?.targets) {
    throw invalid("options.targets", "Several films come from POST /api/exports, or with Prefer: respond-async.");
  }
  const ordered = await orderExport(services, caller, work, request);
  let last: ExportJob = ordered;
  try {
    for await (const job of followExport(services, ordered, signal, "turns")) last = job;
  } finally {
    if (!hasEnded(last)) await services.exports.cancel(ordered.id, Date.now());
  }
  signal.throwIfAborted();
  if (last.failure) throw errorOf(last.failure);
  // removed or cancelled by its owner meanwhile
  if (last.status !== "done") throw new DomainError("not_found", {});
  return last;
}

/** Removes an export with its films; one that still runs is stopped. */
export async function removeExport(
  { exports, files }: Pick<Services, "exports" | "files">,
  { userId, id }: ExportJob,
): Promise<void> {
  await files.remove((await exports.remove(userId, id, Date.now())) ?? []);
}

/**
 * A worker's turn at an export: renders it and says so, unless it has ended meanwhile. `signal` aborts when this
 * process stops: then it throws, and another turn goes on from the parts that are there. Failures of our own making
 * are for the log, and their caller learns only that there was one.
 */
export async function runExportJob(
  services: Services,
  exportId: string,
  signal: AbortSignal,
  logMistake: (error: unknown) => void = () => {},
): Promise<void> {
  const job = await services.exports.begin(exportId, Date.now());
  if (!job) return;
  const turn: JobLease = { exportId, attempt: job.attempt };
  const over = new AbortController();
  const watching = watch(services, job, over);
  try {
    if (job.attempt > mostAttempts) throw new Error(`${mostAttempts} workers began it, and none came to its end.`);
    const done = await render(services, job, { turn, over, signal: AbortSignal.any([signal, over.signal]) });
    if (!(await services.exports.end(turn, { status: "done", ...done }, Date.now()))) await drop(services, done.files);
  } catch (error) {
    signal.throwIfAborted();
    if (over.signal.aborted) return;
    const failure = failureOf(error);
    if (failure.code === "internal") logMistake(error);
    await services.exports.end(turn, { status: "error", failure }, Date.now());
  } finally {
    over.abort();
    await watching;
  }
}

/** A film that ends its workers instead of being ended by them is given up. */
const mostAttempts = 10;

/** Ends the turn as soon as the export is cancelled, removed, or in other hands. */
async function watch(services: Services, { id, userId, attempt }: ExportJob, over: AbortController): Promise<void> {
  for await (const _ of services.exportFeed.changes(id, over.signal, "turns")) {
    const now = await services.exports.find(userId, id).catch(() => "unknown" as const);
    if (now === "unknown") continue;
    if (now?.status !== "rendering" || now.attempt !== attempt) over.abort();
  }
}

type RunningTurn = { readonly turn: JobLease; readonly over: AbortController; readonly signal: AbortSignal };

async function render(services: Services, job: ExportJob, { turn, over, signal }: RunningTurn) {
  const { caller, work } = await requireParties(services, job);
  const resolved = await resolveExport(services, caller, work, job.request, signal);
  try {
    const { timeline, quality, warnings } = resolved;
    const timelines = timelinesOf(timeline, job.request);
    const frames = timeline.track.frames * timelines.length;
    if (!(await services.exports.describe(turn, { frames, warnings }))) over.abort();
    const reports = reporter((progress) => services.exports.progress(turn, progress));
    const options = { quality, signal, owner: job.userId, onProgress: reports.note };
    const rendered = await services.renderer.render(timelines, options);
    const progress = await reports.last();
    return { files: await keepFilms(services, job, rendered), progress };
  } finally {
    await resolved.dispose();
  }
}

/** Who asked and for which work, as they are now. */
async function requireParties({ users, works }: Services, { userId, projectId, workId, scopes }: ExportJob) {
  const [user, work] = await Promise.all([users.find(userId), works.find(projectId, workId)]);
  if (!user || !work) throw new DomainError("not_found", {});
  const caller: Caller = { user, via: "login", scopes };
  return { caller, work };
}

async function keepFilms(services: Services, job: ExportJob, rendered: RenderedVideos): Promise<readonly ExportFile[]> {
  const kept: ExportFile[] = [];
  try {
    for (const [index, target] of targetsOf(job.request).entries()) {
      // safe because a film was rendered for every target
      const film = rendered.videos[index]!;
      const key = `${job.projectId}/${newId("media")}.mp4`;
      await services.files.keep(film, key);
      kept.push({ target, key, sizeBytes: film.sizeBytes });
    }
    return kept;
  } catch (error) {
    await drop(services, kept);
    throw error;
  } finally {
    await rendered.dispose();
  }
}

const drop = ({ files }: Services, made: readonly ExportFile[]) => files.remove(made.map(({ key }) => key));

const reportEveryMs = 500;

/** Passes on at most some reports a second, one after the other. */
function reporter(send: (progress: ExportProgress) => Promise<unknown>) {
  let latest: ExportProgress = { framesDone: 0, framesRendered: 0 };
  let sent: Promise<unknown> = Promise.resolve();
  let isResting = false;
  const rest = () => {
    setTimeout(() => {
      isResting = false;
    }, reportEveryMs);
  };
  return {
    note(progress: ExportProgress): void {
      latest = progress;
      if (isResting) return;
      isResting = true;
      sent = send(latest).catch(() => {});
      void sent.then(rest);
    },
    /** The latest of all, once no report is under way. */
    async last(): Promise<ExportProgress> {
      await sent;
      return latest;
    },
  };
}

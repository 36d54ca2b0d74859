import {
  type ExportProgress,
  type FileStore,
  inStage,
  isSignable,
  type RenderedFile,
  type RenderedVideos,
  type Renderer,
  type Signer,
} from "../../../engine/ports.ts";
import { type Format, formatTable } from "../../../engine/timeline/format.ts";
import { videoCaptions } from "../../captions/video.ts";
import { type CheckVideosPorts, checkVideos, gateWarnings, requirePassed } from "../../gate/video/check-videos.ts";
import type { CheckedExport } from "../../gate/video/facts.ts";
import { timelineHash } from "../../provenance/inputs.ts";
import { type Production, signedFiles, statementOf } from "../../provenance/statement.ts";
import { newId } from "../../shared/ids.ts";
import type { Telemetry } from "../../telemetry/telemetry.ts";
import { type BaseRequests, storedRequest } from "../request/fill-from-editor.ts";
import { outputOf } from "../request/output.ts";
import { exportInputs, type ResolveExportPorts, resolveExport } from "../request/resolve.ts";
import { targetsOf, targetTimelines } from "../request/targets.ts";
import { type FindWarningsPorts, findWarnings } from "../request/validation/find-warnings.ts";
import { type LoadOwnerPorts, loadOwnerAndWork } from "./job-state.ts";
import {
  type ExportFile,
  type ExportJob,
  type ExportOutcome,
  type ExportStore,
  type JobLease,
  posterOf,
  type RenderTaskStore,
} from "./jobs.ts";

export type RenderPorts = {
  readonly files: Pick<FileStore, "store" | "remove">;
  readonly renderer: Pick<Renderer, "render" | "engine">;
  readonly signer?: Signer | undefined;
  readonly exports: Pick<ExportStore, "recordLayout" | "reportProgress">;
  readonly telemetry: Telemetry;
  readonly batchBases: BaseRequests;
  /** Undefined if no other process can render encode tasks of an export. */
  readonly runs?: Pick<RenderTaskStore, "of"> | undefined;
} & LoadOwnerPorts &
  CheckVideosPorts &
  ResolveExportPorts &
  FindWarningsPorts;

type Attempt = { readonly lease: JobLease; readonly signal: AbortSignal; readonly superseded: AbortController };

/** Renders an export and stores its videos. Aborts `superseded` if another attempt begins. Leaves no file on failure. */
export async function renderExport(
  ports: RenderPorts,
  job: ExportJob,
  { lease, superseded, signal }: Attempt,
): Promise<Required<Pick<ExportOutcome, "files" | "progress">>> {
  const { exports, renderer, telemetry } = ports;
  const { resolved, warnings, production, signer, signed } = await inStage(telemetry, "resolve", () =>
    resolve(ports, job, signal),
  );
  const { timeline, quality, dispose } = resolved;
  try {
    const timelines = targetTimelines(timeline, job.request);
    const frames = timeline.track.frames * timelines.length;
    const captions = videoCaptions(timeline);
    const layout = { frames, warnings, production, ...(captions && { captions }) };
    if (!(await exports.recordLayout(lease, layout))) superseded.abort();
    const { report, finish } = progressReporter((progress) => exports.reportProgress(lease, progress));
    const { projectId } = job;
    const owner = ownerOf(job);
    const sharedTasks = ports.runs?.of(lease);
    const output = outputOf(resolved.request);
    const { poster } = resolved.request.options ?? {};
    const provenance = signer && { statement: production.statement, signer, signedFiles: signed };
    const isBatch = job.batchId !== undefined;
    const options = {
      quality,
      signal,
      owner,
      projectId,
      isBatch,
      onProgress: report,
      sharedTasks,
      provenance,
      output,
      poster,
    };
    const rendered = await renderer.render(timelines, options);
    const progress = await finish();
    if (resolved.request.gate) await guard(ports, { resolved, layout, rendered }, { lease, superseded, owner, signal });
    return {
      files: await inStage(telemetry, "store", () => storeVideos(ports, job, rendered, output.format)),
      progress,
    };
  } finally {
    await dispose();
  }
}

type Finished = {
  readonly resolved: CheckedExport;
  readonly layout: Parameters<ExportStore["recordLayout"]>[1];
  readonly rendered: RenderedVideos;
};

/** Checks rendered videos and records the result. Throws gate_failed after removing the videos. */
async function guard(
  ports: RenderPorts,
  { resolved, layout, rendered }: Finished,
  { lease, superseded, owner, signal }: Attempt & { readonly owner: string },
): Promise<void> {
  try {
    const gateReport = await inStage(ports.telemetry, "check", () =>
      checkVideos(ports, resolved, rendered.videos, { owner, signal }),
    );
    const warnings = [...layout.warnings, ...gateWarnings(gateReport)];
    if (!(await ports.exports.recordLayout(lease, { ...layout, warnings, gateReport }))) superseded.abort();
    if (resolved.request.gate === "block") requirePassed(gateReport);
  } catch (error) {
    await rendered.dispose();
    throw error;
  }
}

/** The owner for fair scheduling: a user's batches share one, separate from the user's own exports. */
const ownerOf = ({ batchId, userId }: ExportJob): string => (batchId === undefined ? userId : `batches of ${userId}`);

async function resolve(ports: RenderPorts, job: ExportJob, signal: AbortSignal) {
  const { caller, work } = await loadOwnerAndWork(ports, job);
  const resolved = await resolveExport(ports, caller, work, await storedRequest(ports, job, work), signal);
  try {
    const found = await findWarnings(ports, resolved, { owner: job.userId, signal });
    // known from the saved editor at the time of the request
    const duplicates = job.warnings.filter(({ code }) => code === "duplicate_id");
    const { format } = outputOf(resolved.request);
    const signer = isSignable(format) ? ports.signer : undefined;
    const { media } = resolved.layout;
    const { disclosure } = resolved.timeline;
    const production: Production = {
      statement: statementOf(resolved.timeline, media, ports.signer),
      inputs: exportInputs(resolved),
      timeline: timelineHash(resolved.timeline),
      engine: await ports.renderer.engine(),
      ...(disclosure && { label: { text: disclosure.text, ...(disclosure.place && { place: disclosure.place }) } }),
      ...(signer && { signed: { by: signer.subject, isLocal: signer.isLocal } }),
      ...(ports.signer && !signer && { unsigned: format }),
    };
    const signed = signedFiles(resolved.timeline, media);
    return { resolved, warnings: [...found, ...duplicates], production, signer, signed };
  } catch (error) {
    await resolved.dispose();
    throw error;
  }
}

/** Moves the rendered videos into the file store; if one fails, removes all. */
async function storeVideos(
  ports: Pick<RenderPorts, "files">,
  job: ExportJob,
  rendered: RenderedVideos,
  format: Format,
): Promise<readonly ExportFile[]> {
  const stored: ExportFile[] = [];
  const { extension } = formatTable[format];
  const store = async (target: ExportFile["target"], { path, sizeBytes }: RenderedFile, extension: string) => {
    const key = `${job.projectId}/${newId("media")}.${extension}`;
    await ports.files.store({ path }, key);
    stored.push({ target, key, sizeBytes });
  };
  try {
    for (const [index, target] of targetsOf(job.request).entries()) {
      // safe because every target was rendered
      const { poster, ...video } = rendered.videos[index]!;
      await store(target, video, extension);
      if (poster) await store(posterOf(target), poster, formatTable.jpg.extension);
    }
    return stored;
  } catch (error) {
    await removeFiles(ports, stored);
    throw error;
  } finally {
    await rendered.dispose();
  }
}

export const removeFiles = ({ files }: Pick<RenderPorts, "files">, stored: readonly ExportFile[]) =>
  files.remove(stored.map(({ key }) => key));

/** Each report costs a statement of the database and a message to every process. */
const reportIntervalMs = 2_000;

/** Throttles progress reports: one at a time, at least `reportIntervalMs` apart. Failed reports are ignored. */
function progressReporter(send: (progress: ExportProgress) => Promise<unknown>) {
  let latest: ExportProgress = { framesDone: 0, framesRendered: 0 };
  let sending: Promise<unknown> = Promise.resolve();
  let isThrottled = false;
  const throttle = () => {
    setTimeout(() => {
      isThrottled = false;
    }, reportIntervalMs);
  };
  return {
    report(progress: ExportProgress): void {
      latest = progress;
      if (isThrottled) return;
      isThrottled = true;
      sending = send(latest).catch(() => {});
      void sending.then(throttle);
    },
    /** Waits for the report in progress and returns the latest progress, which may not have been reported. */
    async finish(): Promise<ExportProgress> {
      await sending;
      return latest;
    },
  };
}

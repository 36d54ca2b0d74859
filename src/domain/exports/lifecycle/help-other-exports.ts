import { setTimeout } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import type { Renderer } from "../../../engine/ports.ts";
import { isUnavailable } from "../../../errors.ts";
import { linkSignal } from "../../../platform/async.ts";
import type { Telemetry } from "../../telemetry/telemetry.ts";
import { type BaseRequests, storedRequest } from "../request/fill-from-editor.ts";
import { outputOf } from "../request/output.ts";
import { buildTimeline, type ResolveLayoutPorts, resolveLayout } from "../request/resolve.ts";
import { targetTimelines } from "../request/targets.ts";
import { type LoadOwnerPorts, loadOwnerAndWork, type WatchLeasePorts, watchLease } from "./job-state.ts";
import type { ExportJob, ExportStore, OpenAttempt, RenderTaskStore } from "./jobs.ts";

type HelpPorts = LoadOwnerPorts &
  WatchLeasePorts &
  ResolveLayoutPorts & {
    readonly renderer: Pick<Renderer, "renderTasks">;
    readonly exports: Pick<ExportStore, "find">;
    readonly runs: RenderTaskStore;
    readonly telemetry: Pick<Telemetry, "metrics">;
    readonly batchBases: BaseRequests;
  };

type HelperOptions = {
  /** Receives errors of the help. They do not harm the export: its own process renders the remaining tasks. */
  readonly logError: (error: unknown) => void;
  /** Shorter in tests. */
  readonly pollEveryMs?: number;
};

/** Renders encode tasks of other processes' exports while this process has none of its own. */
export type ExportHelper = {
  /** Ends the help, and begins no other until `run` has settled. */
  during<Result>(run: () => Promise<Result>): Promise<Result>;
  /** Resolves when no help is in progress; none begins afterwards. */
  stop(): Promise<void>;
};

export function helpOtherExports(ports: HelpPorts, { logError, pollEveryMs = 1_000 }: HelperOptions): ExportHelper {
  const stopped = new AbortController();
  const stop = () => {
    stopped.abort();
    idle.abort();
  };
  let ownExports = 0;
  let idle = new AbortController();
  /** Attempts that this process cannot help, such as those of another ffmpeg version. */
  const failed = new LRUCache<string, true>({ max: 100 });

  /** False if no attempt needed help. */
  const helpOnce = async (): Promise<boolean> => {
    const { signal } = idle;
    const open = await ports.runs.findOpen();
    for (const attempt of open) {
      const name = `${attempt.exportId}/${attempt.attempt}`;
      if (signal.aborted || failed.has(name)) continue;
      const linked = linkSignal(signal);
      await helpWith(ports, attempt, linked.signal)
        .catch((error) => {
          if (signal.aborted || isUnavailable(error)) return;
          failed.set(name, true);
          throw error;
        })
        .finally(linked.release);
    }
    return open.length > 0;
  };

  const help = async () => {
    let mayHelp = false;
    while (!stopped.signal.aborted) {
      if (!mayHelp) await ports.runs.untilOffered(stopped.signal);
      await setTimeout(pollEveryMs, undefined, { signal: stopped.signal }).catch(() => {});
      if (ownExports > 0 || stopped.signal.aborted) continue;
      mayHelp = await helpOnce().catch((error) => {
        // there is nothing to do while the database is unavailable
        if (!isUnavailable(error)) logError(error);
        return false;
      });
    }
  };

  const helping = help();
  return {
    async during(run) {
      ownExports++;
      idle.abort();
      try {
        return await run();
      } finally {
        ownExports--;
        if (ownExports === 0 && !stopped.signal.aborted) idle = new AbortController();
      }
    },

    async stop() {
      stop();
      await helping;
    },
  };
}

/** Renders encode tasks of an attempt until none is left, or the attempt ends. */
async function helpWith(ports: HelpPorts, attempt: OpenAttempt, signal: AbortSignal): Promise<void> {
  const job = await ports.exports.find(attempt.userId, attempt.exportId);
  if (job?.status !== "rendering" || job.attempt !== attempt.attempt) return;
  const runs = ports.runs.of(attempt);
  const ended = new AbortController();
  const watching = watchLease(ports, job, ended);
  try {
    const { timelines, quality, output } = await resolveVideos(ports, job, AbortSignal.any([signal, ended.signal]));
    await ports.renderer.renderTasks(timelines, {
      quality,
      output,
      owner: job.userId,
      projectId: job.projectId,
      isBatch: job.batchId !== undefined,
      signal: AbortSignal.any([signal, ended.signal]),
      sharedTasks: { ...runs, finish: (number) => runs.finish(number).then(ports.telemetry.metrics.exportHelped) },
    });
  } catch (error) {
    if (!ended.signal.aborted) throw error;
  } finally {
    ended.abort();
    await watching;
    await runs.release().catch(() => {});
  }
}

/** Resolves what the segments of an export depend on, without its sounds, which may have to be fetched. */
async function resolveVideos(ports: HelpPorts, job: ExportJob, signal: AbortSignal) {
  const { work } = await loadOwnerAndWork(ports, job);
  const complete = await storedRequest(ports, job, work);
  const layout = await resolveLayout(ports, work, complete, { owner: job.userId, signal });
  const { timeline, quality } = buildTimeline(complete, layout, {});
  return { timelines: targetTimelines(timeline, job.request), quality, output: outputOf(complete) };
}

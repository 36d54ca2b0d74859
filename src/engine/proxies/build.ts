import { LRUCache } from "lru-cache";
import { isDomainError } from "../../errors.ts";
import { withJobFolder } from "../../platform/files.ts";
import { concurrencyLimit } from "../../platform/limits/concurrency-limit.ts";
import { type CpuBudget, cpuBudget } from "../../platform/limits/cpu-budget.ts";
import { sha256Of } from "../../platform/values.ts";
import type { Ffmpeg } from "../ffmpeg/ffmpeg.ts";
import { type FileStore, type RenderCache, referenceTo } from "../ports.ts";
import type { Source } from "../timeline/source.ts";
import { type IdleScheduler, idleScheduler } from "./idle-scheduler.ts";
import type { ProxyKind } from "./kind.ts";

/** A source of a project, and the user who sees it. */
export type ProjectSource = {
  readonly source: Source;
  /** The project with which the proxy is removed. */
  readonly projectId: string;
  /** User id. */
  readonly owner: string;
};

/** The proxies of videos, each built after the first request that would have used it. */
export type Proxies = {
  /** Runs rendering that users wait for: no proxy is built meanwhile. */
  during: IdleScheduler["during"];
  /** Hard-links the proxy of a source to a new path. If none exists yet, returns false and builds it later. */
  linkTo(source: ProjectSource, path: string): Promise<boolean>;
  /** Resolves when no build is queued. */
  untilIdle(): Promise<void>;
};

type ProxyOptions = {
  readonly kind: ProxyKind;
  readonly files: Pick<FileStore, "jobFolder" | "linkTo">;
  readonly cache: RenderCache;
  readonly ffmpeg: Pick<Ffmpeg, "version">;
  readonly scheduler?: IdleScheduler;
  /** Default: a budget of this builder's own. */
  readonly cpu?: Pick<CpuBudget, "background">;
  /** Called when a proxy could not be built. */
  readonly onFailure?: ((error: unknown) => void) | undefined;
};

/** Owners take turns; a build that does not fit into the queue is requested again at its next use. */
const queueLimits = { concurrency: 1, maxQueuedPerOwner: 100, maxQueued: 1_000 };

/** A build may fail because of the source or a lack of memory: it is retried, but not at each request. */
const notProxyableMs = 3_600_000;

/** Builds one proxy at a time, while this process renders nothing that users wait for. */
export function proxyBuilder({ kind, files, cache, ffmpeg, ...options }: ProxyOptions): Proxies {
  const { scheduler = idleScheduler(), onFailure = () => {}, cpu = cpuBudget() } = options;
  const limit = concurrencyLimit(queueLimits);
  const pending = new Map<string, Promise<void>>();
  const notProxyable = new LRUCache<string, true>({ max: 10_000, ttl: notProxyableMs });

  const keyFor = ({ source, projectId }: ProjectSource): string =>
    `${projectId}/${contentKey(kind, source, ffmpeg.version)}`;

  const isCached = async (key: string) => (await cache.sizeOf(key)) !== undefined;

  const buildWhenIdle = async (source: Source, key: string): Promise<void> => {
    if (await isCached(key)) return;
    await scheduler.whenIdle((signal) => cpu.background(() => build(source, key, signal), { signal }));
    // larger than the cache
    if (!(await isCached(key))) notProxyable.set(key, true);
  };

  const build = (source: Source, key: string, signal: AbortSignal) =>
    withJobFolder(files.jobFolder, async (folder) => {
      const path = `${folder}/source`;
      const output = `${folder}/proxy`;
      await files.linkTo(referenceTo(source), path);
      await kind.build({ source, path, folder, output, signal });
      signal.throwIfAborted();
      await cache.put([{ key, path: output }]);
    });

  const request = (source: Source, key: string, owner: string): void => {
    if (pending.has(key) || notProxyable.has(key)) return;
    // without the signal of the job that asks: it aborts at the end of that job
    const building = limit(() => buildWhenIdle(source, key), { owner }).catch((error) => {
      // the others say nothing about the source: the queue was full, or a part of the service did not respond
      if (!isDomainError(error)) notProxyable.set(key, true);
      onFailure(error);
    });
    pending.set(key, building);
    void building.then(() => pending.delete(key));
  };

  return {
    during: scheduler.during,

    async linkTo(wanted, path) {
      const { source, owner } = wanted;
      if (!kind.isFor(source.facts)) return false;
      const key = keyFor(wanted);
      if (await cache.linkTo(key, path)) return true;
      request(source, key, owner);
      return false;
    },

    async untilIdle() {
      while (pending.size > 0) await Promise.all(pending.values());
    },
  };
}

/** Proxies for callers that neither build nor use any. */
export const noProxies: Proxies = {
  during: (work) => work(),
  linkTo: async () => false,
  untilIdle: async () => {},
};

function contentKey({ describe }: ProxyKind, source: Source, ffmpegVersion: string): string {
  const description = JSON.stringify([ffmpegVersion, source.hash, describe(source)]);
  return sha256Of(description);
}

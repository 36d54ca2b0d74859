import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import type { RenderCache } from "../../domain/exports/renderer.ts";
import { type FileStore, referenceTo } from "../../domain/files/file-store.ts";
import type { Preparation, ProjectSource } from "../../domain/files/preparation.ts";
import { isDomainError } from "../../errors.ts";
import { concurrencyLimit } from "../../platform/concurrency-limit.ts";
import type { Source } from "../../timeline/source.ts";
import type { Ffmpeg } from "../ffmpeg/ffmpeg.ts";
import type { PreparedKind } from "./kind.ts";
import { type QuietTimes, quietTimes } from "./quiet-times.ts";
import { recentKeys } from "./recent-keys.ts";

/** What has been prepared of videos. */
export type Prepared = Preparation & {
  /** Runs rendering that users wait for: nothing is prepared meanwhile. */
  during: QuietTimes["during"];
  /** Hard-links what was prepared of a source to a new path. If there is nothing yet, returns false and asks for it. */
  linkTo(kind: PreparedKind, source: ProjectSource, path: string): Promise<boolean>;
};

export type PreparedOptions = {
  readonly kinds: readonly PreparedKind[];
  readonly files: Pick<FileStore, "jobFolder" | "linkTo">;
  readonly cache: RenderCache;
  readonly ffmpeg: Pick<Ffmpeg, "version">;
  readonly quiet?: QuietTimes;
  /** Receives what prevented a build, for the log. */
  readonly onFailure?: ((kind: string, error: unknown) => void) | undefined;
};

/** Each owner takes turns; what finds no place is asked for again when it is missed. */
const places = { concurrency: 1, maxQueuedPerOwner: 100, maxQueued: 1_000 };

/** A build may fail because of the source, or because memory was short: it is tried again, but not at each request. */
const unpreparableMs = 3_600_000;

/** Prepares one source at a time, while this process renders nothing that users wait for. */
export function preparedMedia({ kinds, files, cache, ffmpeg, ...options }: PreparedOptions): Prepared {
  const { quiet = quietTimes(), onFailure = () => {} } = options;
  const limit = concurrencyLimit(places);
  const pending = new Map<string, Promise<void>>();
  const unpreparable = recentKeys({ max: 10_000, milliseconds: unpreparableMs });

  const keyFor = (kind: PreparedKind, { source, projectId }: ProjectSource): string =>
    `${projectId}/${contentKey(kind, source, ffmpeg.version)}`;

  const isCached = async (key: string) => (await cache.sizeOf(key)) !== undefined;

  const prepareKind = async (kind: PreparedKind, wanted: ProjectSource, key: string): Promise<void> => {
    if (await isCached(key)) return;
    await quiet.run((signal) => build(kind, wanted, key, signal));
    // larger than the cache
    if (!(await isCached(key))) unpreparable.add(key);
  };

  const build = async (kind: PreparedKind, { source, owner }: ProjectSource, key: string, signal: AbortSignal) => {
    const folder = await files.jobFolder();
    try {
      const path = `${folder}/source`;
      const output = `${folder}/prepared`;
      await files.linkTo(referenceTo(source), path);
      await kind.build({ source, path, folder, output, owner, signal });
      signal.throwIfAborted();
      await cache.put([{ key, path: output }]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };

  const ask = (kind: PreparedKind, wanted: ProjectSource): void => {
    const key = keyFor(kind, wanted);
    if (pending.has(key) || unpreparable.has(key)) return;
    // without the signal of the job that asks: it aborts at the end of that job
    const { owner } = wanted;
    const preparing = limit(() => prepareKind(kind, wanted, key), { owner }).catch((error) => {
      // the others say nothing about the source: no place, or a part of the service did not respond
      if (!isDomainError(error)) unpreparable.add(key);
      onFailure(kind.name, error);
    });
    pending.set(key, preparing);
    void preparing.then(() => pending.delete(key));
  };

  return {
    during: quiet.during,

    prepare(wanted) {
      const wantedKinds = kinds.filter((kind) => kind.isFor(wanted.source.facts));
      // an upload is often followed by another one, or by a request that shows it
      if (wantedKinds.length > 0) quiet.putOff();
      for (const kind of wantedKinds) ask(kind, wanted);
    },

    async linkTo(kind, wanted, path) {
      if (!kinds.includes(kind) || !kind.isFor(wanted.source.facts)) return false;
      if (await cache.linkTo(keyFor(kind, wanted), path)) return true;
      ask(kind, wanted);
      return false;
    },

    async untilIdle() {
      while (pending.size > 0) await Promise.all(pending.values());
    },
  };
}

/** For those who prepare nothing, and find nothing prepared. */
export const nothingPrepared: Prepared = {
  prepare: () => {},
  during: (work) => work(),
  linkTo: async () => false,
  untilIdle: async () => {},
};

function contentKey({ name, describe }: PreparedKind, source: Source, ffmpegVersion: string): string {
  const description = JSON.stringify([name, ffmpegVersion, source.hash, describe(source)]);
  return createHash("sha256").update(description).digest("hex");
}

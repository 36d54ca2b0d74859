import { useSignal } from "@preact/signals";
import type { InferResponseType } from "hono/client";
import { useEffect } from "preact/hooks";
import { api, type Film, type Target, unwrap, type Work } from "../api.ts";
import { asUser } from "../session.ts";
import { fileOf } from "./film-facts.ts";

/** An export of a work. */
export type Job = InferResponseType<(typeof api.exports)[":exportId"]["$get"], 200> & { readonly error?: string };

export const hasEnded = ({ status }: Job): boolean => status === "done" || status === "error" || status === "cancelled";

/** The newest exports of a work, with live progress; none before `workId` is known. */
export function useExports(workId: string | undefined) {
  const jobs = useSignal<readonly Job[]>([]);
  const failure = useSignal<unknown>(undefined);
  const put = (job: Job) => {
    jobs.value = [job, ...jobs.value.filter(({ id }) => id !== job.id)].toSorted((a, b) => b.createdAt - a.createdAt);
  };
  useEffect(() => {
    if (!workId) return;
    asUser(() => unwrap(api.exports.$get({ query: { limit: "100" } }))).then(
      ({ exports }) => {
        jobs.value = exports.filter((job) => job.workId === workId);
      },
      (error: unknown) => {
        failure.value = error;
      },
    );
  }, [workId]);
  const running = jobs.value.filter((job) => !hasEnded(job)).map(({ id }) => id);
  useEffect(() => {
    const streams = running.map((id) => {
      const events = new EventSource(`/api/exports/${id}/events`);
      for (const name of ["progress", "done", "error", "cancelled"]) {
        // `error` is also the event of a broken connection, which has no data
        events.addEventListener(name, (event) => {
          if (event instanceof MessageEvent) put(JSON.parse(event.data));
        });
      }
      return events;
    });
    return () => {
      for (const events of streams) events.close();
    };
  }, [running.join()]);
  return { jobs, failure, put };
}

/** The video that a film's page shows, downloads and shares. */
export type Video = {
  readonly exportId: string;
  readonly files: readonly { readonly target: Film["files"][number]["target"]; readonly url: string }[];
  /** The work was changed afterwards. */
  readonly isOlder: boolean;
};

/** The film's own video, or that of an export of the changed work, if any. Undefined before the film is done. */
export function videoOf(
  film: Film,
  work: Pick<Work, "updatedAt"> | undefined,
  jobs: readonly Job[],
): Video | undefined {
  const { exportId } = film;
  if (film.status !== "done" || exportId === undefined) return undefined;
  const changedAt = work?.updatedAt ?? 0;
  const madeAt = film.steps.find(({ kind }) => kind === "export")?.attempts.at(-1)?.startedAt ?? film.createdAt;
  const files = film.files.map(({ target }) => ({ target, url: fileOf(film, target) }));
  const own = { exportId, files, isOlder: changedAt > madeAt };
  if (!own.isOlder) return own;
  const newer = jobs.find(({ id, status, createdAt }) => status === "done" && id !== exportId && createdAt > madeAt);
  if (!newer) return own;
  return {
    exportId: newer.id,
    files: (newer.files ?? []).map(({ target, url }: { target?: Target; url: string }) => ({
      target: target ?? "",
      url,
    })),
    isOlder: changedAt > newer.createdAt,
  };
}

type Warned = { readonly warnings?: readonly { readonly code: string }[] };

/** True if nothing is heard in what an export or a film has made. */
export const isSilent = ({ warnings = [] }: Warned): boolean => warnings.some(({ code }) => code === "silent_result");

/** True if nothing is heard in the video that a film's page shows. */
export const hasNoSound = (film: Film, { exportId }: Video, jobs: readonly Job[]): boolean =>
  isSilent(exportId === film.exportId ? film : (jobs.find(({ id }) => id === exportId) ?? {}));

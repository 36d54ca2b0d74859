import type { SecretBox } from "../accounts/secrets.ts";
import type { Models } from "../ai/models.ts";
import type { Film, FilmOwner, FilmStep, FilmStore } from "./film.ts";
import { openKeys } from "./keys.ts";

export type ProviderJobPorts = {
  readonly films: Pick<FilmStore, "keys" | "listWithVideoKey">;
  readonly filmKeyBox: SecretBox;
  readonly models: Models;
};

/** Cancels jobs at their providers, if these can. Never throws. */
type CancelJobs = () => Promise<void>;

/**
 * The jobs of a film at providers, with its keys. Call it before the film's end, which erases them. A process that
 * follows a job also cancels it, but the film may be waiting, or its process may have died.
 */
export async function jobsOfFilm(ports: ProviderJobPorts, film: Film): Promise<CancelJobs> {
  const jobs = film.steps.flatMap((step) => jobIdsOf(step).map((id) => ({ id, step })));
  const { video } = film.order.models;
  const keys = jobs.length > 0 && video ? openKeys(ports.filmKeyBox, film, await ports.films.keys(film.id)) : {};
  return async () => {
    if (!video) return;
    const cancelled = jobs.map(async ({ id, step: { wish } }) => {
      const choice = { ...video, ...(wish?.model !== undefined && { modelId: wish.model }) };
      const model = ports.models.video({ ...choice, ...(keys.video !== undefined && { apiKey: keys.video }) });
      await model.cancelJob?.(id);
    });
    // nothing can cancel them without the key
    await Promise.allSettled(cancelled);
  };
}

/** Like `jobsOfFilm`, for all films of a project or a user: call it before their removal. */
export async function jobsOfFilms(ports: ProviderJobPorts, owner: FilmOwner): Promise<CancelJobs> {
  const films = await ports.films.listWithVideoKey(owner);
  const all = await Promise.all(films.map((film) => jobsOfFilm(ports, film)));
  return async () => void (await Promise.all(all.map((cancel) => cancel())));
}

/** Pictures and voices have checkpoints of the same form, which name files. */
const jobIdsOf = ({ kind, checkpoints }: FilmStep): readonly string[] =>
  kind === "video" ? Object.values(checkpoints).flatMap((found) => (found.state === "job" ? found.id : [])) : [];

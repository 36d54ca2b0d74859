import { type Client, type Film, unwrap } from "../../src/client.ts";
import type { Product } from "./product.ts";

/** 9:16. The height must be even, too. */
const portraitOf = (width: number) => ({ width, height: 2 * Math.round((width * 8) / 9) });

export const filmSeconds = 15;

export async function createProject(api: Client, { name, palette }: Product): Promise<string> {
  const styleGuide = palette.length > 0 ? { color_palette: [...palette] } : undefined;
  const json = { name: `${name} launch`.slice(0, 200), ...(styleGuide && { styleGuide }) };
  return (await unwrap(api.api.projects.$post({ json }))).id;
}

type FilmSettings = {
  readonly projectId: string;
  readonly width: number;
  readonly seconds?: number;
};

/** Orders the film of a product. The provider `local` makes all of it: no key, no network. */
export const orderFilm = (api: Client, { name, description }: Product, settings: FilmSettings): Promise<Film> =>
  api.orderFilm(settings.projectId, {
    name: name.slice(0, 200),
    brief: { text: description ? `${name}. ${description}` : name },
    seconds: settings.seconds ?? filmSeconds,
    resolution: portraitOf(settings.width),
  });

/** Waits for the film and returns it; `onStep` is called with each step that has ended. */
export async function finishedFilm(api: Client, ordered: Film, onStep: (step: Film["steps"][number]) => void) {
  const told = new Set<string>();
  const film = await api.waitForFilm(ordered, {
    onProgress: ({ steps }) => {
      for (const step of steps) {
        if (step.status !== "done" || told.has(step.id)) continue;
        told.add(step.id);
        onStep(step);
      }
    },
  });
  if (film.status !== "done" || film.exportId === undefined) throw new Error(film.waitingReason ?? "There is no film.");
  return { ...film, exportId: film.exportId };
}

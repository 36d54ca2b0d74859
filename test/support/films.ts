import { eventsOf } from "./events.ts";
import type { TestUser } from "./service.ts";

// biome-ignore lint/suspicious/noExplicitAny: a film as JSON
type Json = any;

/** Small, short, silent, and with as few steps as a film has, so that it is made in less than a second. */
export const smallFilm = {
  brief: { text: "Velo Nord: the city bike that folds in ten seconds." },
  resolution: { width: 90, height: 160 },
  seconds: 3,
  scenes: 1,
  models: { video: false as const },
  music: false as const,
};

/** A project with colors, and the path of its films. */
export async function filmProject(user: TestUser) {
  const styleGuide = { color_palette: ["#0b6e4f", "#f4d35e", "#fdfaf3"] };
  const projectId: string = (await (await user.json("POST", "/api/projects", { name: "Bikes", styleGuide })).json()).id;
  return { projectId, base: `/api/projects/${projectId}/films` };
}

/** Orders a film in a project of its own. */
export async function orderFilm(user: TestUser, body: object = {}, headers: Record<string, string> = {}) {
  const { projectId, base } = await filmProject(user);
  const response = await user.json("POST", base, { ...smallFilm, ...body }, headers);
  const film: Json = await response.json();
  return { projectId, base, response, film, path: `${base}/${film.id}` };
}

/** The film once it waits, but for what `passing` names, or has ended, as its events tell. */
export async function restedFilm(user: TestUser, path: string, passing?: "provider"): Promise<Json> {
  const isResting = ({ status, waitingFor }: Json) =>
    !["queued", "running"].includes(status) && (passing === undefined || waitingFor !== passing);
  for await (const { event, data } of eventsOf(await user.request(`${path}/events`))) {
    // that of a step has no steps
    if (event !== "step" && isResting(data)) return data;
  }
  throw new Error(`The events of ${path} have ended.`);
}

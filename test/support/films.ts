import type { TestUser } from "./service.ts";

// biome-ignore lint/suspicious/noExplicitAny: a film as JSON
type Json = any;

/** Small and short enough to be rendered in a second. */
export const smallFilm = {
  brief: { text: "Velo Nord: the city bike that folds in ten seconds." },
  resolution: { width: 90, height: 160 },
  seconds: 3,
  scenes: 2,
};

/** Orders a film in a project of its own. */
export async function orderFilm(user: TestUser, body: object = {}, headers: Record<string, string> = {}) {
  const styleGuide = { color_palette: ["#0b6e4f", "#f4d35e", "#fdfaf3"] };
  const projectId: string = (await (await user.json("POST", "/api/projects", { name: "Bikes", styleGuide })).json()).id;
  const base = `/api/projects/${projectId}/films`;
  const response = await user.json("POST", base, { ...smallFilm, ...body }, headers);
  const film: Json = await response.json();
  return { projectId, base, response, film, path: `${base}/${film.id}` };
}

/** The film once it waits, but for what `passing` names, or has ended. */
export async function restedFilm(user: TestUser, path: string, passing?: "provider"): Promise<Json> {
  for (;;) {
    const film = await (await user.request(path)).json();
    const isPassing = passing !== undefined && film.waitingFor === passing;
    if (!isPassing && !["queued", "running"].includes(film.status)) return film;
    await Bun.sleep(100);
  }
}

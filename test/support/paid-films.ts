import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { restedFilm } from "./films.ts";
import { filmModels, filmPrices, filmProvider } from "./models/film-provider.ts";
import { type TestUser, testService } from "./service.ts";

// biome-ignore lint/suspicious/noExplicitAny: a film as JSON
export type Json = any;

export type Order = { readonly user: TestUser; readonly path: string };

export const secret = "sk-secret-of-the-caller";

export const filmKeys = { "x-api-key": secret, "x-video-api-key": "g-secret-of-the-caller" };

/** Three scenes of which everything is paid for. */
export const paidOrder = {
  ...{ brief: { text: "Cup: it keeps warm." }, seconds: 3, scenes: 3, models: filmModels },
  ...{ captions: false, resolution: { width: 90, height: 160 } },
};

/** The service with a provider that counts. */
export async function paidFilms(variables: Record<string, string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), "reelwright-films-"));
  await Bun.write(join(folder, "prices.json"), JSON.stringify(filmPrices));
  const provider = await filmProvider();
  const service = await testService({
    ...provider.settingsFor(),
    ...{ PRICES_FILE: join(folder, "prices.json"), ...variables },
  });
  return {
    ...{ provider, service, secret },
    register: () => service.register(),
    counts: provider.counts,
    rested: restedFilm,

    /** In a project of its own, unless one is named. */
    async order(user: TestUser, body: object = {}, projectId?: string): Promise<Order & { readonly film: Json }> {
      const project = projectId ?? (await (await user.json("POST", "/api/projects", { name: "Cups" })).json()).id;
      const base = `/api/projects/${project}/films`;
      const response = await user.json("POST", base, { ...paidOrder, ...body }, filmKeys);
      const film = await response.json();
      return { user, path: `${base}/${film.id}`, film };
    },

    async close() {
      await Promise.all([service.close(), provider.stop()]);
      await rm(folder, { recursive: true });
    },
  };
}

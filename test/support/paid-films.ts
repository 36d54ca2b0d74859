import { EventEmitter, once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { advanceFilm } from "../../src/domain/films/run/advance.ts";
import { restedFilm } from "./films.ts";
import { instantExports } from "./media/instant-exports.ts";
import { allFilmModels, filmModels, filmPrices, filmProvider } from "./models/film-provider.ts";
import { type TestUser, testService } from "./service.ts";
import { formOf, png } from "./uploads.ts";
import { watchedLeases } from "./watched-leases.ts";
import { requireJson } from "./work-videos.ts";

// biome-ignore lint/suspicious/noExplicitAny: a film as JSON
export type Json = any;

export type Order = { readonly user: TestUser; readonly path: string };

export const secret = "sk-secret-of-the-caller";

export const filmKeys = { "x-api-key": secret, "x-video-api-key": "g-secret-of-the-caller" };

/** For orders of everything that can be paid for. */
export const allFilmKeys = { ...filmKeys, "x-music-api-key": "e-secret-of-the-caller" };

/** Beside `paidOrder`, with a picture of the product. */
export const allPaid = (assetId: string) => ({
  ...{ models: allFilmModels, music: { prompt: "calm piano" }, references: false },
  brief: { ...paidOrder.brief, assetIds: [assetId] },
});

/** Three scenes of which everything is paid for. */
export const paidOrder = {
  ...{ brief: { text: "Cup: it keeps warm." }, seconds: 3, scenes: 3, models: filmModels },
  ...{ captions: false, resolution: { width: 90, height: 160 } },
};

type Replace = NonNullable<Parameters<typeof testService>[2]>;

/** The service with a provider that counts, and with videos that nobody renders. `replace` is that of `testService`. */
export async function paidFilms(variables: Record<string, string> = {}, replace: Replace = () => ({})) {
  const { watched, whenFree } = watchedLeases();
  const booked = new EventEmitter();
  const replaced: Replace = (services) => {
    const own = { ...instantExports(services), leases: watched(services), ...replace(services) };
    const ledger = own.ledger ?? services.ledger;
    const end: typeof ledger.end = (call) => ledger.end(call).finally(() => booked.emit("call"));
    return { ...own, ledger: { ...ledger, end } };
  };
  const folder = await mkdtemp(join(tmpdir(), "reelwright-films-"));
  await Bun.write(join(folder, "prices.json"), JSON.stringify(filmPrices));
  const provider = await filmProvider();
  const settings = { ...provider.settingsFor(), PRICES_FILE: join(folder, "prices.json"), ...variables };
  const service = await testService(settings, undefined, replaced);
  return {
    ...{ provider, service, secret },
    register: () => service.register(),
    counts: provider.counts,
    rested: restedFilm,

    /** In a project of its own, unless one is named. The scenario has as many scenes as the body says, or three. */
    async order(user: TestUser, body: Json = {}, projectId?: string): Promise<Order & { readonly film: Json }> {
      provider.scenes = body.scenes ?? 3;
      const project = projectId ?? (await (await user.json("POST", "/api/projects", { name: "Cups" })).json()).id;
      const base = `/api/projects/${project}/films`;
      const response = await user.json("POST", base, { ...paidOrder, ...body }, allFilmKeys);
      const film = await response.json();
      return { user, path: `${base}/${film.id}`, film };
    },

    /** As the queue does when the time has come. */
    poll: (filmId: string): Promise<void> =>
      whenFree(`film/${filmId}`, () => advanceFilm(service.services, filmId, new AbortController().signal)),

    /** What the user has spent once each call is booked: what cannot be booked at once is booked a moment later. */
    async settledSpend(user: TestUser, query = ""): Promise<Json> {
      for (;;) {
        // before the spend is read, so that no call is missed
        const next = once(booked, "call");
        const spend = await requireJson(user.request(`/api/spend${query}`));
        if (spend.reserved === "0.00") return spend;
        await next;
      }
    },

    /** A project with a picture of the product. */
    async withPicture(user: TestUser): Promise<{ readonly projectId: string; readonly assetId: string }> {
      const { id: projectId } = await (await user.json("POST", "/api/projects", { name: "Cups" })).json();
      const body = formOf({ file: png(64, 64) });
      const upload = await user.request(`/api/projects/${projectId}/assets`, { method: "POST", body });
      return { projectId, assetId: (await upload.json()).id };
    },

    async close() {
      await Promise.all([service.close(), provider.stop()]);
      await rm(folder, { recursive: true });
    },
  };
}

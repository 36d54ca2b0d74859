import { join } from "node:path";
import { canonicalJson } from "../../domain/shared/json.ts";
import type { StockCache, StockPage } from "../../domain/stock/stock.ts";
import type { FileStore, RenderCache } from "../../engine/ports.ts";
import { withJobFolder } from "../../platform/files.ts";
import { sha256Of } from "../../platform/values.ts";

const dayMs = 86_400_000;

type Kept = { readonly keptAt: number; readonly page: StockPage };

/** Files of the cache never change: each day has its own, and yesterday's are used until they are 24 hours old. */
const keyOf = (query: object, day: number) => `stock/${sha256Of(`${day} ${canonicalJson(query)}`)}`;

const dayOf = (time: number) => Math.floor(time / dayMs);

/** Pages of results in a cache of files, which the machine's processes share. */
export function stockCache(cache: RenderCache, files: Pick<FileStore, "jobFolder">): StockCache {
  const inFolder = <Result>(use: (path: string) => Promise<Result>): Promise<Result | undefined> =>
    withJobFolder(files.jobFolder, (folder) => use(join(folder, "page.json")).catch(() => undefined));

  return {
    async find(query) {
      const now = Date.now();
      for (const day of [dayOf(now), dayOf(now) - 1]) {
        const kept = await inFolder(async (path) =>
          (await cache.linkTo(keyOf(query, day), path)) ? ((await Bun.file(path).json()) as Kept) : undefined,
        );
        if (kept && kept.keptAt > now - dayMs) return kept.page;
      }
      return undefined;
    },

    async put(query, page) {
      const kept: Kept = { keptAt: Date.now(), page };
      await inFolder(async (path) => {
        await Bun.write(path, JSON.stringify(kept));
        await cache.put([{ key: keyOf(query, dayOf(kept.keptAt)), path }]);
      });
    },
  };
}

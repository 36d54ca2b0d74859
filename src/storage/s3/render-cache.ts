import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { RenderCache } from "../../engine/ports.ts";
import { runAll } from "../../platform/async.ts";
import { isMissing } from "../../platform/files.ts";
import type { LeasePorts } from "../../platform/leases.ts";
import { sha256OfFile } from "../files/hash.ts";
import { downloadObject } from "./body.ts";
import type { Bucket } from "./bucket.ts";
import { sharedBudget } from "./shared-budget.ts";

type SharedCacheOptions = LeasePorts & {
  readonly bucket: Bucket;
  /** The limit of the entries in the bucket, over all processes. */
  readonly maxBytes: number;
};

/** The folder of all entries in the bucket. */
const folder = "parts/";

/** The oldest entries are evicted; using an entry of this age renews it. */
const renewAfterMs = 12 * 60 * 60 * 1000;

/** After a failure the bucket is not used for this long: an outage costs an export one deadline, not hundreds. */
const pauseMs = 10_000;

const removalsAtOnce = 8;

/** A second cache behind the local disk, so that machines share rendered parts. Failures of the bucket are misses. */
export function sharedRenderCache(local: RenderCache, { bucket, leases, maxBytes }: SharedCacheOptions): RenderCache {
  const removeAll = async (keys: readonly string[]) => {
    const tasks = keys.map((key) => () => bucket.remove(folder + key));
    await runAll(tasks, { concurrency: removalsAtOnce, signal: new AbortController().signal });
  };
  const budget = sharedBudget({ bucket, leases, maxBytes, folder, removeAll });
  const attempt = pausedAfterFailure();
  const share = async (key: string, path: string) => {
    const { size } = await stat(path);
    await attempt(() => budget.spend(size, () => upload(bucket, key, path)));
  };

  /** Lists the project, unless that takes more requests than a request per key. */
  const findInBucket = async (keys: readonly string[]): Promise<readonly string[]> => {
    if (keys.length < 2) return keys;
    const found = await attempt(async () => {
      const listed = new Set<string>();
      let pages = 0;
      for await (const { objects } of bucket.list(`${folder}${dirname(keys[0]!)}/`)) {
        for (const { key } of objects) listed.add(key.slice(folder.length));
        pages += 1;
        if (pages === keys.length) return keys;
      }
      return keys.filter((key) => listed.has(key));
    });
    return found ?? [];
  };

  return {
    // only local entries: a request for each segment would take longer than an estimate is worth
    sizeOf: (key) => local.sizeOf(key),

    async find(keys) {
      const sizes = await Promise.all(keys.map((key) => local.sizeOf(key)));
      const isHere = (_: string, index: number) => sizes[index] !== undefined;
      const elsewhere = keys.filter((key, index) => !isHere(key, index));
      return new Set([...keys.filter(isHere), ...(await findInBucket(elsewhere))]);
    },

    async linkTo(key, path) {
      if (await local.linkTo(key, path)) return true;
      const writtenAt = await attempt(() => downloadObject(bucket, folder + key, path));
      if (!writtenAt) return false;
      await local.put([{ key, path }]);
      if (Date.now() - writtenAt.getTime() > renewAfterMs) await share(key, path);
      return true;
    },

    async put(parts) {
      await local.put(parts);
      for (const { key, path } of parts) await share(key, path);
    },

    async listProjects() {
      const projects = new Set(await local.listProjects());
      for await (const { folders } of bucket.list(folder, "/")) {
        for (const name of folders) projects.add(name.slice(folder.length, -1));
      }
      return [...projects];
    },

    async removeProject(projectId) {
      await local.removeProject(projectId);
      // remaining entries are removed later with the caches of removed projects
      await attempt(async () => {
        for await (const { objects } of bucket.list(`${folder}${projectId}/`)) {
          await removeAll(objects.map(({ key }) => key.slice(folder.length)));
        }
      });
    },
  };
}

async function upload(bucket: Bucket, key: string, path: string): Promise<void> {
  await bucket.put(folder + key, Bun.file(path), { sha256: await sha256OfFile(path) });
}

/** Runs actions that may fail. Undefined for a failure and for some time after it; missing objects cause no pause. */
function pausedAfterFailure() {
  let pausedUntil = 0;
  return async <Result>(action: () => Promise<Result>): Promise<Result | undefined> => {
    if (Date.now() < pausedUntil) return undefined;
    return await action().catch((error) => {
      if (!isMissing(error)) pausedUntil = Date.now() + pauseMs;
      return undefined;
    });
  };
}

import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { settingsFor } from "../../support/service.ts";
import { startFront } from "./front.ts";
import { startPostgres } from "./postgres.ts";
import { startProxy } from "./proxy.ts";
import { serviceProcesses } from "./services.ts";
import { startStore } from "./store.ts";

type ClusterOptions = {
  /** The first of eight that are used. */
  readonly firstPort: number;
  /** Keeps the folder with the logs. */
  readonly keepFolder?: boolean;
  readonly settings?: Readonly<Record<string, string>>;
};

/** A database, an object store, proxies before both, two processes for requests, two for exports, and a front. */
export async function startCluster({ firstPort, keepFolder = false, settings = {} }: ClusterOptions) {
  const folder = await mkdtemp(join(tmpdir(), "reelwright-faults-"));
  // for the user of the database server
  await chmod(folder, 0o755);
  const endings: (() => unknown)[] = keepFolder ? [] : [() => rm(folder, { recursive: true, force: true })];
  const end = async () => {
    for (const ending of endings.toReversed()) await ending();
  };
  const started = async <Part extends { end(): unknown }>(part: Part | Promise<Part>): Promise<Part> => {
    const { end: ending } = await part;
    endings.push(ending);
    return await part;
  };
  try {
    const postgres = await started(startPostgres(folder, firstPort));
    const databaseProxy = await started(startProxy(firstPort + 1, { host: "127.0.0.1", port: firstPort }));
    const store = await started(startStore());
    const storeAddress = new URL(store.access.endpoint);
    const storeProxy = await started(
      startProxy(firstPort + 2, { host: storeAddress.hostname, port: Number(storeAddress.port) }),
    );
    const services = await started(
      serviceProcesses({
        folder,
        firstPort: firstPort + 3,
        settings: {
          ...settingsFor({ ...store.access, endpoint: `http://127.0.0.1:${firstPort + 2}` }),
          DATABASE_URL: `postgres://faults@127.0.0.1:${firstPort + 1}/postgres`,
          JWT_SECRET: "a secret that all processes of the cluster share",
          RATE_LIMIT: "off",
          LOG_LEVEL: "warn",
          ALLOW_PRIVATE_NETWORK: "true",
          TRUSTED_PROXIES: "127.0.0.1",
          EXPORT_CONCURRENCY: "2",
          ...(process.env.FFMPEG_PATH && { FFMPEG_PATH: process.env.FFMPEG_PATH }),
          ...settings,
        },
      }),
    );
    await services.startAll();
    const upstreams = [services.urlOf("api-1"), services.urlOf("api-2")];
    const front = await started(startFront(folder, firstPort + 5, upstreams));
    return { folder, postgres, databaseProxy, store, storeProxy, services, front, end };
  } catch (error) {
    await end();
    throw error;
  }
}

export type Cluster = Awaited<ReturnType<typeof startCluster>>;

import { finishRemovals } from "./domain/accounts/removal.ts";
import { endAbandonedScenes, endInterruptedScenes } from "./domain/ai/generation/scene-lock.ts";
import { sweepProjectCaches } from "./domain/projects/projects.ts";
import type { Services } from "./domain/services.ts";
import { takeLease } from "./domain/shared/leases.ts";
import type { Resources } from "./resources.ts";
import { sweepOrphanedFiles } from "./storage/files/orphans.ts";

type MaintenanceResources = Pick<Resources, "files" | "folderId"> & {
  readonly database: Pick<Resources["database"], "db">;
};

type MaintainedServices = Pick<
  Services,
  | "refreshTokens"
  | "rateLimiter"
  | "generatedMedia"
  | "idempotencyKeys"
  | "operations"
  | "leases"
  | "works"
  | "exports"
  | "projects"
  | "projectCaches"
  | "accounts"
  | "files"
  | "settings"
>;

/** Ends what other processes have left unfinished when they were killed. Never rejects. */
export async function runRecovery(
  services: Pick<Services, "works" | "leases">,
  report: (step: string, error: unknown) => void,
): Promise<void> {
  await endInterruptedScenes(services).catch((error) => report("interrupted scenes", error));
}

type Steps = Readonly<Record<string, () => Promise<unknown>>>;

/**
 * Removes what has expired or belongs to nobody any more; see the steps. They do not wait for each other, and each runs
 * in one process at a time: those of the database in one of all, those of the data folder in one of those that share it.
 * Never rejects: `report` receives the error of each step that fails.
 */
export async function runMaintenance(
  resources: MaintenanceResources,
  services: MaintainedServices,
  report: (step: string, error: unknown) => void,
): Promise<void> {
  const runAll = (steps: Steps, place: string) =>
    Object.entries(steps).map(([name, step]) =>
      inOneProcess(services, `maintenance/${place}/${name}`, step).catch((error) => report(name, error)),
    );
  await Promise.all([
    ...runAll(databaseSteps(services), "database"),
    ...runAll(folderSteps(resources, services), resources.folderId),
  ]);
}

/** Does nothing while another process runs the step, or this one still does. */
async function inOneProcess(
  { leases }: Pick<Services, "leases">,
  name: string,
  step: () => Promise<unknown>,
): Promise<void> {
  const lease = await takeLease({ leases }, [name]);
  if (!lease) return;
  try {
    await step();
  } finally {
    await lease.release();
  }
}

function databaseSteps(services: MaintainedServices): Steps {
  const { refreshTokens, rateLimiter, generatedMedia, idempotencyKeys, operations, leases, exports, accounts } =
    services;
  const { files, settings } = services;
  const now = Date.now();
  return {
    sessions: () => refreshTokens.removeExpired(now),
    "rate limits": () => rateLimiter.removeExpired(now),
    "generated media": async () => files.remove(await generatedMedia.removeExpired(now)),
    responses: async () => files.remove(await idempotencyKeys.removeExpired(now)),
    operations: () => operations.removeExpired(now),
    leases: () => leases.removeExpired(),
    scenes: () => endAbandonedScenes(services, now - 2 * settings.providerTimeoutMs),
    exports: async () => files.remove(await exports.removeExpired(now)),
    "removed accounts": () => finishRemovals(services),
    "jobs of removed accounts": () => accounts.removeStrayJobs(),
  };
}

/** Also held by an import, whose files have no rows at first. */
export const sweepLeaseName = "maintenance/files without a row";

const folderSteps = ({ database, files }: MaintenanceResources, services: MaintainedServices): Steps => ({
  "caches of removed projects": () => sweepProjectCaches(services),
  "files of ended processes": () => files.removeAbandoned(),
  "files without a row": () =>
    inOneProcess(services, sweepLeaseName, async () => void (await sweepOrphanedFiles(database.db, files))),
});

import { endAbandonedScenes, endInterruptedScenes, sceneLeasePrefix } from "../domain/ai/generation/scene-lock.ts";
import { type ExpiringFiles, removeExpiredFiles, repeatWhileFull } from "../domain/files/expired.ts";
import { resumeUnderBudgets, resumeWithRoom } from "../domain/films/budget-waits.ts";
import { keysKeptMs, maxWaitMs } from "../domain/films/film.ts";
import { callsKeptMs, monthStart } from "../domain/ledger/ledger.ts";
import { sweepProjectCaches } from "../domain/projects/projects.ts";
import { finishRemovals } from "../domain/removals/removal.ts";
import { takeLease } from "../platform/leases.ts";
import type { Services } from "../services.ts";
import { sweepOrphanedFiles, sweepUnnamedExports } from "../storage/files/orphans.ts";
import type { Resources } from "./resources.ts";

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
  | "renders"
  | "leases"
  | "ledger"
  | "works"
  | "exports"
  | "reviews"
  | "films"
  | "batches"
  | "projects"
  | "projectCaches"
  | "removals"
  | "files"
  | "settings"
  | "telemetry"
>;

/** Ends work that killed processes left unfinished. Never rejects. */
export async function runRecovery(
  services: Pick<Services, "works" | "leases" | "ledger">,
  report: (step: string, error: unknown) => void,
): Promise<void> {
  await Promise.all([
    endInterruptedScenes(services).catch((error) => report("interrupted scenes", error)),
    services.ledger.endAbandoned().catch((error) => report("abandoned calls", error)),
  ]);
}

type Steps = Readonly<Record<string, () => Promise<unknown>>>;

/**
 * Removes expired and ownerless data; see the steps. They run in parallel, each in one process at a time: steps of the
 * database in one of all processes, steps of the data folder in one of those that share it. Never rejects: `report`
 * receives the error of each failed step, and metrics count all that ran.
 */
export async function runMaintenance(
  resources: MaintenanceResources,
  services: MaintainedServices,
  report: (step: string, error: unknown) => void,
): Promise<void> {
  const runAll = (steps: Steps, scope: string) =>
    Object.entries(steps).map(([name, step]) =>
      inOneProcess(services, `maintenance/${scope}/${name}`, () => counted(services, name, step)).catch((error) =>
        report(name, error),
      ),
    );
  await Promise.all([
    ...runAll(databaseSteps(services), "database"),
    ...runAll(folderSteps(resources, services), resources.folderId),
  ]);
}

async function counted({ telemetry }: Pick<Services, "telemetry">, name: string, step: () => Promise<unknown>) {
  try {
    await step();
    telemetry.metrics.maintenanceEnded(name, "ok");
  } catch (error) {
    telemetry.metrics.maintenanceEnded(name, "failed");
    throw error;
  }
}

/** Does nothing while any process, this one included, runs the step. */
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

/** The part of the interval that a step may use: the next maintenance removes the rest. */
const budgetMs = 50 * 60 * 1000;

function databaseSteps(services: MaintainedServices): Steps {
  const { refreshTokens, rateLimiter, generatedMedia, idempotencyKeys, operations, renders, leases, exports } =
    services;
  const { films, batches, reviews, ledger, files, settings } = services;
  const now = Date.now();
  const whole = (step: () => Promise<number>) => () => repeatWhileFull(step, now + budgetMs);
  const withFiles = (rows: ExpiringFiles) => whole(() => removeExpiredFiles(rows, files, now));
  return {
    sessions: whole(() => refreshTokens.removeExpired(now)),
    "rate limits": whole(() => rateLimiter.removeExpired(now)),
    "generated media": withFiles(generatedMedia),
    responses: withFiles(idempotencyKeys),
    operations: whole(() => operations.removeExpired(now)),
    renders: whole(() => renders.removeExpired(now)),
    leases: whole(() => leases.removeExpired(sceneLeasePrefix)),
    scenes: () => endAbandonedScenes(services, now - 2 * settings.providerTimeoutMs),
    exports: withFiles(exports),
    "files of ended reviews": withFiles(reviews),
    usage: whole(() => ledger.summarizeBefore(now - callsKeptMs)),
    "keys of films": whole(() => films.expireKeys(now - keysKeptMs)),
    "keys of tables": whole(() => batches.expireKeys(now - keysKeptMs)),
    "budgets of a new month": () => resumeUnderBudgets(services, { before: monthStart(now) }),
    "films with room in their budgets": () => resumeWithRoom(services),
    "waiting films": whole(() => films.endWaiting(now - maxWaitMs)),
    "removed accounts": () => finishRemovals(services),
  };
}

/** Also held by an import, whose files have no rows at first. */
export const sweepLeaseName = "maintenance/files without a row";

const folderSteps = ({ database, files }: MaintenanceResources, services: MaintainedServices): Steps => ({
  "caches of removed projects": () => sweepProjectCaches(services),
  "files of ended processes": () => files.removeAbandoned(),
  "files without a row": () =>
    inOneProcess(services, sweepLeaseName, async () => {
      await sweepUnnamedExports(database.db, services.files, Date.now() + budgetMs);
      await sweepOrphanedFiles(database.db, files);
    }),
});

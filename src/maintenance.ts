import { finishRemovals } from "./domain/accounts/removal.ts";
import { endAbandonedScenes } from "./domain/ai/generation/scene-lock.ts";
import { sweepProjectCaches } from "./domain/projects/projects.ts";
import type { Services } from "./domain/services.ts";
import { sweepOrphanedFiles } from "./storage/files/orphans.ts";
import type { Resources } from "./wiring.ts";

type MaintenanceResources = Pick<Resources, "files"> & { readonly database: Pick<Resources["database"], "db"> };

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

/**
 * Removes expired sessions, counts, responses, media, leases and exports, ends abandoned scenes, finishes the removal of
 * accounts, and removes files of ended processes and files without a row. Never rejects: `report` receives the error of each step that fails, and the
 * other steps run.
 */
export async function runMaintenance(
  { database, files }: MaintenanceResources,
  services: MaintainedServices,
  report: (step: string, error: unknown) => void,
): Promise<void> {
  const now = Date.now();
  const { refreshTokens, rateLimiter, generatedMedia, idempotencyKeys, operations, leases, exports, settings } =
    services;
  const steps: Readonly<Record<string, () => Promise<unknown>>> = {
    sessions: () => refreshTokens.removeExpired(now),
    "rate limits": () => rateLimiter.removeExpired(now),
    "generated media": async () => files.remove(await generatedMedia.removeExpired(now)),
    responses: async () => files.remove(await idempotencyKeys.removeExpired(now)),
    operations: () => operations.removeExpired(now),
    leases: () => leases.removeExpired(),
    scenes: () => endAbandonedScenes(services, now - 2 * settings.providerTimeoutMs),
    exports: async () => files.remove(await exports.removeExpired(now)),
    "removed accounts": () => finishRemovals(services),
    "jobs of removed accounts": () => services.accounts.removeStrayJobs(),
    "caches of removed projects": () => sweepProjectCaches(services),
    "files of ended processes": () => files.removeAbandoned(),
    "files without a row": () => sweepOrphanedFiles(database.db, files),
  };
  for (const [name, step] of Object.entries(steps)) await step().catch((error) => report(name, error));
}

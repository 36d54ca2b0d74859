import { eq, sql } from "drizzle-orm";
import { z } from "zod";
import { SubjectBoxes } from "../../domain/ai/analysis/subject-boxes.ts";
import { StoredLookFiles } from "../../domain/looks/looks.ts";
import { apiTokens, users } from "../tables/accounts.ts";
import { destinations } from "../tables/destinations.ts";
import { generatedMedia } from "../tables/generated-media.ts";
import { assets, looks, projects, templates, workMedia, works } from "../tables/projects.ts";
import { reviewComments } from "../tables/reviews.ts";
import {
  type ArchivedTable,
  archived,
  Document,
  Documents,
  FileKey,
  file,
  Id,
  type Row,
  type RowFile,
  Scopes,
} from "./rooms/archived-table.ts";
import { batchTables } from "./rooms/batches.ts";
import { exportTables } from "./rooms/exports.ts";
import { filmTables } from "./rooms/films.ts";
import { callsOfUser, ledgerTables } from "./rooms/ledger.ts";

/** Clients show its page as a link. */
const Source = z.strictObject({
  ...{ provider: z.string(), id: z.string(), author: z.string(), licence: z.string() },
  pageUrl: z.url({ protocol: /^https?$/ }),
});

const worksOf = (projectId: string) => sql`(select id from works where project_id = ${projectId})`;

/** The account itself, then rows outside projects. */
export const userTables: readonly ArchivedTable[] = [
  archived(users, {
    ownedBy: (id) => eq(users.id, id),
    required: [users.email],
    // meaningful in one service only
    omitted: [users.registeredFrom],
    columns: { id: Id, email: z.string() },
  }),
  archived(apiTokens, {
    ownedBy: (id) => eq(apiTokens.userId, id),
    notCompared: [apiTokens.lastUsedAt],
    columns: { id: Id, user_id: Id, scopes: Scopes },
  }),
  callsOfUser,
  archived(generatedMedia, {
    ownedBy: (id) => eq(generatedMedia.userId, id),
    columns: { id: Id, user_id: Id, ...file },
  }),
];

/** A project and everything in it; a row comes after those that it references. */
export const projectTables: readonly ArchivedTable[] = [
  archived(projects, {
    ownedBy: (id) => eq(projects.id, id),
    required: [projects.userId],
    columns: { id: Id, user_id: Id, style_guide: Document },
  }),
  archived(assets, {
    ownedBy: (id) => eq(assets.projectId, id),
    columns: {
      id: Id,
      project_id: Id,
      ...file,
      thumbnail_key: FileKey,
      tags: z.array(z.string()),
      speech: Document,
      source: Source,
      subject_boxes: SubjectBoxes,
    },
  }),
  archived(templates, {
    ownedBy: (id) => eq(templates.projectId, id),
    rowsAtOnce: 20,
    columns: { id: Id, project_id: Id, content: Document, tags: z.array(z.string()) },
  }),
  archived(looks, {
    ownedBy: (id) => eq(looks.projectId, id),
    columns: { project_id: Id, files: StoredLookFiles },
  }),
  archived(destinations, {
    ownedBy: (id) => eq(destinations.projectId, id),
    // credentials leave no service
    omitted: [destinations.sealed, destinations.hint],
    columns: { project_id: Id, settings: Document },
  }),
  archived(works, {
    ownedBy: (id) => eq(works.projectId, id),
    rowsAtOnce: 4,
    columns: {
      id: Id,
      project_id: Id,
      scenes: Documents,
      generated_scenes: Documents,
      analysis: Document,
      editor_state: Document,
      selected_asset_ids: z.array(z.string()),
      resolution: Document,
    },
  }),
  archived(workMedia, {
    ownedBy: (id) => sql`${workMedia.workId} in ${worksOf(id)}`,
    columns: { work_id: Id, ...file, origin: Document, speech: Document },
  }),
  archived(reviewComments, {
    ownedBy: (id) => sql`${reviewComments.workId} in ${worksOf(id)}`,
    // the owner may resolve more of them later
    notCompared: [reviewComments.resolved],
    // the review link is not archived
    columns: { id: Id, work_id: Id, review_id: Id },
  }),
  ...exportTables,
  ...filmTables,
  ...batchTables,
  ...ledgerTables,
];

export const archivedTables: ReadonlyMap<string, ArchivedTable> = new Map(
  [...userTables, ...projectTables].map((table) => [table.name, table]),
);

/** The other tables, and why they are not archived. */
export const tablesNotArchived: Readonly<Record<string, string>> = {
  token_families: "logins: people log in again",
  refresh_tokens: "logins: people log in again",
  session_cookies: "logins: people log in again",
  reviews: "links, which lead to one service: comments are archived, and videos with their exports",
  work_versions: "earlier saves of works, whose last one is archived with the work",
  rate_limits: "counts of the last minutes",
  account_remains: "folders that one store has yet to remove",
  idempotency_keys: "responses that are kept for a day, for repetitions of requests to one service",
  operations: "requests that one service is processing, or has processed within hours",
  renders: "orders of clients of other services, kept for a day: their works and exports are archived",
  leases: "locks of running processes",
  film_results: "what later orders find: an import pays for nothing, and finds nothing",
  provider_keys: "keys of providers, which leave no service",
  film_keys: "keys of providers, which leave no service",
  batch_keys: "keys of providers, which leave no service",
  batch_counts: "counts that the database keeps of films",
  spend_days: "sums of calls of long ago",
  spend_by_day: "sums that the database keeps of calls",
  spend_totals: "sums of calls, for budgets: an import adds them up again",
  export_runs: "what running processes render together",
  secret_fingerprints: "of the secrets of one service",
  storage_totals: "counts that the database keeps of the other rows",
  shared_files: "counts that the database keeps of the other rows",
};

export function filesOfRow(row: Row): readonly RowFile[] {
  const found = [
    { column: "file_key", key: row.file_key, sha256: row.sha256 },
    { column: "thumbnail_key", key: row.thumbnail_key, sha256: undefined },
  ];
  return found.flatMap(({ column, key, sha256 }) =>
    typeof key === "string" ? [{ column, key, ...(typeof sha256 === "string" && { sha256 }) }] : [],
  );
}

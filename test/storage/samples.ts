import { type SQL, sql } from "drizzle-orm";
import type { User } from "../../src/domain/accounts/users.ts";
import type { Asset } from "../../src/domain/assets/assets.ts";
import type { ExportJob } from "../../src/domain/exports/lifecycle/jobs.ts";
import type { CompleteRequest } from "../../src/domain/exports/request/fill-from-editor.ts";
import type { ExportRequest } from "../../src/domain/exports/request/schema.ts";
import type { MediaSlot } from "../../src/domain/files/internal-urls.ts";
import type { Film } from "../../src/domain/films/film.ts";
import type { Project } from "../../src/domain/projects/projects.ts";
import { newId } from "../../src/domain/shared/ids.ts";
import type { Template } from "../../src/domain/templates/templates.ts";
import type { WorkMedia } from "../../src/domain/works/media.ts";
import type { Work } from "../../src/domain/works/works.ts";
import type { StoredFile } from "../../src/engine/ports.ts";
import { userStore } from "../../src/storage/accounts/users.ts";
import { assetStore } from "../../src/storage/assets/store.ts";
import type { Database } from "../../src/storage/database/database.ts";
import { projectStore } from "../../src/storage/projects/store.ts";
import { workStore } from "../../src/storage/works/store.ts";

const times = { createdAt: 1_000, updatedAt: 1_000 };
const versioned = { ...times, revision: 1 };
const prompts = { systemPrompt: "s", analyzerPrompt: "", imageSystemPrompt: "i", videoSystemPrompt: "v" };

export const aUser = (changes: Partial<User> = {}) => {
  const id = newId("user");
  return { id, email: `${id}@example.com`, name: "Ann", passwordHash: "hash", ...times, ...changes };
};

export const aProject = (userId: string, changes: Partial<Project> = {}): Project => ({
  id: newId("proj"),
  userId,
  name: "Launch video",
  knowledge: "",
  ...prompts,
  ...versioned,
  ...changes,
});

export const aFile = (key: string, changes: Partial<StoredFile> = {}): StoredFile => ({
  key,
  sizeBytes: 10,
  sha256: "ab".repeat(32),
  filename: "Café & co.png",
  facts: { kind: "image", container: "png", mimeType: "image/png", extension: "png", width: 4, height: 2 },
  ...changes,
});

export const anAsset = (projectId: string, changes: Partial<Asset> = {}): Asset => {
  const id = newId("asset");
  return { id, projectId, name: "Logo", type: "image", file: aFile(`${id}.png`), ...versioned, ...changes };
};

export const aTemplate = (projectId: string, changes: Partial<Template> = {}): Template => ({
  id: newId("tmpl"),
  projectId,
  name: "Lower third",
  content: { textOverlays: [], imageOverlays: [] },
  ...versioned,
  ...changes,
});

export const aWork = (projectId: string, changes: Partial<Work> = {}): Work => ({
  id: newId("work"),
  projectId,
  name: "New Work",
  ...prompts,
  currentStep: 0,
  hasReferenceVideo: false,
  mode: "style_transfer",
  productName: "",
  productDescription: "",
  targetAudience: "",
  language: "",
  analysis: null,
  scenes: [],
  generatedScenes: [],
  ...versioned,
  ...changes,
});

/** Without steps. */
export const aFilm = (
  { userId, projectId }: Pick<Film, "userId" | "projectId">,
  changes: Partial<Film> = {},
): Film => ({
  id: newId("film"),
  userId,
  projectId,
  workId: newId("work"),
  name: "Launch",
  scopes: ["ai:generate", "works:write"],
  order: {
    ...{ brief: { text: "A cup." }, targets: ["9:16"], models: {}, stopAt: [] },
    ...{ allowUnpriced: false, onUnknown: "wait" },
  },
  status: "queued",
  approved: [],
  warnings: [],
  steps: [],
  attempt: 0,
  ...versioned,
  ...changes,
});

export const someMedia = (slot: MediaSlot, key: string): WorkMedia => ({ slot, file: aFile(key), createdAt: 1_000 });

export const addUser = async (db: Database) => (await userStore(db).add(aUser()))!;

export const addProject = async (db: Database, changes: Partial<Project> = {}) =>
  projectStore(db).add(aProject((await addUser(db)).id, changes));

export const addWork = async (db: Database, projectId: string, changes: Partial<Work> = {}) =>
  (await workStore(db).add(aWork(projectId, changes)))!;

export const addAsset = async (db: Database, projectId: string, changes: Partial<Asset> = {}) =>
  (await assetStore(db).add(anAsset(projectId, changes)))!;

/** The error code (or message) that a promise rejects with, or "resolved". */
export const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "resolved",
    (error) => error.code ?? error.message,
  );

/** For many rows: without the triggers that keep totals, which are then wrong for the users of the rows. */
export const withoutTriggers = (seeding: Database, statement: SQL) =>
  seeding.transaction(async (transaction) => {
    await transaction.execute(sql`set local session_replication_role = replica`);
    await transaction.execute(statement);
  });

/** A request as jobs store it. */
export const completeRequest = (fields: Partial<ExportRequest> = {}): CompleteRequest =>
  // safe because nothing of it is left to a work
  ({ projectId: "p", workId: "w", clips: [], ...fields }) as CompleteRequest;

/** An export that waits, of one second of video. */
export const queuedExport = (
  of: Pick<ExportJob, "userId" | "projectId">,
  changes: Partial<ExportJob> = {},
): ExportJob => ({
  ...of,
  id: newId("exp"),
  workId: newId("work"),
  name: "Film",
  scopes: [],
  warnings: [],
  files: [],
  request: completeRequest({ projectId: of.projectId, workId: "work" }),
  status: "queued",
  frames: 30,
  framesDone: 0,
  framesRendered: 0,
  attempt: 0,
  endedAttempts: 0,
  revision: 0,
  createdAt: 1,
  expiresAt: 1_000_000,
  ...changes,
});

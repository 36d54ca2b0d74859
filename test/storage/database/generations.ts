import { createHash } from "node:crypto";
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { PGlite } from "@electric-sql/pglite";
import { drizzle } from "drizzle-orm/pglite";
import { migrate } from "drizzle-orm/pglite/migrator";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";

const migrations = join(import.meta.dir, "../../../drizzle");

type Journal = { readonly entries: readonly { readonly idx: number; readonly tag: string }[] };

export const journal = (await Bun.file(join(migrations, "meta/_journal.json")).json()) as Journal;

/** Brings a database to the schema after the first `count` migrations, as the versions of that time did. */
export async function migrateTo(client: PGlite, count: number): Promise<void> {
  const folder = await temporaryFolder();
  try {
    await cp(migrations, folder, { recursive: true });
    const entries = journal.entries.filter(({ idx }) => idx < count);
    await Bun.write(join(folder, "meta/_journal.json"), JSON.stringify({ ...journal, entries }));
    await migrate(drizzle(client), { migrationsFolder: folder });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export type Row = Readonly<Record<string, unknown>>;
export type Rows = Readonly<Record<string, Row>>;

/** What tables and columns were called before they were renamed. */
const oldTables: Readonly<Record<string, string>> = { idempotency_keys: "kept_answers" };
const oldColumns: Readonly<Record<string, string>> = { checkpoints: "steps" };

type StoredBytes = { readonly bytes: Uint8Array; readonly extension: string; readonly facts: object };

/** The password of every user below, as argon2id with the parameters of the first version. */
export const oldPassword = "correct horse battery staple";
const passwordHash =
  "$argon2id$v=19$m=19456,t=2,p=1$ZCM5Z5tXgRy9jV87ZHPKrg$eXBRFTxBaXGuaThW5zcbDpSN8cZK9yRq6FPf+IK93Vs";

/** Of a generation: ids, and secrets whose hashes are stored. */
export const idOf = (prefix: string, generation: number): string => `${prefix}_${`${generation}`.padStart(32, "0")}`;
export const secretOf = (generation: number): string =>
  createHash("sha256").update(`secret ${generation}`).digest("hex");

const sha256 = (data: Uint8Array | string) => createHash("sha256").update(data).digest("hex");
const far = 4_000_000_000_000;

/** A row of every table with every column, named as today. `files` are stored under the keys that the rows name. */
export function rowsOfGeneration(
  generation: number,
  files: { readonly image: StoredBytes; readonly video: StoredBytes },
) {
  const id = (prefix: string) => idOf(prefix, generation);
  const [userId, projectId, workId, exportId] = [id("user"), id("proj"), id("work"), id("exp")];
  const stored = new Map<string, Uint8Array>();
  const fileColumns = (folder: string, name: string, { bytes, extension, facts }: StoredBytes) => {
    const key = `${folder}/${idOf("media", generation)}-${name}.${extension}`;
    stored.set(key, bytes);
    const filename = `${name}.${extension}`;
    return { file_key: key, size_bytes: bytes.byteLength, sha256: sha256(bytes), filename, facts };
  };
  const prompts = { system_prompt: "s", analyzer_prompt: "a", image_system_prompt: "i", video_system_prompt: "v" };
  const versioned = { revision: 3, created_at: 1_000 + generation, updated_at: 2_000 + generation };
  const media = `/api/projects/${projectId}/works/${workId}/media/scene/0`;
  const asset = fileColumns(projectId, "asset", files.image);
  const thumbnail = fileColumns(projectId, "thumbnail", files.image);
  const film = fileColumns(projectId, "film", files.video);
  const shared = fileColumns(projectId, "shared", files.video);
  const options = { width: 32, height: 18, fps: 10 };
  const clips = [{ sceneIndex: 0, position: 0, end: 0.3 }];
  const rows: Rows = {
    users: {
      id: userId,
      email: `old${generation}@example.com`,
      name: "Öld",
      password_hash: passwordHash,
      registered_from: "mark",
      created_at: 1,
      updated_at: 2,
    },
    token_families: {
      id: id("sess"),
      user_id: userId,
      user_agent: "Firefox",
      created_at: 5_000,
      last_used_at: 5_000,
      revoked_at: null,
      expires_at: far,
    },
    session_cookies: { hash: id("cookie"), family_id: id("sess") },
    refresh_tokens: {
      hash: sha256(secretOf(generation)),
      family_id: id("sess"),
      used_at: null,
      expires_at: far,
      created_at: 5_000,
    },
    api_tokens: {
      id: id("tok"),
      user_id: userId,
      name: "CI",
      token_prefix: "rw_abc",
      renders_into: "Ads",
      hash: sha256(`token ${generation}`),
      scopes: ["projects:read"],
      last_used_at: 7,
      expires_at: far,
      created_at: 6,
    },
    provider_keys: { user_id: userId, provider: "openai", sealed: "c2VhbGVk", created_at: 6 },
    rate_limits: { key: `key ${generation}`, points: 2, expire: "2040-01-01T00:00:00+00:00" },
    projects: {
      id: projectId,
      user_id: userId,
      name: "Launch",
      ...prompts,
      knowledge: "line\nline",
      style_guide: { tone: "warm", 2: "two", 1: "one" },
      project_type: "saas",
      ...versioned,
    },
    assets: {
      id: id("asset"),
      project_id: projectId,
      name: "Logo",
      type: "image",
      ...asset,
      tags: ["brand"],
      description: "a logo",
      thumbnail_key: thumbnail.file_key,
      speech: { text: "Hi", words: [{ text: "Hi", start: 0, end: 0.5 }], timing: "measured" },
      subject_boxes: [{ atSeconds: 0, left: 0.1, top: 0.2, right: 0.3, bottom: 0.4 }],
      ...versioned,
    },
    templates: {
      id: id("tmpl"),
      project_id: projectId,
      name: "Intro",
      description: "first",
      thumbnail: null,
      content: { textOverlays: [], imageOverlays: [], exportSettings: options },
      tags: ["a"],
      ...versioned,
    },
    destinations: {
      project_id: projectId,
      name: `shelf-${generation}`,
      settings: { type: "s3", bucket: "films" },
      sealed: "sealed",
      hint: "wxyz",
      created_at: 8,
      updated_at: 9,
    },
    looks: {
      project_id: projectId,
      name: `mine-${generation}`,
      files: { "look.json": "{}" },
      created_at: 8,
      updated_at: 9,
    },
    works: {
      id: workId,
      project_id: projectId,
      name: "Film",
      ...prompts,
      current_step: 2,
      has_reference_video: false,
      mode: "content_remix",
      product_name: "Tea",
      product_description: "hot",
      target_audience: "all",
      language: "en",
      video_duration: 0.3,
      scene_count: 1,
      analysis: { scene_count: 1 },
      scenes: [
        {
          scene_index: 0,
          duration_seconds: 0.3,
          image_prompt: "cup",
          negative_prompt: "",
          video_prompt: "pour",
          text_overlay: null,
          transition: "cut",
        },
      ],
      generated_scenes: [{ sceneIndex: 0, videoUrl: `${media}/video`, status: "done" }],
      editor_state: {
        editorData: { videoTrack: [], textTrack: [], imageTrack: [], audioTrack: [] },
        textOverlays: {},
        imageOverlays: {},
        audioVolume: 0.5,
        exportSettings: options,
      },
      editor_saved_at: 1_500 + generation,
      selected_asset_ids: [id("asset")],
      asset_usage_mode: "reference",
      resolution: { width: 32, height: 18 },
      ...versioned,
    },
    work_media: {
      work_id: workId,
      slot: "scene/0/video",
      ...fileColumns(projectId, "scene", files.video),
      created_at: 8,
      origin: { inputHash: "h", model: { provider: "local", model: "m" } },
      speech: { text: "Hi", words: [{ text: "Hi", start: 0, end: 0.5 }], timing: "estimated" },
    },
    work_versions: {
      id: id("version"),
      work_id: workId,
      saved_at: 1_400,
      size_bytes: 4,
      scenes: [],
      editor_state: {},
    },
    reviews: {
      id: id("review"),
      work_id: workId,
      hash: sha256(`review ${generation}`),
      export_id: exportId,
      target: "",
      name: "Film",
      width: 32,
      height: 18,
      fps: 10,
      duration_seconds: 0.3,
      file_key: shared.file_key,
      size_bytes: shared.size_bytes,
      comment: true,
      approve: true,
      approval: { state: "approved", author: "Eve", createdAt: 12 },
      created_at: 11,
      expires_at: far,
      link_id: id("review"),
    },
    review_comments: {
      id: id("comment"),
      work_id: workId,
      review_id: id("review"),
      at: 0.1,
      text: "Lovely",
      author: "Eve",
      resolved: false,
      created_at: 12,
      reply_to: 11,
    },
    generated_media: {
      id: id("media"),
      user_id: userId,
      ...fileColumns(userId, "drawn", files.image),
      created_at: 9,
      expires_at: far,
    },
    upstream_calls: {
      id: id("call"),
      user_id: userId,
      provider: "openai",
      model: "m",
      purpose: "image",
      milliseconds: 5,
      outcome: "ok",
      input_tokens: 1,
      output_tokens: 2,
      seconds: 0.5,
      created_at: 10,
    },
    idempotency_keys: {
      user_id: userId,
      key: `key ${generation}`,
      fingerprint: "f",
      claim_id: "c",
      leased_until: 11,
      checkpoints: { image: '{"state":"done","result":1}' },
      status: 200,
      headers: { "content-type": "application/json" },
      body: '{"b":1,"a":2}',
      file_key: null,
      size_bytes: 5_000_000_000,
      expires_at: far,
    },
    export_jobs: {
      batch_id: null,
      id: exportId,
      user_id: userId,
      project_id: projectId,
      work_id: workId,
      name: "Film",
      scopes: ["works:read", "projects:read"],
      request: { projectId, workId, clips, options },
      options,
      status: "done",
      frames: 3,
      frames_done: 3,
      frames_rendered: 3,
      warnings: [],
      captions: null,
      failure: null,
      attempt: 1,
      revision: 4,
      created_at: 12,
      started_at: 13,
      finished_at: 14,
      expires_at: far,
    },
    export_files: { export_id: exportId, target: "", file_key: film.file_key, size_bytes: film.size_bytes },
    export_runs: {
      export_id: exportId,
      attempt: 2,
      number: 0,
      first_segment: 0,
      last_segment: 3,
      content: "c0ffee",
      is_finished: false,
      holder_id: "holder",
      leased_until: far,
    },
    export_webhooks: {
      export_id: exportId,
      url: "https://example.com/hook",
      secret: "sealed",
      state: "delivered",
      round: 1,
      event_id: id("evt"),
      event_type: "export.done",
      body: "{}",
    },
    webhook_attempts: {
      export_id: exportId,
      at: 15,
      milliseconds: 20,
      outcome: "refused",
      status: 503,
      reason: "busy",
      retry_after_seconds: 30,
    },
    deliveries: {
      id: id("delivery"),
      export_id: exportId,
      user_id: userId,
      project_id: projectId,
      target: "",
      type: "s3",
      destination: `shelf-${generation}`,
      address: "c0ffee",
      wishes: { key: "film.mp4" },
      require_gate: true,
      dry_run: false,
      sealed: "sealed",
      status: "delivered",
      attempt: 1,
      progress: { sentBytes: 5 },
      failure: { code: "SlowDown", status: 503, message: "The store answered 503." },
      result: { bucket: "films", key: "film.mp4" },
      plan: { requests: [] },
      retry_at: 15,
      created_at: 14,
      begun_at: 15,
      ended_at: 16,
    },
    operations: {
      id: id("op"),
      user_id: userId,
      scopes: ["works:read"],
      leased_until: 16,
      status: 200,
      body: "{}",
      created_at: 17,
      ended_at: 18,
      expires_at: far,
    },
    renders: {
      id: id("render"),
      user_id: userId,
      project_id: projectId,
      api: "creatomate",
      scopes: ["works:read"],
      edit: { elements: [] },
      repeated: { metadata: "7" },
      webhook_url: "https://example.com/hook",
      work_id: workId,
      export_id: exportId,
      state: "failed",
      error: "The file could not be had.",
      attempt: 1,
      created_at: 17,
      ended_at: 18,
      expires_at: far,
    },
    leases: { name: `lease ${generation}`, holder_id: "h", leased_until: 19 },
    secret_fingerprints: { fingerprint: sha256(secretOf(generation)), used_at: 20 },
    spend_days: {
      user_id: userId,
      day: 86_400_000,
      project_id: projectId,
      provider: "google",
      model: "m",
      cost: 21,
      unknown: 22,
      calls: 23,
    },
    spend_totals: {
      user_id: userId,
      scope: "project",
      scope_id: projectId,
      period: "2026-11",
      spent: 24,
      reserved: 25,
      unknown: 26,
    },
    project_budgets: { project_id: projectId, max_spend: 27, period: "month" },
    films: {
      id: id("film"),
      user_id: userId,
      project_id: projectId,
      work_id: workId,
      name: "Film",
      scopes: ["ai:generate"],
      order: {
        brief: { text: "A cup" },
        targets: ["9:16"],
        models: {},
        stopAt: [],
        allowUnpriced: false,
        onUnknown: "wait",
      },
      max_spend: 28,
      status: "done",
      waiting_for: null,
      waiting_reason: null,
      waiting_at: null,
      approved: ["scenario"],
      export_id: exportId,
      warnings: [],
      failure: null,
      attempt: 1,
      revision: 2,
      created_at: 29,
      updated_at: 30,
      ended_at: 31,
    },
    film_steps: {
      film_id: id("film"),
      batch_id: id("batch"),
      id: "scene-0-image",
      place: 2,
      kind: "image",
      scene: 0,
      status: "done",
      depends_on: ["scenario"],
      attempts: [{ state: "done", startedAt: 32 }],
      checkpoints: {},
      wish: null,
      asset_id: null,
      force: null,
    },
    film_keys: { film_id: id("film"), category: "image", sealed: "sealed" },
    film_results: {
      project_id: projectId,
      hash: "ab".repeat(32),
      film_id: id("film"),
      output: { seconds: 4 },
      sha256: asset.sha256,
    },
    batches: {
      id: id("batch"),
      user_id: userId,
      project_id: projectId,
      work_id: workId,
      name: "Products",
      scopes: ["works:write"],
      order: {
        languages: ["de"],
        targets: ["9:16"],
        fileName: "{{key}}",
        columns: ["price"],
        stopAt: [],
        onError: "continue",
        concurrency: 4,
        force: false,
      },
      rows: 1,
      table_bytes: 33,
      checked: 1,
      recheck: null,
      seconds: 1.5,
      max_spend: 38,
      estimate: { low: "1", high: "2" },
      checkpoints: {},
      status: "done",
      waiting_for: null,
      waiting_reason: null,
      waiting_at: null,
      approved: ["preview"],
      attempt: 1,
      revision: 3,
      created_at: 34,
      updated_at: 35,
      ended_at: 36,
    },
    batch_bases: {
      ...{ batch_id: id("batch"), language: "", request: { texts: [{ text: "{{price}}" }] } },
      texts: { claim: "Neu" },
    },
    batch_keys: { batch_id: id("batch"), category: "llm", sealed: "sealed" },
    translations: {
      ...{ project_id: projectId, hash: "cd".repeat(32), language: "en" },
      ...{ text: "Rad", translation: "Bike" },
    },
    batch_translations: { batch_id: id("batch"), hash: "cd".repeat(32) },
    batch_rows: { batch_id: id("batch"), row: 1, key: "a", cells: { price: "19" } },
    batch_items: {
      id: id("item"),
      batch_id: id("batch"),
      project_id: projectId,
      place: 0,
      row: 1,
      key: "a",
      language: "de",
      target: "9:16",
      file_name: "a.mp4",
      status: "done",
      identity: "ab",
      values: { price: "19" },
      text_length: 2,
      frames: 30,
      is_preview: true,
      export_id: exportId,
      film_id: id("film"),
      sha256: "cd",
      size_bytes: 37,
      warnings: [],
      errors: [],
      failure: null,
      approval: "approved",
      note: "fine",
    },
    account_remains: { id: id("gone"), folders: [id("user"), id("proj")] },
  };
  return { rows, stored };
}

/**
 * Inserts the rows of tables and columns that the schema has, under their names of that time. Returns what was inserted,
 * named as today.
 */
export async function insertGeneration(client: PGlite, rows: Rows): Promise<Rows> {
  const { rows: columns } = await client.query<{ table: string; column: string }>(`
    select table_name as table, column_name as column from information_schema.columns where table_schema = 'public'`);
  const columnsOf = Map.groupBy(columns, ({ table }) => table);
  const inserted: Record<string, Row> = {};
  for (const [name, row] of Object.entries(rows)) {
    const table = columnsOf.has(name) ? name : oldTables[name];
    const existing = new Set((table ? columnsOf.get(table) : undefined)?.map(({ column }) => column));
    const nameIn = (column: string) => (existing.has(column) ? column : oldColumns[column]);
    const present = Object.entries(row).filter(([column]) => existing.has(nameIn(column) ?? ""));
    if (!table || present.length === 0) continue;
    inserted[name] = Object.fromEntries(present);
    const list = present.map(([column]) => `"${nameIn(column)}"`).join(", ");
    const json = JSON.stringify(Object.fromEntries(present.map(([column, value]) => [nameIn(column), value])));
    const values = `select ${list} from json_populate_record(null::"${table}", $1::json)`;
    await client.query(`insert into "${table}" (${list}) ${values}`, [json]);
  }
  return inserted;
}

/** Triggers write them. */
const keptTables = ["shared_files", "storage_totals", "spend_by_day", "batch_counts"];

/** All tables of the service in a database into which the service writes. */
export async function tablesIn(client: PGlite): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(`
    select table_name as name from information_schema.tables where table_schema = 'public' order by 1`);
  return rows.map(({ name }) => name).filter((name) => !keptTables.includes(name));
}

/** The rows of a table as JSON. */
export async function readTable(client: PGlite, table: string): Promise<readonly Row[]> {
  const { rows } = await client.query<{ row: Row }>(`select to_json(t) as row from "${table}" as t`);
  return rows.map(({ row }) => row);
}

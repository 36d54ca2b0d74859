import { PassThrough } from "node:stream";
import { sql } from "drizzle-orm";
import { packTar, unpackTar } from "modern-tar";
import { type ImportPlan, importArchive } from "../../src/storage/archive/import.ts";
import {
  formatName,
  formatVersion,
  nameOfEntry,
  parseEntryName,
  type Scope,
} from "../../src/storage/archive/manifest.ts";
import type { BatchLimits } from "../../src/storage/archive/snapshot.ts";
import { archivedTables, filesOfRow } from "../../src/storage/archive/tables.ts";
import { writeArchive } from "../../src/storage/archive/write.ts";
import type { TestService } from "./service.ts";

type Target = Pick<TestService, "db" | "files">;

/** Limits that make many batches of little data. */
export const smallBatches: BatchLimits = { rows: 2, rowBytes: 1_000_000, fileBytes: 1_000_000 };

/** An archive of a service, and the problems that were reported. */
export async function archiveOf(service: Target, scope: Scope = { kind: "all" }, limits?: BatchLimits) {
  const problems: string[] = [];
  const out = new PassThrough();
  const manifest = {
    format: formatName,
    version: formatVersion,
    createdAt: 1,
    scope,
    schema: "",
    secretFingerprint: "",
  };
  const [bytes, count] = await Promise.all([
    new Response(out as unknown as ReadableStream).bytes(),
    writeArchive(service, manifest as never, out, (problem) => void problems.push(problem), limits),
  ]);
  return { bytes, count, problems };
}

/** The archive that somebody writes who changes the texts of its entries, with the hashes of the new texts. */
export async function rewritten(
  archive: Uint8Array,
  change: (text: string, kind: "manifest" | "index" | "rows") => string,
): Promise<Uint8Array> {
  const entries = await unpackTar(archive);
  const changed = entries.map(({ header, data = new Uint8Array() }) => {
    const entry = parseEntryName(header.name)!; // safe because export-data wrote it
    const { kind } = entry;
    const body = kind === "file" || kind === "end" ? data : Buffer.from(change(Buffer.from(data).toString(), kind));
    const sha256 = new Bun.CryptoHasher("sha256").update(body).digest("hex");
    return { header: { ...header, name: nameOfEntry({ ...entry, sha256 }), size: body.length }, body };
  });
  return await packTar(changed);
}

export const importInto = (service: Target, bytes: Uint8Array, plan: Partial<ImportPlan> = {}) =>
  importArchive(service, new Blob([bytes.slice()]).stream(), async () => ({ keepsExisting: false, ...plan }));

/** All rows of all tables that archives hold, as text, by table. */
export async function rowsOf({ db }: Target): Promise<Record<string, readonly string[]>> {
  const tables = [...archivedTables.values()].map(async ({ name, columnNames }) => {
    const columns = sql.join(
      columnNames.map((column) => sql.identifier(column)),
      sql`, `,
    );
    const query = sql`select row_to_json(r)::text as line from (select ${columns} from ${sql.identifier(name)}) as r`;
    const { rows } = (await db.execute(query)) as unknown as { rows: { line: string }[] };
    return [name, rows.map(({ line }) => line).sort()] as const;
  });
  return Object.fromEntries(await Promise.all(tables));
}

/** The hashes of all files that rows name, by key; undefined for one that is not stored. */
export async function filesOf(service: Target): Promise<Record<string, string | undefined>> {
  const rows = Object.values(await rowsOf(service)).flat();
  const keys = rows.flatMap((line) => filesOfRow(JSON.parse(line)).map(({ key }) => key));
  const hashes = keys.sort().map(async (key) => [key, await service.files.sha256Of(key)] as const);
  return Object.fromEntries(await Promise.all(hashes));
}

import { Readable } from "node:stream";
import { z } from "zod";
import type { ReceivedFile } from "../../engine/ports.ts";
import { isUnavailable } from "../../errors.ts";
import { sha256Of } from "../../platform/values.ts";
import type { Database } from "../database/database.ts";
import type { StorageFiles } from "../files/local-files.ts";
import { End, formatName, formatVersion, IndexedFile, Manifest, nameOfEntry, type Scope } from "./manifest.ts";
import {
  type ArchiveEntry,
  chunksOf,
  linesOf,
  parseEntry,
  readEntries,
  readText,
  requireHash,
  skipBytes,
  TruncatedArchive,
  toReadableError,
} from "./read.ts";
import { type ArchivedRow, describeRow, type InsertOptions, insertRows, parseLine } from "./rows.ts";
import { archivedTables, filesOfRow, userTables } from "./tables.ts";

type ImportTarget = { readonly db: Database; readonly files: StorageFiles };

/** How an import treats the rows of an archive; made when its manifest is known. */
export type ImportPlan = {
  /** Applies to rows and to the keys of files. */
  readonly changeIds?: (text: string) => string;
  /** Seals a secret of the archive for this service. Absent if the JWT_SECRET is the same or unknown. */
  readonly reseal?: (sealed: string) => string;
  readonly keepsExisting: boolean;
};

export type ImportedCount = {
  readonly batches: number;
  readonly added: number;
  /** Rows that already existed, equal or kept. */
  readonly equal: number;
  readonly kept: number;
  readonly filesAdded: number;
  readonly filesFound: number;
  /** Webhooks with a secret that only the JWT_SECRET of the archive can open. */
  readonly sealedSecrets: number;
};

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/**
 * Imports an archive batch by batch: first the files of a batch, then its rows in one transaction. Existing rows and
 * files are skipped, so an interrupted import can be repeated. Rejects with a one-line message; `onBatch` receives the
 * counts so far.
 */
export async function importArchive(
  target: ImportTarget,
  archive: ReadableStream<Uint8Array>,
  planFor: (manifest: Manifest) => Promise<ImportPlan>,
  onBatch: (count: ImportedCount) => void = () => {},
): Promise<ImportedCount> {
  const importer = new Importer(target, planFor, onBatch);
  let position = "at its beginning";
  try {
    for await (const entry of readEntries(archive)) {
      await importer.take(entry);
      position = `after ${nameOfEntry(entry)}`;
    }
  } catch (error) {
    const readable = toReadableError(error, position);
    // a truncated archive can be continued, and rows may have been committed before the database became unavailable
    if (!(readable instanceof TruncatedArchive || isUnavailable(error))) await importer.removeFilesOfBatch();
    throw readable;
  }
  if (!importer.hasEnded) throw new TruncatedArchive(`The archive ends early, ${position}.`);
  return importer.count;
}

/** A file of the current batch. */
type ExpectedFile = IndexedFile & { isStored: boolean; isNew?: true };

class Importer {
  readonly count: Mutable<ImportedCount> = {
    batches: 0,
    added: 0,
    equal: 0,
    kept: 0,
    filesAdded: 0,
    filesFound: 0,
    sealedSecrets: 0,
  };
  hasEnded = false;
  private plan: ImportPlan | undefined;
  private rowsOfScope: RowsOfScope | undefined;
  private expected: ReadonlyMap<string, ExpectedFile> | undefined;

  constructor(
    private readonly target: ImportTarget,
    private readonly planFor: (manifest: Manifest) => Promise<ImportPlan>,
    private readonly onBatch: (count: ImportedCount) => void,
  ) {}

  async take(entry: ArchiveEntry): Promise<void> {
    if ((entry.kind === "manifest") !== (this.plan === undefined)) throw misplaced(entry);
    if (entry.kind === "manifest") await this.takeManifest(entry);
    else if (entry.kind === "end") await this.takeEnd(entry);
    else if (entry.batch !== this.count.batches + 1) throw misplaced(entry);
    else if (entry.kind === "index") await this.takeIndex(entry);
    else if (entry.kind === "file") await this.takeFile(entry);
    else await this.takeRows(entry);
  }

  private async takeManifest(entry: ArchiveEntry): Promise<void> {
    const manifest = await readManifest(entry);
    this.plan = await this.planFor(manifest);
    const scope = JSON.stringify(manifest.scope);
    this.rowsOfScope = rowsOfScope(JSON.parse(this.plan.changeIds?.(scope) ?? scope));
  }

  private async takeEnd(entry: ArchiveEntry): Promise<void> {
    const { batches } = parseEntry(entry, await readText(entry), End);
    if (batches !== this.count.batches) throw new Error("The archive does not hold all of its batches: get it again.");
    this.hasEnded = true;
  }

  private async takeIndex(entry: ArchiveEntry): Promise<void> {
    if (this.expected) throw misplaced(entry);
    const expected = new Map<string, ExpectedFile>();
    const text = await readText(entry);
    for (const line of linesOf(this.plan?.changeIds?.(text) ?? text)) {
      const file = parseEntry(entry, line, IndexedFile);
      const sha256 = await this.target.files.sha256Of(file.key);
      if (sha256 !== undefined && sha256 !== file.sha256) {
        throw new Error(`The store holds another file as ${file.key}: nothing of it was changed.`);
      }
      expected.set(file.key, { ...file, isStored: sha256 !== undefined });
      if (sha256 !== undefined) this.count.filesFound += 1;
    }
    this.expected = expected;
  }

  private async takeFile(entry: ArchiveEntry): Promise<void> {
    const files = [...(this.expected?.values() ?? [])].filter(({ sha256 }) => sha256 === entry.sha256);
    const [first] = files;
    if (!first || first.sizeBytes !== entry.sizeBytes) throw misplaced(entry);
    const missing = files.filter(({ isStored }) => !isStored);
    const subject = `The file ${first.key} (${nameOfEntry(entry)} of the archive)`;
    if (missing.length === 0) await skipBytes(entry, subject);
    else await this.storeFile(await this.receive(entry, subject), missing);
  }

  /** The hash is checked while the bytes are written, before they reach the store. */
  private async receive(entry: ArchiveEntry, subject: string): Promise<ReceivedFile> {
    const { files } = this.target;
    const received = await files.receive(Readable.from(chunksOf(entry)), entry.sizeBytes);
    if (received.sha256 === entry.sha256) return received;
    await files.discard(received);
    requireHash(entry, received.sha256, subject);
    return received;
  }

  private async storeFile(received: ReceivedFile, missing: readonly ExpectedFile[]): Promise<void> {
    const { files } = this.target;
    const [first, ...others] = missing;
    try {
      for (const file of others) await files.storeCopy(received, file.key);
      await files.store(received, first!.key); // safe because a file is stored for at least one key
    } catch (error) {
      await files.discard(received);
      throw error;
    }
    for (const file of missing) Object.assign(file, { isStored: true, isNew: true });
    this.count.filesAdded += missing.length;
  }

  private async takeRows(entry: ArchiveEntry): Promise<void> {
    const { expected } = this;
    const plan = this.plan!; // safe because `take` requires the manifest first
    if (!expected) throw misplaced(entry);
    const text = await readText(entry);
    const rows = linesOf(plan.changeIds?.(text) ?? text).map(parseLine);
    for (const row of rows) {
      this.rowsOfScope!(row); // safe because it is made with the plan
      requireFiles(row, expected);
    }
    requireRows(expected, rows);
    const inserted = await insertRows(this.target.db, rows, {
      keepsExisting: plan.keepsExisting,
      ...this.secrets(rows),
    });
    for (const name of ["added", "equal", "kept"] as const) this.count[name] += inserted[name];
    this.count.batches += 1;
    this.expected = undefined;
    this.onBatch(this.count);
  }

  /** Removes files that a refused batch added: no row names them. */
  async removeFilesOfBatch(): Promise<void> {
    const added = [...(this.expected?.values() ?? [])].filter(({ isNew }) => isNew);
    await this.target.files.remove(added.map(({ key }) => key));
    this.count.filesAdded -= added.length;
  }

  private secrets(rows: readonly ArchivedRow[]): Pick<InsertOptions, "replacedSecrets"> {
    const sealed = rows.flatMap(({ row }) => (typeof row.secret === "string" ? [row.secret] : []));
    this.count.sealedSecrets += sealed.length;
    const reseal = this.plan?.reseal;
    return reseal ? { replacedSecrets: new Map(sealed.map((secret) => [secret, reseal(secret)])) } : {};
  }
}

/** Throws if a file of the row is missing. */
function requireFiles(row: ArchivedRow, expected: ReadonlyMap<string, ExpectedFile>): void {
  for (const { key, sha256 } of filesOfRow(row.row)) {
    const file = expected.get(key);
    if (!file?.isStored || (sha256 !== undefined && sha256 !== file.sha256)) {
      throw new Error(`The archive does not hold the file ${key} of ${describeRow(row)}: get it again.`);
    }
  }
}

/** Throws if no row names a file. */
function requireRows(expected: ReadonlyMap<string, ExpectedFile>, rows: readonly ArchivedRow[]): void {
  const named = new Set(rows.flatMap(({ row }) => filesOfRow(row).map(({ key }) => key)));
  const unnamed = [...expected.keys()].find((key) => !named.has(key));
  if (unnamed) throw new Error(`The archive holds the file ${unnamed}, which no row of its batch names.`);
}

async function readManifest(entry: ArchiveEntry): Promise<Manifest> {
  const text = await readText(entry);
  const { format, version } = parseEntry(entry, text, z.looseObject({ format: z.string(), version: z.int() }));
  if (format !== formatName) throw new Error("This is not an archive of export-data.");
  if (version > formatVersion) {
    throw new Error(`The archive has version ${version}: this version of the service reads ${formatVersion}.`);
  }
  return parseEntry(entry, text, Manifest);
}

const misplaced = (entry: ArchiveEntry): Error =>
  new Error(`The archive is not complete: ${nameOfEntry(entry)} is out of order.`);

const parentTables = new Set(
  [...archivedTables.values()].flatMap(({ references, names }) => [...references, ...names].map(({ table }) => table)),
);

/** Throws a one-line message for a row outside the scope. Takes the rows in the order of the archive. */
type RowsOfScope = (row: ArchivedRow) => void;

/**
 * An archive may come from anybody: hashes protect it against damage, but not against its author. A row is therefore
 * accepted only if it belongs to the account or project of the manifest: the rows that it references came before it,
 * and its files are in a folder of the scope.
 */
function rowsOfScope(scope: Scope): RowsOfScope {
  /** Ids by table, of the current account and project, which follow one another in an archive. */
  const parents = new Map<string, Set<string>>();
  const isParent = (table: string, id: unknown) => parents.get(table)?.has(String(id)) ?? false;
  if (scope.kind === "project") parents.set("users", new Set([scope.user.id]));

  const belongs = ({ table, row }: ArchivedRow): boolean => {
    if (scope.kind === "project" && userTables.includes(table)) return false;
    if (scope.kind === "project" && table.name === "projects" && row.id !== scope.project.id) return false;
    if (scope.kind === "user" && table.name === "users" && row.id !== scope.user.id) return false;
    // a nullable reference is accompanied by another owner
    return [...table.references, ...table.names].every(
      ({ column, table: parent }) => row[column] === null || isParent(parent, row[column]),
    );
  };
  const isOwnFile = ({ table }: ArchivedRow, key: string) =>
    isParent(userTables.includes(table) ? "users" : "projects", key.split("/")[0]);

  return (archived) => {
    const { table, row } = archived;
    if (!belongs(archived))
      throw new Error(`The archive holds ${describeRow(archived)}, which is not of its ${labelOf(scope)}.`);
    if (table.name === "users") parents.clear();
    if (table.name === "projects") for (const name of parents.keys()) if (name !== "users") parents.delete(name);
    if (parentTables.has(table.name)) {
      const id = String(row[table.keyNames[0]!]); // safe because every table has a key
      parents.set(table.name, (parents.get(table.name) ?? new Set()).add(id));
    }
    const foreign = filesOfRow(row).find((file) => !isOwnFile(archived, file.key));
    if (foreign)
      throw new Error(`The file ${foreign.key} of ${describeRow(archived)} is not of its ${labelOf(scope)}.`);
  };
}

const labelOf = ({ kind }: Scope): string => (kind === "project" ? "project" : "account");

/** Every id of the service, anywhere in a text: in a column, a document, a URL or the key of a file. */
const anyId = /\b([a-z]+)_([0-9a-f]{12})([0-9a-f]{20})(?![0-9a-f])/g;

/**
 * Returns a function that replaces all ids in a text, and `ownerId` by the account `userId`. For one account, an id
 * always gets the same new id, so that an import can be repeated. The time at the start of an id stays.
 */
export function idChanger(ownerId: string, userId: string): (text: string) => string {
  const newIdOf = (id: string, prefix: string, time: string) => {
    if (id === ownerId) return userId;
    const rest = sha256Of(`${userId}\n${id}`).slice(0, 20);
    return `${prefix}_${time}${rest}`;
  };
  return (text) => text.replaceAll(anyId, newIdOf);
}

import { z } from "zod";

// An archive is a tar stream: a manifest, batches, an end. The name of each entry contains the SHA-256 of its bytes. A
// batch is an index of files, the files, and the rows that use them; see docs/backups.md.

export const formatName = "reelwright-data";
export const formatVersion = 1;

const Id = z.string().regex(/^[a-z]+_[0-9a-f]{32}$/);
const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const Account = z.strictObject({ id: Id, email: z.string() });

export const Scope = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("all") }),
  z.strictObject({ kind: z.literal("user"), user: Account }),
  z.strictObject({ kind: z.literal("project"), project: z.strictObject({ id: Id, name: z.string() }), user: Account }),
]);

/** The content of an archive: everything, one account, or one project of an account. */
export type Scope = z.output<typeof Scope>;

export const Manifest = z.strictObject({
  format: z.literal(formatName),
  version: z.literal(formatVersion),
  /** Milliseconds since the Unix epoch. */
  createdAt: z.int(),
  scope: Scope,
  /** The last migration of the database. */
  schema: z.string(),
  /** Shows whether webhook secrets were sealed with the same JWT_SECRET; reveals nothing about it. */
  secretFingerprint: z.string(),
});

export type Manifest = z.output<typeof Manifest>;

export const IndexedFile = z.strictObject({
  key: z.string().regex(/^\w[\w.-]*(\/\w[\w.-]*)+$/),
  sha256: Sha256,
  sizeBytes: z.int().min(0),
});

/** A stored file of a batch. Files with the same bytes are in the batch once. */
export type IndexedFile = z.output<typeof IndexedFile>;

/** Counts of the whole archive. */
export const End = z.strictObject({ batches: z.int().min(0), rows: z.int().min(0), files: z.int().min(0) });

export type End = z.output<typeof End>;

type EntryKind = "manifest" | "index" | "file" | "rows" | "end";

/** `batch` is 0 for the manifest and the end. */
export type EntryName = { readonly kind: EntryKind; readonly batch: number; readonly sha256: string };

const extensions: Readonly<Record<EntryKind, string>> = {
  manifest: "manifest.json",
  index: "files.jsonl",
  file: "file",
  rows: "rows.jsonl",
  end: "end.json",
};

export function nameOfEntry({ kind, batch, sha256 }: EntryName): string {
  const folder = batch > 0 ? `${batch}`.padStart(6, "0") : "";
  return [folder, `${sha256}.${extensions[kind]}`].filter(Boolean).join("/");
}

/** Undefined for an entry that is not part of this format. Repacked archives may begin names with `.//`. */
export function parseEntryName(name: string): EntryName | undefined {
  const [, folder, sha256, extension] = /^(?:\.\/)?(?:(\d{6,12})\/)?([0-9a-f]{64})\.([a-z.]+)$/.exec(name) ?? [];
  // safe because the keys are the kinds
  const kind = (Object.keys(extensions) as EntryKind[]).find((kind) => extensions[kind] === extension);
  return kind && sha256 ? { kind, batch: Number(folder ?? 0), sha256 } : undefined;
}

import { createHash } from "node:crypto";
import { createTarDecoder } from "modern-tar";
import type { z } from "zod";
import { reportQueuedBytes } from "../../platform/cpu.ts";
import { parseJson } from "../../platform/parse-json.ts";
import { sha256Of } from "../../platform/values.ts";
import { type EntryName, parseEntryName } from "./manifest.ts";

/** An entry of an archive. Its bytes must be read completely before the next entry. */
export type ArchiveEntry = EntryName & { readonly sizeBytes: number; readonly bytes: ReadableStream<Uint8Array> };

/** The archive is truncated; everything before is complete. */
export class TruncatedArchive extends Error {
  override readonly name = "TruncatedArchive";
}

/** Errors of damaged archives come from the tar decoder; see `toReadableError`. */
export async function* readEntries(archive: ReadableStream<Uint8Array>): AsyncGenerator<ArchiveEntry> {
  for await (const { header, body } of archive.pipeThrough(createTarDecoder({ strict: true }))) {
    const name = header.type === "file" ? parseEntryName(header.name) : undefined;
    if (!name) throw new Error(`The archive holds an entry that does not belong to it: ${header.name}.`);
    yield { ...name, sizeBytes: header.size, bytes: body };
  }
}

const decoderErrors = /^(Invalid (tar|EOF)|Tar metadata|TAR number|Too many global|Archive already ended)/;

/** Describes the decoder's errors in one line; returns every other error unchanged. */
export function toReadableError(error: unknown, position: string): unknown {
  if (!(error instanceof Error)) return error;
  if (error.message === "Tar archive is truncated.") {
    return new TruncatedArchive(`The archive ends early, ${position}.`, { cause: error });
  }
  if (!decoderErrors.test(error.message)) return error;
  return new Error(`The archive is damaged ${position}, or is not an archive: get it again.`, { cause: error });
}

/** Longer texts are not from this format: a batch ends after a megabyte, or after one row. */
const maxTextBytes = 64 * 1024 ** 2;

/** Reads an entry of text and checks its hash. */
export async function readText(entry: ArchiveEntry): Promise<string> {
  if (entry.sizeBytes > maxTextBytes) throw damaged(entry, "is too large");
  const bytes = await new Response(entry.bytes).bytes();
  requireHash(entry, sha256Of(bytes));
  return Buffer.from(bytes).toString("utf8");
}

export function requireHash(entry: ArchiveEntry, sha256: string, subject = entryLabel(entry)): void {
  if (sha256 !== entry.sha256)
    throw new Error(`${subject} is damaged: its bytes do not match their hash. Get the archive again.`);
}

/** Reads an entry to its end and checks its hash. */
export async function skipBytes(entry: ArchiveEntry, subject?: string): Promise<void> {
  const hash = createHash("sha256");
  for await (const chunk of chunksOf(entry)) hash.update(chunk);
  requireHash(entry, hash.digest("hex"), subject);
}

export async function* chunksOf({ bytes }: ArchiveEntry): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    yield chunk;
    reportQueuedBytes(chunk.length);
  }
}

/** Throws one line that names the entry if it is not JSON or does not fit the schema. */
export function parseEntry<Schema extends z.ZodType>(entry: ArchiveEntry, text: string, schema: Schema) {
  const result = schema.safeParse(parseJson(text));
  if (!result.success) throw damaged(entry, "holds what this version cannot read");
  return result.data;
}

export const linesOf = (text: string): readonly string[] => (text === "" ? [] : text.trimEnd().split("\n"));

const entryLabel = ({ kind, batch }: ArchiveEntry) =>
  batch === 0 ? `The ${kind} of the archive` : `The ${kind === "index" ? "list of files" : kind} of batch ${batch}`;

const damaged = (entry: ArchiveEntry, what: string): Error => new Error(`${entryLabel(entry)} ${what}.`);

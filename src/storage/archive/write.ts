import { createReadStream } from "node:fs";
import { mkdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeWebStream } from "node:stream/web";
import { createTarPacker, type TarPackController } from "modern-tar";
import { reportQueuedBytes } from "../../platform/cpu.ts";
import { isMissing, withJobFolder } from "../../platform/files.ts";
import { sha256Of } from "../../platform/values.ts";
import type { Database } from "../database/database.ts";
import { sha256OfFile } from "../files/hash.ts";
import type { StorageFiles } from "../files/local-files.ts";
import { type End, type EntryName, type IndexedFile, type Manifest, nameOfEntry } from "./manifest.ts";
import type { RowFile } from "./rooms/archived-table.ts";
import { type ArchivedRow, describeRow, lineOf, parseLine, rowExists } from "./rows.ts";
import { type BatchLimits, batchLimits, takeSnapshot } from "./snapshot.ts";
import { filesOfRow } from "./tables.ts";

type ArchiveSource = { readonly db: Database; readonly files: StorageFiles };

export type ExportedCount = End & { readonly fileBytes: number };

/**
 * Writes an archive. `report` receives a line for each row left out because its file is missing or damaged; rows
 * removed since the snapshot are left out silently. Needs room for all rows in the data folder.
 */
export async function writeArchive(
  source: ArchiveSource,
  manifest: Manifest,
  out: Writable,
  report: (problem: string) => void,
  limits: BatchLimits = batchLimits,
): Promise<ExportedCount> {
  return await withJobFolder(source.files.jobFolder, async (folder) => {
    const { readable, controller } = createTarPacker();
    // safe because both types describe the same stream: Bun's type in node:stream only has more methods
    const sent = pipeline(Readable.fromWeb(readable as unknown as NodeWebStream), out);
    const writer = new ArchiveWriter(source, folder, controller, report);
    const written = writer.writeAll(manifest, limits).catch((error) => {
      controller.error(error);
      throw error;
    });
    const [sending, writing] = await Promise.allSettled([sent, written]);
    // a receiver that ends makes the writer fail, so its error says more
    if (sending.status === "rejected" && writing.status === "fulfilled") throw sending.reason;
    if (writing.status === "rejected") throw isClosedPipe(sending) ? sending.reason : writing.reason;
    return writing.value;
  });
}

const isClosedPipe = (sending: PromiseSettledResult<unknown>): sending is PromiseRejectedResult =>
  sending.status === "rejected" && sending.reason?.code !== undefined;

/** A file of a batch, linked at its own path, where it stays if the store removes it. */
type LinkedFile = IndexedFile & { readonly path: string };

class ArchiveWriter {
  private rows = 0;
  private files = 0;
  private fileBytes = 0;

  constructor(
    private readonly source: ArchiveSource,
    private readonly folder: string,
    private readonly tar: TarPackController,
    private readonly report: (problem: string) => void,
  ) {}

  async writeAll(manifest: Manifest, limits: BatchLimits): Promise<ExportedCount> {
    const rowsFolder = join(this.folder, "rows");
    await mkdir(rowsFolder);
    const snapshot = await takeSnapshot(this.source.db, manifest.scope, rowsFolder, limits);
    await this.writeText("manifest", 0, JSON.stringify(manifest));
    for (let batch = 1; batch <= snapshot.batches; batch += 1) {
      const path = snapshot.pathOf(batch);
      await this.writeBatch(batch, (await readFile(path, "utf8")).trimEnd().split("\n"));
      await rm(path);
    }
    const { rows, files, fileBytes } = this;
    await this.writeText("end", 0, JSON.stringify({ batches: snapshot.batches, rows, files } satisfies End));
    this.tar.finalize();
    return { batches: snapshot.batches, rows, files, fileBytes };
  }

  private async writeBatch(batch: number, lines: readonly string[]): Promise<void> {
    const folder = join(this.folder, `files-${batch}`);
    await mkdir(folder);
    const linked = new Map<string, LinkedFile>();
    const kept: string[] = [];
    for (const line of lines) {
      const complete = await this.withFiles(parseLine(line), folder, linked);
      if (complete !== undefined) kept.push(complete);
    }
    const index = [...linked.values()].map(({ path: _, ...file }) => JSON.stringify(file));
    await this.writeText("index", batch, joinLines(index));
    const once = new Map([...linked.values()].map((file) => [file.sha256, file]));
    for (const file of once.values()) await this.writeFile(batch, file);
    await this.writeText("rows", batch, joinLines(kept));
    this.rows += kept.length;
    this.files += linked.size;
    await rm(folder, { recursive: true });
  }

  /** Links the files of a row. Returns its line; undefined if a file is lost. */
  private async withFiles(found: ArchivedRow, folder: string, linked: Map<string, LinkedFile>) {
    const { table, row, text } = found;
    let line = text;
    for (const file of filesOfRow(row)) {
      const problem = linked.has(file.key) ? undefined : await this.link(file, folder, linked);
      if (problem === undefined) continue;
      // not an error of the store if the row was removed since the snapshot
      if (await rowExists(this.source.db, found)) this.report(`${describeRow(found)}: ${problem}`);
      if (file.column !== "thumbnail_key") return undefined;
      line = JSON.stringify({ ...row, thumbnail_key: null });
    }
    return lineOf(table.name, line);
  }

  /** Returns the problem of a file that cannot be archived. */
  private async link({ key, sha256: expected }: RowFile, folder: string, linked: Map<string, LinkedFile>) {
    const path = join(folder, `${linked.size}`);
    try {
      // without the hash: damage must be found here, and not look like an unresponsive store
      await this.source.files.linkTo({ key }, path);
    } catch (error) {
      if (isMissing(error)) return `its file ${key} is missing`;
      throw error;
    }
    const sha256 = await sha256OfFile(path);
    if (expected !== undefined && sha256 !== expected) {
      await rm(path);
      return `its file ${key} is damaged`;
    }
    linked.set(key, { key, sha256, sizeBytes: (await stat(path)).size, path });
    return undefined;
  }

  private async writeFile(batch: number, { sha256, sizeBytes, path }: LinkedFile): Promise<void> {
    const entry = this.addEntry({ kind: "file", batch, sha256 }, sizeBytes);
    for await (const chunk of createReadStream(path, { highWaterMark: 2 ** 18 })) {
      await entry.write(chunk);
      reportQueuedBytes(chunk.length);
    }
    await entry.close();
    this.fileBytes += sizeBytes;
  }

  private async writeText(kind: EntryName["kind"], batch: number, text: string): Promise<void> {
    const bytes = Buffer.from(text);
    const sha256 = sha256Of(bytes);
    const entry = this.addEntry({ kind, batch, sha256 }, bytes.length);
    if (bytes.length > 0) await entry.write(bytes);
    await entry.close();
  }

  private addEntry(name: EntryName, size: number): WritableStreamDefaultWriter<Uint8Array> {
    const header = { name: nameOfEntry(name), size, mode: 0o600, mtime: new Date(), type: "file" } as const;
    return this.tar.add(header).getWriter();
  }
}

const joinLines = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");

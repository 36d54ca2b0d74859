import { rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { maxCellCharacters, maxColumns, maxRows, type TableReader, type TableType } from "../../domain/batches/rows.ts";
import type { FileStore } from "../../engine/ports.ts";
import { addedTask } from "../../engine/sandbox/contract.ts";
import { mapTaskFailure } from "../../engine/sandbox/failures.ts";
import { linesOf } from "../../engine/sandbox/lines.ts";
import type { TaskPool } from "../../engine/sandbox/task-pool.ts";
import { DomainError } from "../../errors.ts";

type ReaderDeps = { readonly files: Pick<FileStore, "jobFolder">; readonly canvas: TaskPool };

const limits = { maxRows, maxColumns, maxCellCharacters };

const unreadable = mapTaskFailure(
  (cause) =>
    new DomainError(
      "unsupported_media_type",
      { reason: "The table could not be read: save it as CSV (UTF-8), and send that." },
      { cause },
    ),
);

type ReadTable = {
  readonly path: string;
  readonly output: string;
  readonly type?: TableType;
  readonly maxRows: number;
  readonly maxColumns: number;
  readonly maxCellCharacters: number;
};

/** See `readTable`. */
export const readTableTask = addedTask<ReadTable>()("readTable", z.null());

/** Reads tables in the sandboxed processes. Their output is read row by row, which keeps the thread free. */
export const tableReader = ({ files, canvas }: ReaderDeps): TableReader => ({
  async read(path, { type, ...options }) {
    const folder = await files.jobFolder();
    try {
      const output = join(folder, "rows");
      const input = { path, output, ...limits, ...(type && { type }) };
      await canvas.runAdded(readTableTask, input, options).catch(unreadable);
      return await readRows(output);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
});

/** Yields to other work after this many rows. */
const rowsAtOnce = 100;

async function readRows(output: string): Promise<readonly unknown[]> {
  const rows: unknown[] = [];
  let header: readonly string[] | undefined;
  for await (const line of linesOf(Bun.file(output).stream())) {
    const value: unknown = JSON.parse(line);
    if (!Array.isArray(value)) rows.push(value);
    else if (header) rows.push(Object.fromEntries(header.map((column, at) => [column, value[at]])));
    else header = value;
    if (rows.length % rowsAtOnce === 0) await Bun.sleep(0);
  }
  return rows;
}

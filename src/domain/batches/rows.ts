import { DomainError, type Issue, invalid } from "../../errors.ts";
import { yieldIfBusy } from "../../platform/cpu.ts";
import { formatIssue } from "../../platform/field-sentences.ts";
import type { TaskOptions } from "../../platform/limits/concurrency-limit.ts";

export const maxRows = 5_000;
export const maxColumns = 200;
export const maxFilms = 30_000;
export const maxCellCharacters = 10_000;
/** The limit of a file. */
export const maxTableBytes = 20 * 1024 ** 2;

export const tableTypes = ["csv", "json", "ndjson"] as const;
export type TableType = (typeof tableTypes)[number];

export type TableReader = {
  /** Detects the type by the content unless it is given. Throws unsupported_media_type and validation_error. */
  read(path: string, options: TaskOptions & { readonly type?: TableType | undefined }): Promise<readonly unknown[]>;
};
const maxColumnCharacters = 200;
const maxKeyCharacters = 200;

/** The cells by placeholder. Any text can be a key, even `__proto__`. */
export type Cells = { readonly [column: string]: string };

export type TableRow = {
  /** Counted from 1 without the header. */
  readonly row: number;
  readonly key: string;
  readonly cells: Cells;
  /** The following rows that only continue its product, as in exports of shops: they become no films. */
  readonly joined?: readonly number[];
};

export type Table = { readonly columns: readonly string[]; readonly rows: readonly TableRow[] };

type TableOptions = {
  /** Replacement names for columns. */
  readonly mapping?: { readonly [column: string]: string } | undefined;
  /** The column that identifies a row. */
  readonly keyColumn?: string | undefined;
};

/** The most errors that a person corrects in one pass. */
const maxIssues = 100;

class Issues {
  readonly #list: Issue[] = [];

  add(path: readonly (string | number)[], message: string): void {
    if (this.#list.length >= maxIssues) return;
    // a row of a file is named like one of a list
    this.#list.push({ path: path.join("."), message: formatIssue(["rows", ...path.slice(1)], message) });
  }

  throwIfAny(): void {
    if (this.#list.length > 0) throw new DomainError("validation_error", { issues: this.#list });
  }
}

/**
 * Reads a list of flat objects as rows. Throws validation_error, with paths such as `rows.17.price`. Yields to other
 * requests: a table may have a million cells.
 */
export async function readRows(given: readonly unknown[], options: TableOptions, path = "rows"): Promise<Table> {
  if (given.length === 0) throw invalid(path, "Must have at least one row.");
  if (given.length > maxRows) throw invalid(path, `Must have at most ${maxRows} rows.`);
  const issues = new Issues();
  const columns = new Set<string>();
  const cells: (readonly (readonly [string, string])[])[] = [];
  for (const [at, row] of given.entries()) {
    cells.push(readCells(row, [path, at], columns, issues));
    await yieldIfBusy();
  }
  issues.throwIfAny();
  if (columns.size > maxColumns) throw invalid(path, `Must have at most ${maxColumns} columns.`);
  const renamed = renameColumns([...columns], options);
  const named: Cells[] = [];
  for (const row of cells) {
    named.push(Object.fromEntries(row.map(([column, cell]) => [renamed.get(column)!, cell])));
    await yieldIfBusy();
  }
  const key = keyOf(renamed, options);
  const kept = joinRows(named, [...renamed.values()], key);
  return { columns: [...new Set(renamed.values())], rows: withKeys(kept, key, path, issues) };
}

type KeptRow = Pick<TableRow, "row" | "cells" | "joined">;

const nameColumn = /^\*?(?:product[ _-]?|post[ _-]?|item[ _-]?)?(?:title|name)$/i;

/**
 * Exports of shops have a row for each variant or picture of a product, and only the first of them has its name. Rows
 * that continue the row above repeat its key (or else its first cell) or leave it empty, and have no name.
 */
function joinRows(named: readonly Cells[], columns: readonly string[], key?: string): readonly KeptRow[] {
  const id = key ?? columns[0];
  const name = columns.find((column) => nameColumn.test(column));
  const cellIn = (cells: Cells, column: string) => (Object.hasOwn(cells, column) ? cells[column]!.trim() : "");
  const kept: (Omit<KeptRow, "joined"> & { readonly joined: number[] })[] = [];
  for (const [at, cells] of named.entries()) {
    const above = kept.at(-1);
    const isUnnamed = name !== undefined && id !== undefined && name !== id && cellIn(cells, name) === "";
    const isNamed = above && name !== undefined && cellIn(above.cells, name) !== "";
    if (above && isUnnamed && isNamed && ["", cellIn(above.cells, id)].includes(cellIn(cells, id)))
      above.joined.push(at + 1);
    else kept.push({ row: at + 1, cells, joined: [] });
  }
  return kept.map(({ joined, ...row }) => (joined.length > 0 ? { ...row, joined } : row));
}

function readCells(
  row: unknown,
  path: readonly (string | number)[],
  columns: Set<string>,
  issues: Issues,
): readonly (readonly [string, string])[] {
  if (typeof row !== "object" || row === null || Array.isArray(row)) {
    issues.add(path, "Must be an object with a text for each column.");
    return [];
  }
  return Object.entries(row).map(([column, value]) => {
    columns.add(column);
    if (column.length > maxColumnCharacters) issues.add(path, `Must have shorter names of columns.`);
    const cell = textOf(value);
    if (cell === undefined) issues.add([...path, column], "Must be a text, a number, true, false or null.");
    else if (cell.length > maxCellCharacters) {
      issues.add([...path, column], `Must have at most ${maxCellCharacters} characters.`);
    }
    return [column, cell ?? ""];
  });
}

function textOf(value: unknown): string | undefined {
  if (value === null) return "";
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

function renameColumns(columns: readonly string[], { mapping = {} }: TableOptions): ReadonlyMap<string, string> {
  for (const column of Object.keys(mapping)) {
    if (!columns.includes(column)) throw invalid(`mapping.${column}`, "Must be a column of the table.");
  }
  const renamed = new Map(
    columns.map((column) => [column, (Object.hasOwn(mapping, column) ? mapping[column]! : column).trim()]),
  );
  if (new Set(renamed.values()).size < renamed.size) {
    throw invalid("mapping", "Must not give two columns one name.");
  }
  return renamed;
}

/** The key column, by its name in the table or its replacement. */
const keyOf = (renamed: ReadonlyMap<string, string>, { keyColumn }: TableOptions): string | undefined =>
  keyColumn === undefined || [...renamed.values()].includes(keyColumn)
    ? keyColumn
    : (renamed.get(keyColumn) ?? keyColumn);

function withKeys(
  kept: readonly KeptRow[],
  keyColumn: string | undefined,
  path: string,
  issues: Issues,
): readonly TableRow[] {
  const hasKeyColumn = keyColumn === undefined || kept.some(({ cells }) => Object.hasOwn(cells, keyColumn));
  if (!hasKeyColumn) throw invalid("keyColumn", "Must be a column of the table.");
  const first = new Map<string, number>();
  const rows = kept.map(({ cells, ...row }): TableRow => {
    const number = row.row;
    const at = number - 1;
    if (keyColumn === undefined) return { ...row, key: `${number}`, cells };
    const key = Object.hasOwn(cells, keyColumn) ? cells[keyColumn]!.trim() : "";
    const earlier = first.get(key);
    if (key === "") issues.add([path, at, keyColumn], "Must not be empty: it names the row.");
    else if (key.length > maxKeyCharacters) issues.add([path, at, keyColumn], "Must be shorter: it names the row.");
    else if (earlier !== undefined) {
      issues.add([path, at, keyColumn], `Must differ from that of row ${earlier}: it names the row.`);
    } else first.set(key, number);
    return { ...row, key, cells };
  });
  issues.throwIfAny();
  return rows;
}

/** The cell of a placeholder in a language: from the column `x_<language>`, then `x`. */
export function cellOf(cells: Cells, name: string, language: string): string | undefined {
  for (const column of columnsOf(name, language)) if (Object.hasOwn(cells, column)) return cells[column]!;
  return undefined;
}

/** `de-AT` reads `x_de-AT`, then `x_de`. */
export function columnsOf(name: string, language: string): readonly string[] {
  if (language === "") return [name];
  const [primary = language] = language.split("-");
  return [...new Set([`${name}_${language}`, `${name}_${primary}`, name])];
}

import { writeFile } from "node:fs/promises";
import { CsvError, parse } from "csv-parse";
import type { TableType } from "../../domain/batches/rows.ts";
import { DomainError } from "../../errors.ts";

type TableLimits = { readonly maxRows: number; readonly maxColumns: number; readonly maxCellCharacters: number };

type ReadTable = TableLimits & {
  readonly path: string;
  readonly output: string;
  readonly type?: TableType | undefined;
};

/**
 * Reads a file of rows: CSV (RFC 4180, with commas, semicolons or tabs), a JSON array or NDJSON, in UTF-8 or UTF-16.
 * Writes one JSON value per line: the header of CSV, and then the cells of each row; else the rows. Throws
 * unsupported_media_type, and validation_error.
 */
export async function readTable({ path, output, type, ...limits }: ReadTable): Promise<null> {
  const text = decode(await Bun.file(path).bytes());
  const rows = await rowsOf(text, type ?? typeOf(text), limits);
  const bound = boundedRows(limits);
  const lines: string[] = [];
  let left = maxWrittenCharacters;
  for (const [at, row] of rows.entries()) {
    const line = `${lineOf(bound(row), at)}\n`;
    left -= line.length;
    if (left < 0) throw wrong("The table must be smaller: its cells need more than 64 MB.");
    lines.push(line);
  }
  await writeFile(output, lines.join(""));
  return null;
}

/** The maximum that the answering process reads of one table. */
const maxWrittenCharacters = 64 * 1024 ** 2;

/**
 * Reduces rows as far as errors allow: names and cells that are too long by at least a character stay too long, invalid
 * rows and cells become empty. Throws validation_error once all rows together have too many columns.
 */
function boundedRows({ maxColumns, maxCellCharacters }: TableLimits): (row: unknown) => unknown {
  const columns = new Set<string>();
  const cut = (text: string) => (text.length > maxCellCharacters ? beginningOf(text, maxCellCharacters + 1) : text);
  const cellOf = (cell: unknown) =>
    typeof cell === "string" ? cut(cell) : typeof cell === "object" && cell !== null ? {} : cell;
  return (row) => {
    if (Array.isArray(row)) return row.map(cellOf);
    if (typeof row !== "object" || row === null) return null;
    const cells = Object.entries(row).map(([column, cell]) => [cut(column), cellOf(cell)] as const);
    for (const [column] of cells) columns.add(column);
    if (columns.size > maxColumns) throw wrong(`The table must have at most ${maxColumns} columns.`);
    return Object.fromEntries(cells);
  };
}

/** At least this many characters, without half of one at the end. */
function beginningOf(text: string, characters: number): string {
  const isHalf = /[\ud800-\udbff]/.test(text[characters - 1] ?? "");
  return text.slice(0, isHalf ? characters + 1 : characters);
}

/** JSON's notation for characters that Postgres rejects or changes. */
const unsafe = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

function lineOf(row: unknown, at: number): string {
  const line = JSON.stringify(row);
  if (unsafe.test(line)) throw wrong(`Row ${at + 1} of the table must not hold NUL characters or lone surrogates.`, at);
  return line;
}

const refuse = (reason: string) => new DomainError("unsupported_media_type", { reason });

const wrong = (message: string, row?: number) => {
  const path = row === undefined ? "table" : `table.${row}`;
  return new DomainError("validation_error", { issues: [{ path, message: message.slice(0, 500) }] });
};

/** The signatures of files other than text, and their types. */
const others: readonly (readonly [signature: string, what: string])[] = [
  ["PK\x03\x04", "a spreadsheet or an archive"],
  ["\xd0\xcf\x11\xe0", "a spreadsheet"],
  ["\x1f\x8b", "a compressed file"],
  ["%PDF", "a PDF"],
  ["\x89PNG", "an image"],
  ["\xff\xd8\xff", "an image"],
];

function decode(bytes: Uint8Array): string {
  const begin = Buffer.from(bytes.subarray(0, 8)).toString("latin1");
  const [, other] = others.find(([signature]) => begin.startsWith(signature)) ?? [];
  if (other) throw refuse(`This is ${other}, not a table: save it as CSV (UTF-8), and send that.`);
  const encoding = encodingOf(bytes);
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    if (!text.includes("\0")) return text;
  } catch {
    // reported below
  }
  throw refuse("This is not text in UTF-8 or UTF-16: save it as CSV (UTF-8), and send that.");
}

/** Detected by the byte order mark, else by the zeros of Latin letters. */
function encodingOf(bytes: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  const head = bytes.subarray(0, 200);
  const zerosAt = (odd: number) => head.filter((byte, at) => byte === 0 && at % 2 === odd).length;
  const [even, odd] = [zerosAt(0), zerosAt(1)];
  if (odd > head.length / 4 && even === 0) return "utf-16le";
  return even > head.length / 4 && odd === 0 ? "utf-16be" : "utf-8";
}

function typeOf(text: string): TableType {
  const begin = text.trimStart();
  if (begin.startsWith("[")) return "json";
  return /^\{\s*["}]/.test(begin) ? "ndjson" : "csv";
}

async function rowsOf(text: string, type: TableType, limits: TableLimits): Promise<readonly unknown[]> {
  switch (type) {
    case "json":
      return jsonRows(text, limits);
    case "ndjson":
      return ndjsonRows(text, limits);
    case "csv":
      return await csvRows(text, limits);
  }
}

/** Cells are texts and numbers: a parser takes minutes for millions of nested values. */
const maxDepth = 100;

function requireShallow(text: string): void {
  let depth = 0;
  let isString = false;
  const signs = /["\\[\]{}]/g;
  for (let sign = signs.exec(text)?.[0]; sign !== undefined; sign = signs.exec(text)?.[0]) {
    if (sign === "\\") signs.lastIndex++;
    else if (sign === '"') isString = !isString;
    else if (!isString) depth += sign === "[" || sign === "{" ? 1 : -1;
    if (depth > maxDepth) {
      throw wrong("The table's values are nested: send a JSON array with an object of texts and numbers for each row.");
    }
  }
}

function jsonRows(text: string, { maxRows }: TableLimits): readonly unknown[] {
  requireShallow(text);
  let rows: unknown;
  try {
    rows = JSON.parse(text);
  } catch {
    throw wrong("The table is not valid JSON.");
  }
  if (!Array.isArray(rows)) throw wrong("The table must be a JSON array with an object for each row.");
  if (rows.length > maxRows) throw wrong(`The table must have at most ${maxRows} rows.`);
  // an array would be read as the header of CSV
  return rows.map((row) => (Array.isArray(row) ? null : row));
}

function ndjsonRows(text: string, { maxRows }: TableLimits): readonly unknown[] {
  requireShallow(text);
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (lines.length > maxRows) throw wrong(`The table must have at most ${maxRows} rows.`);
  return lines.map((line, at) => {
    try {
      const row: unknown = JSON.parse(line);
      return Array.isArray(row) ? null : row;
    } catch {
      throw wrong(`Row ${at + 1} of the table is not valid JSON.`, at);
    }
  });
}

const delimiters = [",", ";", "\t"] as const;

/** The delimiter that a spreadsheet declares, else the header's most frequent one outside of quotes. */
function delimiterOf(text: string): { readonly delimiter: string; readonly body: string } {
  const named = /^sep=(.)\r?\n/i.exec(text);
  if (named) return { delimiter: named[1]!, body: text.slice(named[0].length) };
  // empty lines above the header
  const body = text.replace(/^(?:[ \t,;]*[\r\n])+/, "");
  const counts = new Map<string, number>(delimiters.map((delimiter) => [delimiter, 0]));
  let isQuoted = false;
  for (const sign of body.replace(notesAbove, "")) {
    if (sign === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (sign === "\n" || sign === "\r")) break;
    else if (!isQuoted && counts.has(sign)) counts.set(sign, counts.get(sign)! + 1);
  }
  const [[delimiter] = [","]] = [...counts].sort(([, one], [, other]) => other - one);
  return { delimiter, body };
}

/** Lines for people, with which catalogs and templates of shops begin. */
const notesAbove = /^(?:"?#(?:\s|INFO).*(?:\r\n|\n|\r))+/;

const isNote = (record: readonly string[]): boolean => {
  const [first = "", ...others] = record.filter((cell) => cell !== "");
  if (!first.startsWith("#")) return false;
  return /^#INFO/.test(first) || (/^#\s*\S+\s/.test(first) && others.every((cell) => cell.startsWith("#")));
};

/** Tab-separated cells with quotes are of two kinds: quoted by spreadsheets, and unquoted. */
async function csvRows(text: string, limits: TableLimits): Promise<readonly unknown[]> {
  const { delimiter, body } = delimiterOf(text);
  try {
    return await recordsOf(body, { delimiter }, limits);
  } catch (error) {
    if (delimiter !== "\t" || !body.includes('"')) throw error;
    return await recordsOf(body, { delimiter, quote: false }, limits).catch(() => {
      throw error;
    });
  }
}

/** The header, and then the cells of each row: a short row gets empty cells. */
async function recordsOf(
  body: string,
  options: { readonly delimiter: string; readonly quote?: false },
  { maxRows, maxColumns }: TableLimits,
): Promise<readonly unknown[]> {
  // programs that add lines to a table may end them differently
  const record_delimiter = ["\r\n", "\n", "\r"];
  const parser = parse({ ...options, record_delimiter, relax_column_count: true, skip_empty_lines: true });
  const rows: string[][] = [];
  let header: readonly string[] | undefined;
  parser.end(body);
  try {
    // safe because without columns each record is a list of cells
    for await (const record of parser as AsyncIterable<string[]>) {
      if (header === undefined && isNote(record)) continue;
      if (header === undefined) {
        header = headerOf(record, maxColumns);
        continue;
      }
      // spreadsheets save cleared rows
      if (record.every((cell) => cell === "")) continue;
      if (rows.length === maxRows) throw wrong(`The table must have at most ${maxRows} rows.`);
      rows.push(cellsOf(record, header, rows.length));
    }
  } catch (error) {
    if (error instanceof CsvError) throw wrong(sentenceOf(error, rows.length + 1), rows.length);
    throw error;
  }
  if (!header) throw wrong("The table must have a header with the names of its columns.");
  return [header, ...rows];
}

function headerOf(record: readonly string[], maxColumns: number): readonly string[] {
  const names = record.map((name) => name.trim());
  // names of empty columns at the end
  while (names.at(-1) === "") names.pop();
  // data of another kind, or lines whose ends were lost
  if (names.length > 10 * maxColumns) {
    throw refuse(`This has ${names.length} columns, too many for a table: save it as CSV (UTF-8), and send that.`);
  }
  if (names.length > maxColumns) throw wrong(`The table must have at most ${maxColumns} columns.`);
  const empty = names.indexOf("");
  if (empty >= 0) throw wrong(`Column ${empty + 1} of the table has no name in the header.`);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw wrong(`The table has two columns with the name ${JSON.stringify(twice)}.`);
  return names;
}

function cellsOf(record: readonly string[], header: readonly string[], at: number): string[] {
  if (record.slice(header.length).some((cell) => cell !== "")) {
    throw wrong(`Row ${at + 1} of the table has ${record.length} cells, and the header has ${header.length}.`, at);
  }
  return header.map((_, column) => record[column] ?? "");
}

const sentenceOf = ({ code }: CsvError, row: number): string =>
  code === "CSV_QUOTE_NOT_CLOSED"
    ? `A quote that begins in row ${row} of the table, or before it, does not end.`
    : `Row ${row} of the table is not valid CSV: a quote inside a cell must be doubled, and the cell quoted.`;

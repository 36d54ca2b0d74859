import { ApiError, ExportFailedError, FilmFailedError } from "../index.ts";
import { isNetworkError, WaitsError } from "./exit-codes.ts";

/** Writes results to stdout, everything else to stderr. */
export class Output {
  constructor(readonly isJson: boolean) {}

  /** Writes the result of a command: as JSON, or as the text of `inWords`. */
  result(value: unknown, inWords: () => string): void {
    this.#write(process.stdout, this.isJson ? JSON.stringify(value) : inWords());
  }

  note(text: string): void {
    if (!this.isJson) this.#write(process.stderr, text);
  }

  error(error: unknown): void {
    this.#write(process.stderr, this.isJson ? JSON.stringify(errorBody(error)) : errorText(error));
  }

  #write(stream: NodeJS.WriteStream, text: string) {
    if (text !== "") stream.write(`${text}\n`);
  }
}

function errorBody(error: unknown) {
  const message = messageOf(error);
  if (error instanceof ExportFailedError) return { error: message, code: error.code ?? "cancelled", export: error.job };
  if (error instanceof FilmFailedError) return { error: message, code: error.code ?? "cancelled", film: error.film };
  if (error instanceof WaitsError) return { error: message, code: "waiting", ...error.waiting };
  if (!(error instanceof ApiError)) return { error: message };
  const { code, status, details, requestId } = error;
  return { error: message, code, status, details, requestId };
}

function errorText(error: unknown): string {
  if (!(error instanceof ApiError) || !Array.isArray(error.details)) return `reelwright: ${messageOf(error)}`;
  return [`reelwright: ${error.message}`, ...error.details.map(({ path, message }) => `  ${path}: ${message}`)].join(
    "\n",
  );
}

/** Node's codes for problems with a path of the user. */
const fileProblems: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  EACCES: "you may not read or write it",
  EPERM: "you may not read or write it",
  EISDIR: "it is a folder",
  ENOTDIR: "its folder is a file",
  ENOSPC: "the disk is full",
};

function fileProblem({ code = "", path }: NodeJS.ErrnoException): string | undefined {
  const problem = fileProblems[code];
  return path && problem && `${path}: ${problem}.`;
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const problem = fileProblem(error);
  if (problem) return problem;
  if (!isNetworkError(error)) return error.message;
  const { code, message } = error.cause as { readonly code?: string; readonly message?: string };
  return `The service cannot be reached (${code ?? message}).`;
}

/** Aligns columns to their widest cell. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]!.length))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

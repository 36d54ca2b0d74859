import { CommanderError } from "commander";
import { ApiError, type Batch, ExportFailedError, type Film, FilmFailedError } from "../index.ts";

/** Exit codes for scripts. The package's README lists them. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  notAllowed: 3,
  refused: 4,
  exportFailed: 5,
  unavailable: 6,
  waits: 7,
  interrupted: 130,
} as const;

/** A command with invalid arguments. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** There are no tokens for the service. */
export class NotLoggedInError extends Error {
  override readonly name = "NotLoggedInError";
}

/** The user pressed Ctrl-C, or the system asked the process to end. */
export class InterruptedError extends Error {
  override readonly name = "InterruptedError";
}

/** Some films of a table were not made; the others were downloaded. */
export class FailedFilmsError extends Error {
  override readonly name = "FailedFilmsError";
}

/** A film or a table of films that waits for its owner. */
export class WaitsError extends Error {
  override readonly name = "WaitsError";

  constructor(
    message: string,
    readonly waiting: { readonly film: Film } | { readonly batch: Batch },
  ) {
    super(message);
  }
}

/** A request that the service would refuse. */
export class InvalidRequestError extends Error {
  override readonly name = "InvalidRequestError";
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  if (error instanceof UsageError) return exitCodes.usage;
  if (error instanceof NotLoggedInError) return exitCodes.notAllowed;
  if (error instanceof InterruptedError) return exitCodes.interrupted;
  if (error instanceof InvalidRequestError) return exitCodes.refused;
  if (error instanceof ExportFailedError || error instanceof FilmFailedError) return exitCodes.exportFailed;
  if (error instanceof FailedFilmsError) return exitCodes.exportFailed;
  if (error instanceof WaitsError) return exitCodes.waits;
  if (error instanceof ApiError) return exitCodeOfStatus(error.status);
  return isNetworkError(error) ? exitCodes.unavailable : exitCodes.failed;
}

function exitCodeOfStatus(status: number): number {
  if (status === 401 || status === 403) return exitCodes.notAllowed;
  if (status === 429 || status >= 500) return exitCodes.unavailable;
  return exitCodes.refused;
}

/** `fetch` rejects with a TypeError whose cause is the error of the connection. */
export const isNetworkError = (error: unknown): boolean => error instanceof TypeError && error.cause !== undefined;

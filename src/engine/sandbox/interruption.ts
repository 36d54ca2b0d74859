import { DomainError } from "../../errors.ts";

/** The end of a process, as execa reports it. */
type Ending = { readonly signal?: string | undefined; readonly exitCode?: number | undefined };

/** ffmpeg handles the signals that stop it, and exits with this code. */
const stoppedFfmpegCode = 255;

/** True if a signal that asks programs to stop ended the process. Stopping a process group sends it to each member. */
export const isInterrupted = ({ signal }: Ending): boolean => signal === "SIGTERM" || signal === "SIGINT";

/** The variant for ffmpeg. */
export const isFfmpegInterrupted = (ending: Ending): boolean =>
  isInterrupted(ending) || ending.exitCode === stoppedFfmpegCode;

/** An interruption says nothing about the input: the same command can succeed later. */
export const interrupted = (cause: unknown): DomainError<"busy"> =>
  new DomainError("busy", { retryAfterSeconds: 1 }, { cause });

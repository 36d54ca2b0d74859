import { DomainError, invalid } from "../../errors.ts";
import type { DrawnState, Overlay } from "../timeline/overlay.ts";

/** A task's process crashed, was killed by a limit, or gave no valid answer; or the task failed unexpectedly. */
export class SandboxTaskError extends Error {
  override readonly name = "SandboxTaskError";
}

/** Replaces the error of a task that crashed, failed or took too long; other errors stay as they are. */
export const mapTaskFailure =
  (toError: (cause: SandboxTaskError) => Error) =>
  (error: unknown): never => {
    throw error instanceof SandboxTaskError ? toError(error) : error;
  };

/** The error of an image that cannot be drawn; `images` is the field that names it. */
export const unreadableImage = (
  cause?: unknown,
  facts: { readonly isDamaged?: boolean } = {},
): DomainError<"source_unreadable"> =>
  new DomainError("source_unreadable", { path: "images", what: "An image", ...facts }, { cause });

export const unusableFont = (cause?: unknown): DomainError<"font_unusable"> =>
  new DomainError("font_unusable", { path: "texts", what: "The font of a text" }, { cause });

const heavyText = () => invalid("texts", "A text takes too long to draw: make its size, stroke and shadow smaller.");

const heavyCaption = () => invalid("captions", "A caption takes too long to draw: make its size smaller.");

const heavyLayer = () => invalid("layers", "A layer takes too long to draw: make it smaller, or put less into it.");

/** Assigns the failure of a task that draws or measures the overlay to its image, its font or its text. */
export const overlayFailure = (content: Overlay["content"] | DrawnState["content"]) =>
  mapTaskFailure((cause) => {
    if (content.kind === "image") return unreadableImage(cause);
    if (content.kind !== "text" && content.kind !== "caption") return heavyLayer();
    if (content.kind === "caption") return content.look.font ? unusableFont(cause) : heavyCaption();
    return content.style.font ? unusableFont(cause) : heavyText();
  });

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

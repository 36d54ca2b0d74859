import { type DomainError, invalid } from "../../../errors.ts";
import { maxVideoSeconds } from "../../shared/schemas.ts";
import { ownEnd } from "./placement/times.ts";
import { endsByFile } from "./placement/videos.ts";
import type { ExportRequest } from "./schema.ts";

type Ending = { readonly end: number };

type Timed = Pick<ExportRequest, "layers" | "sounds" | "voice"> & {
  readonly clips?: readonly Ending[] | undefined;
  readonly texts?: readonly Ending[] | undefined;
  readonly images?: readonly Ending[] | undefined;
  readonly options?: { readonly duration?: number | undefined } | undefined;
};

/**
 * The seconds of a film as its request names them; 0 if it has no end. `soundEnds`: where its sounds end by their files.
 */
export function filmSeconds(request: Timed, soundEnds: readonly number[] = []): number {
  const { clips = [], texts = [], images = [], layers = [], sounds = [], options } = request;
  if (options?.duration !== undefined) return options.duration;
  if (clips.length > 0) return Math.max(0, ...clips.map(({ end }) => end));
  return Math.max(
    ...[0, ...[...texts, ...images].map(({ end }) => end), ...soundEnds],
    ...[...layers.map(ownEnd), ...sounds.map(({ end }) => end)].map((end) => end ?? 0),
  );
}

/** Throws validation_error for a film without clips whose length is too long, or unknown whatever its files are. */
export function requireLength(request: Timed): void {
  const { clips = [], sounds = [], layers = [], voice } = request;
  if (clips.length > 0) return;
  const hasFile = sounds.some(({ assetId }) => assetId) || (voice && !voice.audioUrl);
  const mayEnd = hasFile || layers.some(endsByFile);
  const error = filmSeconds(request) > 0 || !mayEnd ? filmLengthError(filmSeconds(request)) : undefined;
  if (error) throw error;
}

/** What is wrong with the length of a film without clips. */
export function filmLengthError(seconds: number): DomainError | undefined {
  if (seconds === 0) return invalid("clips", "Must not be empty.");
  if (seconds > maxVideoSeconds) {
    return invalid("options.duration", `Is required: its last part ends after ${maxVideoSeconds} seconds.`);
  }
  return undefined;
}

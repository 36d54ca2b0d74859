import { invalid } from "../../../errors.ts";
import { maxVideoSeconds } from "../../shared/schemas.ts";
import { ownEnd } from "./placement/times.ts";
import type { ExportRequest } from "./schema.ts";

type Ending = { readonly end: number };

type Timed = Pick<ExportRequest, "layers"> & {
  readonly clips?: readonly Ending[] | undefined;
  readonly texts?: readonly Ending[] | undefined;
  readonly images?: readonly Ending[] | undefined;
  readonly options?: { readonly duration?: number | undefined } | undefined;
};

/** The seconds of a film as its request names them; 0 if it has no end. */
export function filmSeconds({ clips = [], texts = [], images = [], layers = [], options }: Timed): number {
  if (options?.duration !== undefined) return options.duration;
  const entries = clips.length > 0 ? clips : [...texts, ...images];
  const layerEnds = clips.length > 0 ? [] : layers.flatMap((layer) => ownEnd(layer) ?? []);
  return Math.max(0, ...entries.map(({ end }) => end), ...layerEnds);
}

/** Throws validation_error for a film without clips whose length is unknown or too long. */
export function requireLength(request: Timed): void {
  if ((request.clips?.length ?? 0) > 0) return;
  const seconds = filmSeconds(request);
  if (seconds === 0) throw invalid("clips", "Must not be empty.");
  if (seconds > maxVideoSeconds) {
    throw invalid("options.duration", `Is required: the last layer ends after ${maxVideoSeconds} seconds.`);
  }
}

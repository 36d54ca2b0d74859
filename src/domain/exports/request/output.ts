import {
  formatsWithAlpha,
  formatTable,
  gifRates,
  maxGifSeconds,
  type Output,
} from "../../../engine/timeline/format.ts";
import { type FrameRate, frameRateOf, toSeconds } from "../../../engine/timeline/time.ts";
import type { Timeline } from "../../../engine/timeline/timeline.ts";
import { DomainError, invalid } from "../../../errors.ts";
import { defaultFps } from "../../works/editor-state.ts";
import type { ExportRequest } from "./schema.ts";
import type { WarningDetail } from "./warnings.ts";

type OptionsOnly = Pick<ExportRequest, "options">;

export const formatOf = ({ options }: OptionsOnly): Output["format"] => options?.format ?? "mp4";

/** What a request's film is made into. */
export const outputOf = (request: OptionsOnly): Output => ({
  format: formatOf(request),
  isTransparent: isTransparent(request),
  at: request.options?.at ?? 0,
});

const isTransparent = ({ options }: OptionsOnly): boolean => options?.background === "transparent";

const requestedFps = ({ options }: OptionsOnly): number => options?.fps ?? defaultFps;

/** The frames per second of a request's film: a GIF has one of few. */
export function outputFps(request: OptionsOnly): number {
  const fps = requestedFps(request);
  if (formatOf(request) !== "gif") return fps;
  return gifRates.reduce((best, rate) => (Math.abs(rate - fps) < Math.abs(best - fps) ? rate : best));
}

export const outputRate = (request: OptionsOnly): FrameRate => frameRateOf(outputFps(request));

type Length = Pick<Timeline, "track" | "rate">;

/** What a format does not allow. */
export function outputErrors(request: OptionsOnly, { track, rate }: Length): readonly DomainError[] {
  const format = formatOf(request);
  const { hasAlpha, kind } = formatTable[format];
  const seconds = toSeconds(track.frames, rate);
  const { at, poster } = request.options ?? {};
  const isOutside = (time: number | undefined) => time !== undefined && time >= seconds;
  const outside = (path: string) =>
    invalid(path, `Must lie inside the film: from 0 to before ${Number(seconds.toFixed(3))} seconds.`);
  return [
    ...(isTransparent(request) && !hasAlpha
      ? [new DomainError("background_not_possible", { path: "options.background", format, formats: formatsWithAlpha })]
      : []),
    ...(format === "gif" && seconds > maxGifSeconds
      ? [new DomainError("gif_too_long", { path: "options.format", seconds, allowed: maxGifSeconds })]
      : []),
    ...(kind === "picture" && isOutside(at) ? [outside("options.at")] : []),
    ...(isOutside(poster?.at) ? [outside("options.poster.at")] : []),
  ];
}

/** A GIF that runs at another rate than the requested one. */
export function changedRate(request: OptionsOnly): readonly WarningDetail[] {
  const fps = requestedFps(request);
  const own = outputFps(request);
  if (own === fps) return [];
  const message = `A GIF has ${gifRates.toSorted((one, other) => one - other).join(", ")} frames a second: this one has ${own}, not ${fps}.`;
  return [{ path: "options.fps", message }];
}

/** Captions that only an MP4 can carry. */
export function lostCaptions({ captions, ...request }: Pick<ExportRequest, "options" | "captions">) {
  if (!captions?.embed || formatOf(request) === "mp4") return [];
  const message = `A ${formatOf(request)} file has no text track: send the caption files beside it.`;
  return [{ path: "captions.embed", message }];
}

import type { Overlay } from "../../timeline/overlay.ts";
import { toFrame } from "../../timeline/time.ts";
import type { Timeline } from "../../timeline/timeline.ts";
import type { Clip } from "../../timeline/track.ts";
import type { AspectRatio } from "./schema.ts";

/** An overlay of a request; without `overlay` none of it is ever seen. */
export type LaidOverlay = {
  readonly path: string;
  /** In seconds, as asked. */
  readonly position: number;
  readonly end: number;
  readonly overlay?: Overlay | undefined;
};

/** A request laid out: its clips and overlays in their own order, and the timeline that they make. */
export type LaidFilm = {
  readonly timeline: Timeline;
  readonly clips: readonly Clip[];
  /** Clips whose transition has nothing to go over to. */
  readonly ignored: readonly Clip[];
  readonly overlays: readonly LaidOverlay[];
};

/** What is worth a warning: where in the request, and a sentence for its author. */
export type Remark = { readonly path: string; readonly message: string };

/** What each export tells of itself, from facts alone. */
const rules = {
  transition_ignored: transitionsIgnored,
  source_too_short: shortSources,
  overlay_past_end: unseenOverlays,
} satisfies Record<string, (film: LaidFilm) => readonly Remark[]>;

export type WarningCode =
  | keyof typeof rules
  | "audio_missing"
  | ("text_too_wide" | "text_outside_safe_zone" | "text_low_contrast" | "glyph_missing")
  | ("source_upscaled" | "fps_far_from_source" | "silent_result");

/** Something that the export bears, and its author should know. */
export type Warning = Remark & {
  readonly code: WarningCode;
  /** Of several films, those that it holds for; absent where it holds for all, whatever their frames. */
  readonly targets?: readonly AspectRatio[];
};

export const warningsOf = (film: LaidFilm): readonly Warning[] => applied(rules, film);

/** What every rule of a table has to say, under its code. */
export const applied = <Film>(
  table: Readonly<Partial<Record<WarningCode, (film: Film) => readonly Remark[]>>>,
  film: Film,
): readonly Warning[] =>
  Object.entries(table).flatMap(([code, rule]) =>
    // safe because the table's keys are codes
    rule(film).map(({ path, message }) => ({ path, code: code as WarningCode, message })),
  );

export const audioMissing: Warning = {
  path: "audio",
  code: "audio_missing",
  message: "The work has no uploaded audio, so the film has no music.",
};

function transitionsIgnored({ ignored, clips }: LaidFilm): readonly Remark[] {
  return ignored.map((clip) => ({
    path: `clips.${clips.indexOf(clip)}.transition`,
    message: "The next clip starts after a gap, so there is nothing to go over to.",
  }));
}

function shortSources({ clips, timeline: { rate } }: LaidFilm): readonly Remark[] {
  return clips.flatMap(({ source, range, sourceStartSeconds }, index) => {
    const has = source.facts.durationSeconds;
    if (source.facts.kind === "image" || has === undefined) return [];
    const missing = range.end - range.start - toFrame(Math.max(0, has - sourceStartSeconds), rate);
    if (missing <= 0) return [];
    const message = `The source ends ${missing} frame(s) early: its last picture holds, its sound goes silent.`;
    return [{ path: `clips.${index}`, message }];
  });
}

function unseenOverlays({ overlays, timeline: { rate, track } }: LaidFilm): readonly Remark[] {
  return overlays
    .filter(({ position }) => toFrame(position, rate) >= track.frames)
    .map(({ path }) => ({
      path: `${path}.position`,
      message: "It begins after the film's end and is never seen.",
    }));
}

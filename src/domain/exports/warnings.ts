import type { Overlay } from "../../timeline/overlay.ts";
import { toFrame } from "../../timeline/time.ts";
import type { Timeline } from "../../timeline/timeline.ts";
import type { Clip } from "../../timeline/track.ts";
import type { AspectRatio } from "./schema.ts";

/** A text or image of a request. `overlay` is undefined if it is never visible. */
export type PlacedOverlay = {
  readonly path: string;
  /** In seconds, as requested. */
  readonly position: number;
  readonly end: number;
  readonly overlay?: Overlay | undefined;
};

/** A request's clips and overlays in the order of the request, and the timeline built from them. */
export type ExportLayout = {
  readonly timeline: Timeline;
  readonly clips: readonly Clip[];
  /** Clips whose transition has no next clip. */
  readonly ignoredTransitions: readonly Clip[];
  readonly overlays: readonly PlacedOverlay[];
};

/** `path` is a field of the request; `message` is for its author. */
export type WarningDetail = { readonly path: string; readonly message: string };

/** Warnings of every export: they need only stored metadata. */
const rules = {
  transition_ignored: transitionsIgnored,
  source_too_short: shortSources,
  overlay_past_end: invisibleOverlays,
} satisfies Record<string, (layout: ExportLayout) => readonly WarningDetail[]>;

export type WarningCode =
  | keyof typeof rules
  | "audio_missing"
  | "text_too_wide"
  | "text_outside_safe_zone"
  | "text_low_contrast"
  | "glyph_missing"
  | "source_upscaled"
  | "fps_far_from_source"
  | "silent_result";

/** Something that does not prevent the export. */
export type Warning = WarningDetail & {
  readonly code: WarningCode;
  /** The targets whose frames it concerns; absent if it does not depend on the frame. */
  readonly targets?: readonly AspectRatio[];
};

export const warningsOf = (layout: ExportLayout): readonly Warning[] => applyRules(rules, layout);

/** The warnings of a table of rules, each with the code of its rule. */
export const applyRules = <Input>(
  table: Readonly<Partial<Record<WarningCode, (input: Input) => readonly WarningDetail[]>>>,
  input: Input,
): readonly Warning[] =>
  Object.entries(table).flatMap(([code, rule]) =>
    // safe because the table's keys are codes
    rule(input).map(({ path, message }) => ({ path, code: code as WarningCode, message })),
  );

export const audioMissing: Warning = {
  path: "audio",
  code: "audio_missing",
  message: "The work has no uploaded audio, so the video has no music.",
};

function transitionsIgnored({ ignoredTransitions, clips }: ExportLayout): readonly WarningDetail[] {
  return ignoredTransitions.map((clip) => ({
    path: `clips.${clips.indexOf(clip)}.transition`,
    message: "The next clip starts after a gap, so there is no clip to transition to.",
  }));
}

function shortSources({ clips, timeline: { rate } }: ExportLayout): readonly WarningDetail[] {
  return clips.flatMap(({ source, range, sourceStartSeconds }, index) => {
    const { kind, durationSeconds } = source.facts;
    if (kind === "image" || durationSeconds === undefined) return [];
    const missing = range.end - range.start - toFrame(Math.max(0, durationSeconds - sourceStartSeconds), rate);
    if (missing <= 0) return [];
    const message = `The source ends ${missing} frame(s) early: its last frame is held and its sound stops.`;
    return [{ path: `clips.${index}`, message }];
  });
}

function invisibleOverlays({ overlays, timeline: { rate, track } }: ExportLayout): readonly WarningDetail[] {
  return overlays
    .filter(({ position }) => toFrame(position, rate) >= track.frames)
    .map(({ path }) => ({
      path: `${path}.position`,
      message: "It starts after the end of the video and is never visible.",
    }));
}

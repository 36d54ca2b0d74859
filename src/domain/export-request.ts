import { halved } from "../timeline/reframe.ts";
import { type Music, soundPieces } from "../timeline/sound.ts";
import type { Source } from "../timeline/source.ts";
import { type FrameRate, frameRateOf, toFrame } from "../timeline/time.ts";
import type { Canvas, Timeline } from "../timeline/timeline.ts";
import { type Clip, layTrack } from "../timeline/track.ts";
import type { Caller } from "./callers.ts";
import { defaultFps, defaultResolution } from "./editor-state.ts";
import { type CompleteRequest, completeRequest } from "./export-draft.ts";
import { findMusic, musicOf } from "./export-music.ts";
import { imageOverlay, type Stage, textOverlay } from "./export-overlays.ts";
import type { ClipRequest, ExportRequest, Quality } from "./export-schema.ts";
import { findSources, type Sources } from "./export-sources.ts";
import type { Services } from "./services.ts";
import type { Work } from "./works.ts";

/** Something that the export bears, and its author should know. */
export type Warning = { readonly path: string; readonly code: WarningCode; readonly message: string };

export type WarningCode = "transition_ignored" | "source_too_short" | "overlay_past_end" | "audio_missing";

/** A request understood: everything it names was found, every time of it is a whole frame. */
export type ResolvedExport = {
  readonly timeline: Timeline;
  readonly quality: Quality;
  readonly warnings: readonly Warning[];
  /** Removes what was fetched for this export alone. */
  dispose(): Promise<void>;
};

/** The timeline of a request without its music: finds every error but those of a sound that must be fetched first. */
export async function checkExport(
  services: Pick<Services, "assets" | "workMedia">,
  work: Work,
  complete: CompleteRequest,
): Promise<Pick<ResolvedExport, "timeline" | "warnings">> {
  const { errors, ...sources } = await findSources(services, work, complete);
  if (errors[0]) throw errors[0];
  return layTimeline(complete, work, sources);
}

/** Request in, Timeline out: every error that an export can have because of its request is found here. */
export async function resolveExport(
  services: Services,
  caller: Caller,
  work: Work,
  request: ExportRequest,
  signal: AbortSignal,
): Promise<ResolvedExport> {
  const complete = completeRequest(request, work);
  const { timeline, warnings } = await checkExport(services, work, complete);
  const { audio } = complete;
  const { quality = "standard" } = complete.options ?? {};
  const music = audio && (await findMusic(services, caller, work, audio, signal));
  const whole = audio && music?.source ? withMusic(timeline, musicOf(music.source, audio, timeline.rate)) : timeline;
  return {
    timeline: quality === "draft" ? halved(whole) : whole,
    warnings: music && !music.source ? [...warnings, audioMissing] : warnings,
    quality,
    dispose: async () => music?.dispose(),
  };
}

/** The edit without its music, from facts alone. */
function layTimeline(request: CompleteRequest, work: Work, sources: Sources) {
  const canvas = canvasOf(request, work);
  const rate = frameRateOf(request.options?.fps ?? defaultFps);
  // safe because every clip without a source was an error before
  const clips = request.clips.map((clip, index) => clipOf(clip, sources.clips[index]!, rate));
  const { track, ignored } = layTrack(clips);
  const overlays = layOverlays(request, sources, { canvas, rate, frames: track.frames });
  const sound = { pieces: soundPieces(track, rate) };
  const timeline: Timeline = { canvas, rate, track, overlays: overlays.shown, sound };
  const warnings = [
    ...ignored.map(({ clip }) => transitionIgnored(clips.indexOf(clip))),
    ...clips.flatMap((clip, index) => shortSource(clip, index, rate)),
    ...overlays.warnings,
  ];
  return { timeline, warnings };
}

const withMusic = (timeline: Timeline, music: Music): Timeline => ({
  ...timeline,
  sound: { ...timeline.sound, music },
});

export function canvasOf({ options }: CompleteRequest, { resolution = defaultResolution }: Work): Canvas {
  return { width: options?.width ?? resolution.width, height: options?.height ?? resolution.height };
}

function clipOf(request: ClipRequest, source: Source, rate: FrameRate): Clip {
  const {
    position,
    end,
    cutFrom = 0,
    transition = "cut",
    transitionDuration = 0.5,
    volume = 1,
    fit = "contain",
    focus,
  } = request;
  const start = toFrame(position, rate);
  return {
    source,
    range: { start, end: Math.max(start + 1, toFrame(end, rate)) },
    sourceStartSeconds: cutFrom,
    volume,
    fit,
    focus,
    transition: { kind: transition, frames: transition === "cut" ? 0 : toFrame(transitionDuration, rate) },
  };
}

/** Images under texts, each in list order. */
function layOverlays({ texts = [], images = [] }: CompleteRequest, sources: Sources, stage: Stage) {
  const drawn = [
    ...images.map((image, index) => ({
      path: `images.${index}`,
      // safe because every image without a source was an error before
      overlay: imageOverlay(image, sources.images[index]!, stage),
      begins: image.position,
    })),
    ...texts.map((text, index) => ({
      path: `texts.${index}`,
      overlay: textOverlay(text, sources.fonts[index], stage),
      begins: text.position,
    })),
  ];
  return {
    shown: drawn.flatMap(({ overlay }) => overlay ?? []),
    warnings: drawn
      .filter(({ begins }) => toFrame(begins, stage.rate) >= stage.frames)
      .map(({ path }) => overlayPastEnd(path)),
  };
}

const transitionIgnored = (index: number): Warning => ({
  path: `clips.${index}.transition`,
  code: "transition_ignored",
  message: "The next clip starts after a gap, so there is nothing to go over to.",
});

function shortSource({ source, range, sourceStartSeconds }: Clip, index: number, rate: FrameRate): Warning[] {
  const has = source.facts.durationSeconds;
  if (source.facts.kind === "image" || has === undefined) return [];
  const missing = range.end - range.start - toFrame(Math.max(0, has - sourceStartSeconds), rate);
  if (missing <= 0) return [];
  const message = `The source ends ${missing} frame(s) early: its last picture holds, its sound goes silent.`;
  return [{ path: `clips.${index}`, code: "source_too_short", message }];
}

const overlayPastEnd = (path: string): Warning => ({
  path: `${path}.position`,
  code: "overlay_past_end",
  message: "It begins after the film's end and is never seen.",
});

const audioMissing: Warning = {
  path: "audio",
  code: "audio_missing",
  message: "The work has no uploaded audio, so the film has no music.",
};

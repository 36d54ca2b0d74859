import { layOutClips } from "../../timeline/layout.ts";
import { halveTimeline } from "../../timeline/reframe.ts";
import { soundPieces } from "../../timeline/sound.ts";
import type { Source } from "../../timeline/source.ts";
import { type FrameRate, frameRateOf, toFrame } from "../../timeline/time.ts";
import type { Timeline } from "../../timeline/timeline.ts";
import type { Clip } from "../../timeline/track.ts";
import type { Caller } from "../auth/caller.ts";
import { defaultFps } from "../works/editor-state.ts";
import type { Work } from "../works/works.ts";
import { type CompleteRequest, fillFromEditor } from "./fill-from-editor.ts";
import { type FindMusicPorts, type FoundMusic, findMusic, toMusic } from "./music.ts";
import { imageOverlay, textOverlay, type VideoBounds } from "./overlays.ts";
import type { AudioRequest, ClipRequest, ExportRequest, Quality } from "./schema.ts";
import { type FindSourcesPorts, findSources, type Sources } from "./sources.ts";
import { canvasOf } from "./targets.ts";
import { audioMissing, type ExportLayout, type PlacedOverlay, type Warning, warningsOf } from "./warnings.ts";

/** A request with all its sources found and all its times in frames. */
export type ResolvedExport = {
  readonly timeline: Timeline;
  readonly quality: Quality;
  readonly warnings: readonly Warning[];
  /** Removes files that were downloaded for this export only. */
  dispose(): Promise<void>;
};

export type ResolveExportPorts = FindSourcesPorts & FindMusicPorts;

/** Resolves a request to a timeline. Throws every error that the request can cause before rendering. */
export async function resolveExport(
  ports: ResolveExportPorts,
  caller: Caller,
  work: Work,
  request: ExportRequest,
  signal: AbortSignal,
): Promise<ResolvedExport> {
  const complete = fillFromEditor(request, work);
  const layout = await resolveLayout(ports, work, complete);
  const music = complete.audio && (await findMusic(ports, caller, work, complete.audio, signal));
  return { ...finishTimeline(complete, layout, music), dispose: async () => music?.dispose() };
}

/** Resolves a request without its music. Throws the first missing source. */
export async function resolveLayout(
  ports: FindSourcesPorts,
  work: Work,
  complete: CompleteRequest,
): Promise<ExportLayout & Pick<ResolvedExport, "warnings">> {
  const { errors, ...sources } = await findSources(ports, work, complete);
  if (errors[0]) throw errors[0];
  const layout = buildLayout(complete, work, sources);
  return { ...layout, warnings: warningsOf(layout) };
}

/** Adds the music to a timeline and applies the quality. `music` is undefined if the request has none. */
export function finishTimeline(
  { audio, options }: CompleteRequest,
  { timeline, warnings }: Pick<ResolvedExport, "timeline" | "warnings">,
  music: Pick<FoundMusic, "source"> | undefined,
): Omit<ResolvedExport, "dispose"> {
  const { quality = "standard" } = options ?? {};
  const fullSize = audio ? withMusic(timeline, audio, music?.source) : timeline;
  return {
    timeline: quality === "draft" ? halveTimeline(fullSize) : fullSize,
    warnings: music && !music.source ? [...warnings, audioMissing] : warnings,
    quality,
  };
}

/**
 * Builds the timeline, without music, from stored metadata. Placeholders replace missing scenes; missing images and
 * fonts are left out, so that validation can report everything at once.
 */
export function buildLayout(request: CompleteRequest, work: Work, sources: Sources): ExportLayout {
  const canvas = canvasOf(request, work);
  const rate = frameRateOf(request.options?.fps ?? defaultFps);
  const clips = request.clips.map((clip, index) => toClip(clip, sources.clips[index] ?? placeholderSource, rate));
  const { track, ignoredTransitions } = layOutClips(clips);
  const overlays = placeOverlays(request, sources, { canvas, rate, frames: track.frames });
  const visible = overlays.flatMap(({ overlay }) => overlay ?? []);
  return {
    timeline: { canvas, rate, track, overlays: visible, sound: { pieces: soundPieces(track, rate) } },
    clips,
    ignoredTransitions: ignoredTransitions.map(({ clip }) => clip),
    overlays,
  };
}

/** Its metadata is unknown, so that it causes no warnings. */
const placeholderSource: Source = {
  file: "",
  hash: "",
  facts: { kind: "video", container: "mp4", mimeType: "video/mp4", extension: "mp4", hasSound: true },
};

function withMusic(timeline: Timeline, audio: AudioRequest, source: Source | undefined): Timeline {
  const music = source && toMusic(source, audio, timeline.rate);
  const { normalize: isNormalized = false } = audio;
  return { ...timeline, sound: { ...timeline.sound, ...(music && { music }), isNormalized } };
}

function toClip(request: ClipRequest, source: Source, rate: FrameRate): Clip {
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

/** Images below texts, each in the order of the request. */
function placeOverlays(
  { texts = [], images = [] }: CompleteRequest,
  sources: Sources,
  bounds: VideoBounds,
): PlacedOverlay[] {
  return [
    ...images.map((image, index) => {
      const { position, end } = image;
      const source = sources.images[index];
      return { path: `images.${index}`, position, end, overlay: source && imageOverlay(image, source, bounds) };
    }),
    ...texts.map((text, index) => {
      const { position, end } = text;
      return { path: `texts.${index}`, position, end, overlay: textOverlay(text, sources.fonts[index], bounds) };
    }),
  ];
}

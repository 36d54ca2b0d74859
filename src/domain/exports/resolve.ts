import { halved } from "../../timeline/reframe.ts";
import { soundPieces } from "../../timeline/sound.ts";
import type { Source } from "../../timeline/source.ts";
import { type FrameRate, frameRateOf, toFrame } from "../../timeline/time.ts";
import type { Canvas, Timeline } from "../../timeline/timeline.ts";
import { type Clip, layTrack } from "../../timeline/track.ts";
import type { Caller } from "../auth/caller.ts";
import type { Services } from "../services.ts";
import { defaultFps, defaultResolution } from "../works/editor-state.ts";
import type { Work } from "../works/works.ts";
import { type CompleteRequest, completeRequest } from "./complete.ts";
import { type FoundMusic, findMusic, musicOf } from "./music.ts";
import { imageOverlay, type Stage, textOverlay } from "./overlays.ts";
import type { AudioRequest, ClipRequest, ExportRequest, Quality } from "./schema.ts";
import { findSources, type Sources } from "./sources.ts";
import { audioMissing, type LaidFilm, type LaidOverlay, type Warning, warningsOf } from "./warnings.ts";

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
): Promise<LaidFilm & Pick<ResolvedExport, "warnings">> {
  const { errors, ...sources } = await findSources(services, work, complete);
  if (errors[0]) throw errors[0];
  const film = layFilm(complete, work, sources);
  return { ...film, warnings: warningsOf(film) };
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
  const checked = await checkExport(services, work, complete);
  const music = complete.audio && (await findMusic(services, caller, work, complete.audio, signal));
  return { ...finishExport(complete, checked, music), dispose: async () => music?.dispose() };
}

/** What is rendered, once its music was looked for. */
export function finishExport(
  { audio, options }: CompleteRequest,
  { timeline, warnings }: Pick<ResolvedExport, "timeline" | "warnings">,
  music: Pick<FoundMusic, "source"> | undefined,
): Omit<ResolvedExport, "dispose"> {
  const { quality = "standard" } = options ?? {};
  const whole = audio ? withAudio(timeline, audio, music?.source) : timeline;
  return {
    timeline: quality === "draft" ? halved(whole) : whole,
    warnings: music && !music.source ? [...warnings, audioMissing] : warnings,
    quality,
  };
}

/** The edit without its music, from facts alone. What was not found leaves its place as empty as it can be. */
export function layFilm(request: CompleteRequest, work: Work, sources: Sources): LaidFilm {
  const canvas = canvasOf(request, work);
  const rate = frameRateOf(request.options?.fps ?? defaultFps);
  const clips = request.clips.map((clip, index) => clipOf(clip, sources.clips[index] ?? notFound, rate));
  const { track, ignored } = layTrack(clips);
  const overlays = layOverlays(request, sources, { canvas, rate, frames: track.frames });
  const shown = overlays.flatMap(({ overlay }) => overlay ?? []);
  const timeline = { canvas, rate, track, overlays: shown, sound: { pieces: soundPieces(track, rate) } };
  return { timeline, clips, ignored: ignored.map(({ clip }) => clip), overlays };
}

/** Of the scene that stands here nothing is known, so nothing can be wrong with it. */
const notFound: Source = {
  file: "",
  hash: "",
  facts: { kind: "video", container: "mp4", mimeType: "video/mp4", extension: "mp4", hasSound: true },
};

function withAudio(timeline: Timeline, audio: AudioRequest, source: Source | undefined): Timeline {
  const music = source && musicOf(source, audio, timeline.rate);
  const { normalize: isNormalized = false } = audio;
  return { ...timeline, sound: { ...timeline.sound, ...(music && { music }), isNormalized } };
}

export function canvasOf(
  { options }: Pick<ExportRequest, "options">,
  { resolution = defaultResolution }: Pick<Work, "resolution">,
): Canvas {
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
function layOverlays({ texts = [], images = [] }: CompleteRequest, sources: Sources, stage: Stage): LaidOverlay[] {
  return [
    ...images.map((image, index) => {
      const [{ position, end }, source] = [image, sources.images[index]];
      const overlay = source && imageOverlay(image, source, stage);
      return { path: `images.${index}`, position, end, overlay };
    }),
    ...texts.map((text, index) => {
      const { position, end } = text;
      return { path: `texts.${index}`, position, end, overlay: textOverlay(text, sources.fonts[index], stage) };
    }),
  ];
}

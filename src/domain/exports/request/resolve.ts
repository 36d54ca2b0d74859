import { fittedBed, type Quality } from "../../../engine/ports.ts";
import { type Focus, focusAt, shotAt } from "../../../engine/timeline/focus.ts";
import { layOutClips, withLength } from "../../../engine/timeline/layout.ts";
import type { Overlay } from "../../../engine/timeline/overlay.ts";
import { halveTimeline } from "../../../engine/timeline/reframe.ts";
import { soundPieces } from "../../../engine/timeline/sound.ts";
import type { Source } from "../../../engine/timeline/source.ts";
import { type FrameRate, framesIn, toFrame, toSeconds } from "../../../engine/timeline/time.ts";
import type { Timeline } from "../../../engine/timeline/timeline.ts";
import type { Clip } from "../../../engine/timeline/track.ts";
import { type DomainError, invalid } from "../../../errors.ts";
import { type Color, parseColor } from "../../../platform/colors.ts";
import type { TaskOptions } from "../../../platform/limits/concurrency-limit.ts";
import { sha256Of } from "../../../platform/values.ts";
import type { Caller } from "../../accounts/caller.ts";
import { captionLanguage, captionSource } from "../../captions/content.ts";
import { spokenText } from "../../captions/script.ts";
import { type CaptionedFilm, type LaidOutCaptions, layOutCaptions } from "../../captions/track.ts";
import { sourceOf } from "../../files/file-store.ts";
import { discloseIn } from "../../provenance/disclosure.ts";
import { type Inputs, inputsOf } from "../../provenance/inputs.ts";
import { firstGenerated } from "../../provenance/statement.ts";
import { canonicalJson } from "../../shared/json.ts";
import { maxVideoSeconds } from "../../shared/schemas.ts";
import type { WorkMedia } from "../../works/media.ts";
import type { Work } from "../../works/works.ts";
import { type PlacedSound, placeSounds, soundEnds, withSounds } from "./added-sounds.ts";
import type { CompleteRequest } from "./fill-from-editor.ts";
import { filmLengthError, filmSeconds } from "./film-length.ts";
import { type FindFocusPorts, type FoundFocus, findFocus } from "./focus.ts";
import { outputRate } from "./output.ts";
import { type LayerVideos, type PlacedOverlay, placeOverlays } from "./place-overlays.ts";
import { type ClipStage, clipMotion } from "./placement/clips.ts";
import type { Report } from "./placement/report.ts";
import { videoEnds } from "./placement/videos.ts";
import type { AudioRequest, ClipRequest } from "./schema.ts";
import { type FindSoundsPorts, type FoundSounds, findSounds, knownSources, toMusic } from "./sounds.ts";
import { type FindSourcesPorts, findSources, type Sources } from "./sources.ts";
import { canvasOf } from "./targets.ts";
import {
  layOutVoices,
  layOutWithFullVoice,
  type PlacedVoice,
  type VoiceLayout,
  voiceEnds,
  voiceWords,
  withVoices,
} from "./voices.ts";

/** A request's clips in order, its overlays in paint order, and their timeline without music and voices. */
export type ExportLayout = {
  readonly timeline: Timeline;
  readonly clips: readonly Clip[];
  /** Clips whose transition has no next clip. */
  readonly ignoredTransitions: readonly Clip[];
  readonly overlays: readonly PlacedOverlay[];
  /** The files of layers and masks, by their paths. */
  readonly files: ReadonlyMap<string, Source>;
  /** What is wrong with the layers. */
  readonly errors: readonly DomainError[];
  /** Excludes a recording that the request names by URL. */
  readonly recorded: VoiceLayout;
  /** The assets of added sounds, by their indexes. */
  readonly sounds: readonly (Source | undefined)[];
  readonly videos: LayerVideos;
  /** Undefined if the request has none, or if they are unreadable. */
  readonly captions?: LaidOutCaptions | undefined;
  /** True if the scenario has words for the visible scenes, and the request neither shows nor speaks any. */
  readonly isScriptUnused: boolean;
  /** The first frame with output of a trained model: visible media, or a recording of the work. */
  readonly generatedFrom: number | undefined;
  readonly focus: FoundFocus;
  /** The work's media at the time of reading. */
  readonly media: readonly WorkMedia[];
};

/** A request with all sources found and all times in frames. */
type ResolvedExport = {
  readonly request: CompleteRequest;
  readonly layout: ExportLayout;
  readonly sounds: Omit<FoundSounds, "dispose">;
  /** Includes music and voices, in the size of the quality. */
  readonly timeline: Timeline;
  readonly quality: Quality;
  /** Removes files that were downloaded for this export only. */
  dispose(): Promise<void>;
};

export type ResolveLayoutPorts = FindSourcesPorts & FindFocusPorts;
export type ResolveExportPorts = ResolveLayoutPorts & FindSoundsPorts;

/** Resolves a request to a timeline. Throws every error that the request can cause before rendering. */
export async function resolveExport(
  ports: ResolveExportPorts,
  caller: Caller,
  work: Work,
  complete: CompleteRequest,
  signal: AbortSignal,
): Promise<ResolvedExport> {
  const layout = await resolveLayout(ports, work, complete, { owner: caller.user.id, signal });
  const { dispose, ...sounds } = await findSounds(ports, caller, work, complete, signal);
  const known = knownSources(sounds);
  const [error] = soundErrors(complete, layout, known.added);
  if (error) {
    await dispose();
    throw error;
  }
  return { request: complete, layout, sounds, ...buildTimeline(complete, layout, known), dispose };
}

/** The files of the request, by its fields. */
export const exportInputs = ({ layout, sounds }: Pick<ResolvedExport, "layout" | "sounds">): Inputs =>
  inputsOf([
    ...layout.clips.map(({ source }, index) => ({ path: `clips.${index}`, source })),
    ...layout.clips.map(({ transition: { luma } }, index) => ({ path: `clips.${index}.transition`, source: luma })),
    ...layout.overlays.map(({ path, overlay }) => ({ path, source: overlay && fileOf(overlay) })),
    ...[...layout.files].map(([path, source]) => ({ path, source })),
    ...layout.recorded.voices.map(({ path, source }) => ({ path: path === "voice" ? path : `${path}.voice`, source })),
    ...layout.focus.map((track, index) => ({ path: `clips.${index}.focus`, source: track && followedSubject(track) })),
    { path: "captions.font", source: layout.captions?.track.style.font },
    { path: "voice", source: sounds.voice?.source },
    { path: "audio", source: sounds.music?.source },
    ...addedSources(layout, knownSources(sounds).added).map((source, index) => ({ path: `sounds.${index}`, source })),
  ]);

/** Removes a model's boxes, which are not part of the file: another machine has them only with its asset. */
const followedSubject = (track: NonNullable<FoundFocus[number]>): { readonly hash: string } | undefined =>
  typeof track !== "string" && track.some(({ reason }) => reason === "subject")
    ? { hash: sha256Of(canonicalJson(track)) }
    : undefined;

/** The file of an overlay itself: those of layers and masks have their own paths. */
const fileOf = ({ content }: Overlay): Source | undefined => {
  if (content.kind === "image") return content.source;
  if (content.kind === "text") return content.style.font;
  return content.kind === "caption" ? content.look.font : undefined;
};

/** Resolves a request without its music and voices. Throws the first missing source. */
export async function resolveLayout(
  ports: ResolveLayoutPorts,
  work: Work,
  complete: CompleteRequest,
  options: TaskOptions,
): Promise<ExportLayout> {
  const { errors, ...sources } = await findSources(ports, work, complete);
  if (errors[0]) throw errors[0];
  const focus = await findFocus(ports, work, complete.clips, sources.clips, options);
  const layout = buildLayout(complete, work, { ...sources, focus });
  if (layout.errors[0]) throw layout.errors[0];
  requireSpokenWords(complete, layout);
  return layout;
}

/** Throws validation_error for captions of a voice with unknown words. */
export function requireSpokenWords({ captions }: CompleteRequest, { recorded }: Pick<ExportLayout, "recorded">): void {
  if (!captions || captionSource(captions) !== "voice") return;
  const sentence =
    recorded.voices.length === 0
      ? "Is voice, but the request has no voice of the work."
      : "Is voice, but its words are not known: generate the voice here, or send the words as captions.words.";
  if (!recorded.voices.some(({ speech }) => (speech?.words.length ?? 0) > 0)) throw invalid("captions.from", sentence);
}

/** The known files of the request's sounds. */
type SoundSources = {
  readonly music?: Source | undefined;
  readonly voice?: Source | undefined;
  /** Those of added sounds that the request names by URL, by their indexes. */
  readonly added?: readonly (Source | undefined)[];
};

/** Adds music and voices, if any, to the timeline of a layout and applies the quality. */
export function buildTimeline(
  complete: CompleteRequest,
  layout: ExportLayout,
  { music, voice, added }: SoundSources,
): Pick<ResolvedExport, "timeline" | "quality"> {
  const { quality = "standard" } = complete.options ?? {};
  const voices = voicesOf(complete, layout, voice);
  const spoken = withVoices(withMusic(layout.timeline, complete, music), complete, voices);
  const fullSize = withSounds(spoken, complete, [...soundsOf(complete, layout, added), ...layout.videos.sounds]);
  return { timeline: quality === "draft" ? halveTimeline(fullSize) : fullSize, quality };
}

/** All voices of a request; `named` is the one that it names by URL, if known. */
export function voicesOf(
  { voice }: CompleteRequest,
  { timeline, recorded }: ExportLayout,
  named: Source | undefined,
): readonly PlacedVoice[] {
  return voice && named ? layOutWithFullVoice(voice, { source: named }, timeline).voices : recorded.voices;
}

const addedSources = ({ sounds }: Pick<ExportLayout, "sounds">, named: SoundSources["added"] = []) =>
  Array.from({ length: Math.max(sounds.length, named.length) }, (_, index) => sounds[index] ?? named[index]);

/** The added sounds of a request; `named` are those that it names by URL, if known. */
export const soundsOf = (
  complete: CompleteRequest,
  layout: Pick<ExportLayout, "sounds" | "timeline">,
  named?: SoundSources["added"],
): readonly PlacedSound[] => {
  const { rate, track } = layout.timeline;
  return placeSounds(complete, addedSources(layout, named), { rate, frames: track.frames });
};

/** What is wrong with the added sounds once their files are known. */
function soundErrors(complete: CompleteRequest, layout: ExportLayout, named: SoundSources["added"]) {
  const { rate, track } = layout.timeline;
  const errors: DomainError[] = [];
  placeSounds(complete, addedSources(layout, named), { rate, frames: track.frames }, (error) => errors.push(error));
  return errors;
}

type LayoutSources = Sources & { readonly focus?: FoundFocus };

/**
 * Builds the timeline, without music and voices, from stored metadata. Placeholders replace missing scenes; missing
 * images and fonts are left out, so that validation can report everything at once.
 */
export function buildLayout(
  request: CompleteRequest,
  work: Work,
  { focus = [], media = [], sounds = [], ...sources }: LayoutSources,
): ExportLayout {
  const canvas = canvasOf(request, work);
  const rate = outputRate(request);
  const ownErrors: DomainError[] = [];
  const report = (error: DomainError) => void ownErrors.push(error);
  const clips = request.clips.map((clip, index) => {
    const { lumas = [], clips: found } = sources;
    const source = { source: found[index] ?? placeholderSource, luma: lumas[index], focus: focus[index] };
    return toClip(clip, source, { canvas, rate, path: `clips.${index}`, report });
  });
  const { track: laidOut, ignoredTransitions } = layOutClips(clips);
  const ends = {
    others: [...soundEnds(request, sounds), ...voiceEnds(request, sources.recordings)],
    videos: videoEnds(request, sources.files ?? new Map()),
  };
  const track = withLength(laidOut, lengthOf(request, rate, ends, report));
  const bounds = { canvas, rate, frames: track.frames };
  const language = captionLanguage(request.captions ?? {}, work);
  const placed = placeOverlays(request, { ...sources, language, placedClips: clips }, bounds);
  const { overlays, masks, videos, errors } = placed;
  const added = placeSounds(request, sounds, { rate, frames: track.frames }, report);
  const visible = [...masks, ...overlays.flatMap(({ overlay }) => overlay ?? [])];
  const recorded = layOutVoices(request, sources.recordings, { clips, track, rate });
  const spoken = voiceWords(recorded.voices, rate);
  const captions = placeCaptions(request, sources, { clips, track, rate, canvas, work, voiceWords: spoken });
  const sound = { pieces: [...soundPieces(track, rate), ...videos.sounds.flatMap(({ piece }) => piece ?? [])] };
  const background = backgroundOf(request);
  const timeline = {
    ...{ canvas, rate, track, overlays: visible, sound, captions: captions?.track },
    ...(background && { background }),
  };
  const spokenTimeline = withVoices(timeline, request, recorded.voices);
  const generatedFrom = firstGenerated(withSounds(spokenTimeline, request, [...added, ...videos.sounds]), media);
  const hasGeneratedParts = generatedFrom !== undefined;
  const film = { frames: track.frames, rate, language, hasGeneratedParts };
  return {
    timeline: { ...timeline, disclosure: discloseIn(request.options?.disclosure, film) },
    generatedFrom,
    clips,
    ignoredTransitions: ignoredTransitions.map(({ clip }) => clip),
    overlays,
    videos,
    files: sources.files ?? new Map(),
    errors: [...ownErrors, ...errors],
    recorded,
    sounds,
    captions,
    isScriptUnused: isScriptUnused(request, work),
    focus,
    media,
  };
}

/** Where files end. The films of videos without an end of their own have no other. */
type Ends = { readonly others: readonly number[]; readonly videos: readonly number[] };

/** Frames of a film whose request or files give its length; undefined if its clips do. */
function lengthOf(request: CompleteRequest, rate: FrameRate, { others, videos }: Ends, report: Report) {
  if (request.clips.length > 0 && request.options?.duration === undefined) return undefined;
  const seconds = filmSeconds(request, others) || Math.max(0, ...videos);
  const error = filmLengthError(seconds);
  if (error) report(error);
  return Math.max(1, toFrame(Math.min(seconds, maxVideoSeconds), rate));
}

/** Undefined for black, which is the default, and for none. */
function backgroundOf({ options }: CompleteRequest): Color | undefined {
  const color = options?.background === undefined ? undefined : parseColor(options.background);
  return color && Math.max(color.red, color.green, color.blue) > 0 ? color : undefined;
}

const isScriptUnused = (
  { texts = [], layers = [], captions, voice, clips }: CompleteRequest,
  { scenes }: Work,
): boolean =>
  texts.length + layers.length === 0 &&
  !captions &&
  !voice &&
  clips.some(({ sceneIndex }) => spokenText(scenes[sceneIndex]) !== "");

type CaptionedWork = Pick<CaptionedFilm, "track" | "rate" | "canvas" | "voiceWords"> & {
  readonly clips: readonly Clip[];
  readonly work: Work;
};

function placeCaptions({ captions, clips }: CompleteRequest, sources: Sources, { work, ...film }: CaptionedWork) {
  const { content, font } = sources.captions ?? {};
  if (!captions || !content) return undefined;
  const placed = film.clips.map((clip, index) => ({ ...clips[index]!, clip }));
  const { scenes } = work;
  const language = captionLanguage(captions, work);
  return layOutCaptions(captions, content, { ...film, clips: placed, scenes, language, font });
}

/** Has no metadata, so it causes no warnings. */
const placeholderSource: Source = {
  file: "",
  hash: "",
  facts: { kind: "video", container: "mp4", mimeType: "video/mp4", extension: "mp4", hasSound: true },
};

function withMusic(timeline: Timeline, { audio }: CompleteRequest, source: Source | undefined): Timeline {
  if (!audio) return timeline;
  const music = source && toMusic(...fitted(source, audio, timeline), timeline.rate);
  const { normalize: isNormalized = false } = audio;
  return { ...timeline, sound: { ...timeline.sound, ...(music && { music }), isNormalized } };
}

/** A bed is as long as the video; one that is not repeats. */
function fitted(source: Source, audio: AudioRequest, { track, rate }: Timeline): [Source, AudioRequest] {
  const seconds = toSeconds(track.frames, rate);
  const bed = fittedBed(source, seconds);
  if (!bed) return [source, audio];
  return [sourceOf(bed), { ...audio, loop: seconds > (bed.facts.durationSeconds ?? seconds) }];
}

type ClipSources = {
  readonly source: Source;
  readonly luma: Source | undefined;
  readonly focus: FoundFocus[number];
};

type ClipPlace = Pick<Timeline, "canvas" | "rate"> & Pick<ClipStage, "path" | "report">;

function toClip(request: ClipRequest, { source, luma, focus: found }: ClipSources, place: ClipPlace): Clip {
  const { rate } = place;
  const { position, end, cutFrom = 0, transition = "cut", volume = 1, fit = "contain", focus } = request;
  // validation shows an edit whose picture is missing
  const kind = transition === "luma" && !luma ? "fade" : transition;
  const start = toFrame(position, rate);
  const range = { start, end: Math.max(start + 1, toFrame(end, rate)) };
  const frames = kind === "cut" ? 0 : toFrame(transitionSeconds(request), rate);
  const visibleSeconds = toSeconds(framesIn(range) + frames, rate);
  return {
    source,
    range,
    sourceStartSeconds: cutFrom,
    volume,
    fit,
    focus: focus === "auto" ? measuredFocus(found, source) : focus,
    ...clipMotion(request, { ...place, seconds: end - position, visibleSeconds }),
    transition: { kind, frames, ...(luma && { luma }) },
  };
}

/** The centre while the focus is unknown. An image has one point for all times. */
function measuredFocus(found: FoundFocus[number], { facts }: Source): Focus | undefined {
  if (!found || typeof found === "string") return undefined;
  return facts.kind === "image" ? focusAt(shotAt(found, 0), 0) : found;
}

/** Half a second by default, and for 0, which editors send for a transition without a set length. */
const transitionSeconds = ({ transitionDuration }: ClipRequest): number => transitionDuration || 0.5;

import { clipTime, playedUntil } from "../../engine/ports.ts";
import { estimatedBox } from "../../engine/timeline/estimate.ts";
import { isTrack } from "../../engine/timeline/focus.ts";
import type { Box, Overlay } from "../../engine/timeline/overlay.ts";
import type { Source } from "../../engine/timeline/source.ts";
import {
  type FrameRange,
  type FrameRate,
  framesIn,
  sampleClock,
  toFrame,
  toSeconds,
} from "../../engine/timeline/time.ts";
import type { Canvas, Timeline } from "../../engine/timeline/timeline.ts";
import { type Clip, isPaced, type Span, type TransitionKind } from "../../engine/timeline/track.ts";
import { toThousandths } from "../../platform/values.ts";

/** A file of a timeline, with a path relative to it. */
export type EditMedia = { readonly path: string; readonly name: string; readonly source: Source };

/** A use of a file. Frames are at the timeline's rate, also in the file. */
export type EditClip = {
  readonly kind: "clip";
  readonly name: string;
  readonly range: FrameRange;
  readonly media: EditMedia;
  readonly mediaStart: number;
  /** Frames of the file for each frame, negative if it plays backwards. Default: 1. */
  readonly speed?: number;
  /** The picture at `mediaStart` is held, because the file has ended. */
  readonly isHeld?: true;
  readonly volume?: number;
  readonly fadeIn?: number;
  readonly fadeOut?: number;
};

export type EditTitle = {
  readonly kind: "title";
  readonly name: string;
  readonly range: FrameRange;
  readonly text: string;
  readonly fontSize: number;
  readonly fontFamily: string;
  readonly isBold: boolean;
  /** Channels from 0 to 1. */
  readonly color: readonly [red: number, green: number, blue: number, alpha: number];
  /** In pixels, from the center of the frame to about the center of the text; downwards. */
  readonly x: number;
  readonly y: number;
};

/** Over the start of the next clip, from the end of the previous clip. */
export type EditTransition = { readonly kind: "transition"; readonly type: TransitionKind; readonly frames: number };

type EditGap = { readonly kind: "gap"; readonly range: FrameRange };

export type EditItem = EditClip | EditTitle | EditTransition | EditGap;

type EditTrack = {
  readonly name: string;
  readonly kind: "video" | "audio";
  readonly items: readonly EditItem[];
};

export type EditMarker = { readonly name: string; readonly range: FrameRange };

/** A film for editors: tracks from the lowest to the highest, each complete from frame 0. */
export type EditList = {
  readonly name: string;
  readonly canvas: Canvas;
  readonly rate: FrameRate;
  readonly frames: number;
  readonly tracks: readonly EditTrack[];
  readonly markers: readonly EditMarker[];
  readonly media: readonly EditMedia[];
  /** The features that the formats cannot express, for people. */
  readonly lost: readonly string[];
};

type Named = {
  readonly name: string;
  readonly timeline: Timeline;
  /** The clips of the request with the indexes of their scenes. */
  readonly scenes: readonly { readonly clip: Clip; readonly sceneIndex: number }[];
};

type Lost = Set<string>;

export function editListOf({ name, timeline, scenes }: Named): EditList {
  const { canvas, rate, track, overlays, sound, captions } = timeline;
  const lost: Lost = new Set();
  const media = new Map<string, EditMedia>();
  const fileOf = (source: Source, role: string): EditMedia => {
    const path = `media/${role}-${source.hash.slice(0, 12)}.${source.facts.extension}`;
    const known = media.get(source.hash) ?? { path, name: path.slice("media/".length), source };
    media.set(source.hash, known);
    return known;
  };
  const { frames } = track;
  const film: Edit = { rate, frames, canvas, fileOf, lost };
  const titles = overlays.flatMap((overlay) => overlayItem(overlay, film) ?? []);
  if (captions) lost.add("The captions are a file of their own, captions.srt, without their style.");
  if (sound.isNormalized) lost.add("The loudness of the mix was brought to -14 LUFS.");
  return {
    ...{ name, canvas, rate, frames },
    tracks: [
      { name: "Video", kind: "video", items: pictures(track.spans, film) },
      ...lanes(titles, "Titles", "video", frames),
      ...lanes(
        sound.pieces.flatMap((piece) => pieceItem(piece, film)),
        "Clips",
        "audio",
        frames,
      ),
      ...lanes(
        (sound.voices ?? []).flatMap((voice) => voiceItem(voice, film)),
        "Voice",
        "audio",
        frames,
      ),
      ...musicTrack(sound.music, film),
      ...lanes(
        (sound.added ?? []).flatMap((added) => addedItems(added, film)),
        "Sounds",
        "audio",
        frames,
      ),
    ],
    markers: scenes.map(({ clip: { range }, sceneIndex }) => ({ name: `Scene ${sceneIndex + 1}`, range })),
    media: [...media.values()],
    lost: [...lost],
  };
}

type Edit = {
  readonly rate: FrameRate;
  readonly frames: number;
  readonly canvas: Canvas;
  readonly fileOf: (source: Source, role: string) => EditMedia;
  readonly lost: Lost;
};

const toMediaFrame = (seconds: number, { num, den }: FrameRate): number => Math.round((seconds * num) / den);

/** The number of frames of a file at the timeline's rate; infinite for an image. */
function lengthOf({ facts }: Source, { num, den }: FrameRate): number {
  if (facts.kind === "image" || facts.durationSeconds === undefined) return Number.POSITIVE_INFINITY;
  return Math.floor((facts.durationSeconds * num) / den + 0.001);
}

function pictures(spans: readonly Span[], film: Edit): readonly EditItem[] {
  const items: EditItem[] = [];
  let open: { readonly clip: Clip; readonly start: number } | undefined;
  const close = (end: number) => {
    if (open && end > open.start) items.push(...pictureItems(open.clip, { start: open.start, end }, film));
    open = undefined;
  };
  for (const span of spans) {
    const { start } = span.range;
    if (span.kind === "gap") {
      close(start);
      items.push({ kind: "gap", range: span.range });
    } else if (span.kind === "clip") {
      if (open?.clip === span.clip) continue;
      close(start);
      open = { clip: span.clip, start };
    } else {
      // a part that another clip has cut off is not a transition
      const isWhole = open?.clip === span.from;
      close(start);
      if (isWhole) {
        items.push({ kind: "transition", type: span.transition, frames: framesIn(span.range) });
        if (!dissolves.has(span.transition)) film.lost.add(`A transition ${span.transition} is a dissolve.`);
      }
      open = { clip: span.to, start };
    }
  }
  close(film.frames);
  return items;
}

const dissolves: ReadonlySet<TransitionKind> = new Set(["fade", "dissolve"]);

/** A part of a clip, then the last picture of its file if the file is too short. */
function pictureItems(clip: Clip, range: FrameRange, { rate, fileOf, lost }: Edit): readonly EditClip[] {
  const { source, sourceStartSeconds, fit, focus } = clip;
  const isImage = source.facts.kind === "image";
  if (isImage) lost.add("Images stand still: the movement of the camera over them is left out.");
  if (clip.effects) lost.add("How the picture of a clip lies, moves and is colored is left out.");
  if (fit !== "contain" || focus) lost.add("How a clip fills the frame (fit, focus) is left out.");
  if (focus && isTrack(focus))
    lost.add("The frame does not follow the subject of a clip (focus auto): set its crop by hand.");
  const media = fileOf(source, isImage ? "image" : "clip");
  const offset = range.start - clip.range.start;
  const timed = isPaced(clip)
    ? pacedPart(clip, { start: offset, end: offset + framesIn(range) }, rate, lost)
    : undefined;
  const mediaStart = isImage ? 0 : (timed?.mediaStart ?? toMediaFrame(sourceStartSeconds, rate) + offset);
  const last = lengthOf(source, rate) - 1;
  const { speed = 1 } = timed ?? {};
  const left = speed > 0 ? Math.ceil((last + 1 - mediaStart) / speed) : Number.POSITIVE_INFINITY;
  const end = Math.min(range.end, Math.max(range.start, range.start + left));
  const shared = { kind: "clip", name: media.name, media } as const;
  const held: EditClip = {
    ...shared,
    range: { start: end, end: range.end },
    mediaStart: Math.max(0, last),
    isHeld: true,
  };
  if (end <= range.start) return [held];
  const played: EditClip = { ...shared, range: { start: range.start, end }, mediaStart, ...(timed && { speed }) };
  return end < range.end ? [played, held] : [played];
}

type Timed = { readonly mediaStart: number; readonly speed: number };

/** The begin and the mean speed of some frames of a clip at its own pace. */
function pacedPart(clip: Clip, { start, end }: FrameRange, rate: FrameRate, lost: Lost): Timed {
  if (typeof clip.speed === "object") lost.add(lostRamps);
  const [from, to] = [clipTime(clip, start, rate), clipTime(clip, end, rate)];
  return {
    mediaStart: Math.max(0, toMediaFrame(from, rate)),
    speed: toMillionths((to - from) / toSeconds(end - start, rate)),
  };
}

const lostRamps = "A speed that changes within a clip is its mean.";

const toMillionths = (value: number): number => Math.round(value * 1e6) / 1e6;

function overlayItem(overlay: Overlay, film: Edit): Placed | undefined {
  const { range, content } = overlay;
  const isAnimated = overlay.animateIn !== "none" || overlay.animateOut !== "none";
  if (isAnimated) film.lost.add("Animations of texts and images are left out.");
  if (content.kind === "caption") return undefined;
  if (overlay.effects) film.lost.add("Filters, blend modes, masks, shadows and scales of layers are left out.");
  if (overlay.motion) film.lost.add("Keyframes, entrances, exits and loops are left out.");
  if (content.kind === "image") {
    film.lost.add("Images over the film are as large as the frame: their positions, sizes and rotation are left out.");
    const media = film.fileOf(content.source, "image");
    return { kind: "clip", name: media.name, range, media, mediaStart: 0 };
  }
  if (content.kind !== "text") {
    film.lost.add(lostContents[content.kind]);
    return undefined;
  }
  film.lost.add(
    "Titles keep their words, size, color and position; strokes, shadows, boxes and wrapping are left out.",
  );
  const { style, anchor, text, scale = 1 } = content;
  const { red, green, blue, alpha } = style.fontColor;
  return {
    ...{ kind: "title", name: nameOf(text), range, text },
    fontSize: style.fontSize * scale,
    fontFamily: style.fontFamily ?? "Inter",
    isBold: style.fontWeight >= 600,
    color: [red / 255, green / 255, blue / 255, alpha * overlay.opacity],
    ...centerOf(anchor.at === "center" && !overlay.within ? anchor : estimatedBox(overlay), film.canvas),
  };
}

const lostContents = {
  shape: "Shapes are left out.",
  video: "Videos beside the track are left out.",
  html: "HTML is left out.",
  lottie: "Lottie animations are left out.",
  group: "Groups of layers are left out.",
} as const;

function centerOf({ x, y, width = 0, height = 0 }: Partial<Box> & Pick<Box, "x" | "y">, canvas: Canvas) {
  return { x: toThousandths(x + width / 2 - canvas.width / 2), y: toThousandths(y + height / 2 - canvas.height / 2) };
}

const nameOf = (text: string): string => text.replace(/\s+/gu, " ").trim().slice(0, 60) || "Title";

type Placed = EditClip | EditTitle;

/** Puts overlapping items on separate tracks, later ones above earlier ones. */
function lanes(items: readonly Placed[], name: string, kind: EditTrack["kind"], frames: number): readonly EditTrack[] {
  const tracks: Placed[][] = [];
  for (const item of items) {
    const meets = (other: Placed) => other.range.start < item.range.end && item.range.start < other.range.end;
    const lane = tracks.findLastIndex((others) => others.some(meets)) + 1;
    if (!tracks[lane]) tracks[lane] = [];
    tracks[lane].push(item);
  }
  return tracks.map((placed, index) => ({
    name: tracks.length > 1 ? `${name} ${index + 1}` : name,
    kind,
    items: withGaps(placed, frames),
  }));
}

function withGaps(placed: readonly Placed[], frames: number): readonly EditItem[] {
  const items: EditItem[] = [];
  let at = 0;
  for (const item of placed.toSorted((one, other) => one.range.start - other.range.start)) {
    if (item.range.start > at) items.push({ kind: "gap", range: { start: at, end: item.range.start } });
    items.push(item);
    at = item.range.end;
  }
  if (at < frames) items.push({ kind: "gap", range: { start: at, end: frames } });
  return items;
}

type Sounding = NonNullable<Timeline["sound"]>;

type SoundPlace = { readonly range: FrameRange; readonly start: number; readonly speed?: number | undefined };

/** A sound item, as long as its file. */
function soundItem(source: Source, place: SoundPlace, { rate, fileOf }: Edit, role: string): EditClip[] {
  const { range, start, speed } = place;
  const left =
    speed === undefined ? lengthOf(source, rate) - start : Math.ceil((lengthOf(source, rate) - start) / speed);
  const end = speed !== undefined && speed <= 0 ? range.end : Math.min(range.end, range.start + left);
  if (end <= range.start) return [];
  const media = fileOf(source, role);
  const paced = speed === undefined ? {} : { speed };
  return [{ kind: "clip", name: media.name, range: { start: range.start, end }, media, mediaStart: start, ...paced }];
}

/** Where a piece begins in its file, and its mean speed if it has a pace. */
function pieceStart({ sourceStartSeconds, pace, range }: Sounding["pieces"][number], rate: FrameRate) {
  if (!pace) return { start: toMediaFrame(sourceStartSeconds, rate) };
  const { speed, reverses, startSeconds, clipSeconds } = pace;
  const length = toSeconds(framesIn(range), rate);
  const from = playedUntil(speed, startSeconds);
  const played = playedUntil(speed, startSeconds + length) - from;
  const start = sourceStartSeconds + (reverses ? playedUntil(speed, clipSeconds) - from : from);
  return { start: toMediaFrame(start, rate), speed: toMillionths((reverses ? -played : played) / length) };
}

const levelsOf = ({ volume, fadeInFrames = 0, fadeOutFrames = 0 }: Levels) => ({
  ...(volume !== 1 && { volume }),
  ...(fadeInFrames > 0 && { fadeIn: fadeInFrames }),
  ...(fadeOutFrames > 0 && { fadeOut: fadeOutFrames }),
});

type Levels = { readonly volume: number; readonly fadeInFrames?: number; readonly fadeOutFrames?: number };

const pieceItem = (piece: Sounding["pieces"][number], film: Edit): readonly EditClip[] =>
  soundItem(piece.source, { range: piece.range, ...pieceStart(piece, film.rate) }, film, "clip").map((item) => ({
    ...item,
    ...levelsOf(piece),
  }));

const voiceItem = (voice: NonNullable<Sounding["voices"]>[number], film: Edit): readonly EditClip[] => {
  if (voice.isNormalized) film.lost.add("Voices were brought to the same loudness.");
  return soundItem(voice.source, { range: voice.range, start: 0 }, film, "voice").map((item) => ({
    ...item,
    ...levelsOf(voice),
  }));
};

const notLowered = "The music is not lowered while others sound.";

/** People would not inspect more repetitions one by one. */
const maxLoops = 1000;

/** Puts repetitions end to end on one track. */
function musicTrack(music: Sounding["music"], film: Edit): readonly EditTrack[] {
  const items = music ? musicItems(music, film) : [];
  return items.length > 0 ? [{ name: "Music", kind: "audio", items: withGaps(items, film.frames) }] : [];
}

function musicItems(music: NonNullable<Sounding["music"]>, film: Edit): readonly EditClip[] {
  const { source, loop, isDucked, isDuckedByVoices } = music;
  if (isDucked || isDuckedByVoices) film.lost.add(notLowered);
  const length = lengthOf(source, film.rate);
  // infinite if the length of the file is unknown
  const step = Math.min(length, film.frames);
  const loops = loop && step >= 1 ? Math.ceil(film.frames / step) : 1;
  if (loops > maxLoops) film.lost.add(`The music repeats ${loops} times: it is contained once, to be looped by hand.`);
  const starts = Array.from({ length: loops > maxLoops ? 1 : loops }, (_, index) => index * step);
  const items = starts.flatMap((start) =>
    soundItem(source, { range: { start, end: film.frames }, start: 0 }, film, "music"),
  );
  return withFades(items, music);
}

/** The rounds of a sound that repeats, otherwise one item. */
function addedItems(added: NonNullable<Sounding["added"]>[number], film: Edit): readonly EditClip[] {
  const { source, sourceStartSeconds, speed, isRepeated, gains, role } = added;
  if (speed !== 1) film.lost.add("Sounds play at their own speed.");
  if (added.isReversed) film.lost.add("Reversed sounds play forwards.");
  if (gains) film.lost.add("Keyframes of the volume are left out.");
  if (role === "music" && (added.isDucked || added.isDuckedByVoices)) film.lost.add(notLowered);
  if (role === "voice" && added.isNormalized) film.lost.add("Voices were brought to the same loudness.");
  const toFilm = (sample: number) => toFrame(toSeconds(sample, sampleClock), film.rate);
  const range = { start: toFilm(added.range.start), end: toFilm(added.range.end) };
  const mediaStart = toMediaFrame(sourceStartSeconds, film.rate);
  const step = Math.max(1, lengthOf(source, film.rate) - mediaStart);
  const rounds = isRepeated && Number.isFinite(step) ? Math.ceil(framesIn(range) / step) : 1;
  if (rounds > maxLoops) film.lost.add(`A sound repeats ${rounds} times: it is contained once, to be looped by hand.`);
  const starts = Array.from({ length: rounds > maxLoops ? 1 : rounds }, (_, index) => range.start + index * step);
  const items = starts.flatMap((start) =>
    soundItem(source, { range: { start, end: range.end }, start: mediaStart }, film, role),
  );
  return withFades(items, {
    volume: added.volume,
    fadeInFrames: toFilm(added.fadeInSamples),
    fadeOutFrames: toFilm(added.fadeOutSamples),
  });
}

/** The first item fades in, and the last one out. */
const withFades = (
  items: readonly EditClip[],
  { volume, fadeInFrames, fadeOutFrames }: Required<Levels>,
): readonly EditClip[] =>
  items.map((item, index) => ({
    ...item,
    ...levelsOf({
      volume,
      fadeInFrames: index === 0 ? fadeInFrames : 0,
      fadeOutFrames: index === items.length - 1 ? fadeOutFrames : 0,
    }),
  }));

/** An exact fraction, unlike a float. */
export const exactSeconds = (frames: number, { num, den }: FrameRate): string =>
  frames === 0 ? "0s" : `${frames * den}/${num}s`;

export const durationOf = ({ facts }: Source, rate: FrameRate): number =>
  facts.durationSeconds === undefined ? 0 : Math.floor((facts.durationSeconds * rate.num) / rate.den + 0.001);

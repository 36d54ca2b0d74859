import type { CaptionLine, CaptionPage, CaptionStyle, CaptionTrack } from "../../engine/timeline/captions/track.ts";
import { type SpokenWord, toCaptionWords } from "../../engine/timeline/captions/words.ts";
import type { Source } from "../../engine/timeline/source.ts";
import { type FrameRange, type FrameRate, isInside, toFrame } from "../../engine/timeline/time.ts";
import type { Canvas } from "../../engine/timeline/timeline.ts";
import type { Track } from "../../engine/timeline/track.ts";
import { parseColor } from "../../platform/colors.ts";
import { sum } from "../../platform/values.ts";
import { moveOf } from "../exports/request/placement/motion.ts";
import type { ScenarioScene } from "../works/works.ts";
import { type CaptionContent, maxWords } from "./content.ts";
import type { TimedCue } from "./roll-up.ts";
import type { CaptionsRequest } from "./schema.ts";
import { type PlacedClip, scriptWords, visibleRanges } from "./script.ts";

export type CaptionedFilm = {
  readonly clips: readonly PlacedClip[];
  readonly track: Track;
  readonly rate: FrameRate;
  readonly canvas: Canvas;
  readonly scenes: readonly ScenarioScene[];
  readonly language?: string | undefined;
  readonly font?: Source | undefined;
  /** The words of the film's voices. */
  readonly voiceWords: readonly SpokenWord[];
};

export type LaidOutCaptions = {
  readonly track: CaptionTrack;
  /** Words whose times lie after the end of the film. */
  readonly wordsPastEnd: number;
  /** The faults of lines in a file that are left out. */
  readonly leftOut: readonly string[];
};

/** Lays out captions in whole frames, without those that clips exclude. */
export function layOutCaptions(
  request: CaptionsRequest,
  content: CaptionContent,
  film: CaptionedFilm,
): LaidOutCaptions {
  const { language } = film;
  const visible = visibleRanges(film.track);
  const hidden = film.clips.flatMap(({ clip, caption }) => (caption === false ? (visible.get(clip) ?? []) : []));
  const inFrames =
    content.kind === "cues"
      ? cuesInFrames(content.cues, film)
      : wordsInFrames(spokenWords(content, { ...film, visible }), film);
  const track: CaptionTrack = {
    content: withoutHidden(inFrames.content, hidden),
    hidden: hidden.toSorted((a, b) => a.start - b.start),
    style: captionStyle(request, film.font, film.canvas),
    maxLines: request.maxLines ?? 2,
    maxWordsPerLine: request.maxWordsPerLine,
    language,
    ...(request.enter && { enter: moveOf(request.enter, "enter") }),
    isEmbedded: request.embed ?? false,
  };
  return { track, wordsPastEnd: inFrames.pastEnd, leftOut: content.kind === "cues" ? content.leftOut : [] };
}

type FrameSpan = Pick<CaptionedFilm, "rate" | "track">;
type Visible = { readonly visible: ReturnType<typeof visibleRanges> };

function spokenWords(content: Exclude<CaptionContent, { kind: "cues" }>, film: CaptionedFilm & Visible) {
  if (content.kind === "words") return content.words;
  return content.kind === "voice" ? film.voiceWords.slice(0, maxWords) : scriptWords(film.clips, film);
}

type InFrames = { readonly content: CaptionTrack["content"]; readonly pastEnd: number };

function wordsInFrames(spoken: readonly SpokenWord[], { rate, track: { frames } }: FrameSpan): InFrames {
  const words = toCaptionWords(spoken, rate, frames);
  return { content: { kind: "words", words }, pastEnd: spoken.length - words.length };
}

/** Shows cues with overlapping times one after the other; joins those that begin together. */
function cuesInFrames(timed: readonly TimedCue[], { rate, track: { frames } }: FrameSpan): InFrames {
  const cues: CaptionPage[] = [];
  for (const cue of timed.toSorted((a, b) => a.start - b.start)) {
    const page = cueInFrames(cue, rate);
    const last = cues.at(-1);
    if (last?.range.start === page.range.start) {
      const end = Math.max(last.range.end, page.range.end);
      cues[cues.length - 1] = { range: { ...page.range, end }, lines: [...last.lines, ...page.lines] };
      continue;
    }
    if (last) cues[cues.length - 1] = endingBy(last, page.range.start);
    cues.push(page);
  }
  const shown = cues.filter(({ range }) => range.start < frames).map((cue) => endingBy(cue, frames));
  const pastEnd = sum(cues.slice(shown.length).map(({ lines }) => lines.flat().length));
  return { content: { kind: "cues", cues: shown }, pastEnd };
}

function cueInFrames({ start, end, lines }: TimedCue, rate: FrameRate): CaptionPage {
  const range = { start: toFrame(start, rate), end: Math.max(toFrame(start, rate) + 1, toFrame(end, rate)) };
  const words = toCaptionWords(lines.flat(), rate, Number.POSITIVE_INFINITY);
  let used = 0;
  const ownLines = lines.map((line): CaptionLine => {
    used += line.length;
    return words.slice(used - line.length, used);
  });
  return { range, lines: ownLines };
}

const endingBy = ({ range, lines }: CaptionPage, end: number): CaptionPage => ({
  range: { ...range, end: Math.min(range.end, end) },
  lines: lines.map((line) => line.map((word) => ({ ...word, range: endBy(word.range, end) }))),
});

const endBy = (range: FrameRange, end: number): FrameRange => ({
  start: Math.min(range.start, end),
  end: Math.min(range.end, end),
});

/** Removes the words that are spoken in a hidden range. */
function withoutHidden(content: CaptionTrack["content"], hidden: readonly FrameRange[]): CaptionTrack["content"] {
  if (hidden.length === 0) return content;
  const without = (words: CaptionLine) =>
    words.filter(({ range }) => !hidden.some((one) => isInside(range.start, one)));
  if (content.kind === "words") return { kind: "words", words: without(content.words) };
  const cues = content.cues.map(({ range, lines }) => ({ range, lines: lines.map(without).filter(isNotEmpty) }));
  return { kind: "cues", cues: cues.filter(({ lines }) => isNotEmpty(lines)) };
}

const isNotEmpty = (list: readonly unknown[]): boolean => list.length > 0;

/** `canvas` is the canvas that the request's pixels refer to. */
function captionStyle(request: CaptionsRequest, font: Source | undefined, canvas: Canvas): CaptionStyle {
  const { fontSize, colors } = request;
  // safe because the schema accepts valid colors only
  const color = (text: string | undefined) => (text === undefined ? undefined : parseColor(text)!);
  return {
    kind: request.style ?? "plain",
    position: request.position ?? "bottom",
    font,
    fontFamily: request.fontFamily,
    fontSize: fontSize === undefined ? undefined : fontSize / Math.min(canvas.width, canvas.height),
    fontWeight: request.fontWeight ?? 800,
    colors: {
      text: color(colors?.text),
      active: color(colors?.active),
      background: color(colors?.background),
      activeBackground: color(colors?.activeBackground),
      stroke: color(colors?.stroke),
    },
    isUppercase: request.uppercase ?? false,
    keepsSafeZone: request.safeZone ?? true,
  };
}

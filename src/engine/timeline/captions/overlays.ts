import type { Canvas } from "../canvas.ts";
import type { CaptionContent, CaptionState, CaptionTextStyle, Overlay } from "../overlay.ts";
import { frameZoneOf } from "../safe-zone.ts";
import { type FrameRate, framesIn, intersection, isInside, toFrame, toSeconds } from "../time.ts";
import { captionColumns, captionWidth, captionZone } from "./columns.ts";
import { captionPages } from "./pages.ts";
import { captionTextStyle } from "./text-style.ts";
import type { CaptionPage, CaptionStyle, CaptionTrack } from "./track.ts";

type Video = { readonly canvas: Canvas; readonly rate: FrameRate; readonly frames: number };

/** The pages of captions as overlays on a canvas, broken into lines for its width. */
export function captionOverlays(track: CaptionTrack, film: Video): readonly Overlay[] {
  const look = captionTextStyle(track, film.canvas);
  return captionPagesOn(track, film).map((page) => pageOverlay(page, track, look, film));
}

export function captionPagesOn(track: CaptionTrack, { canvas, rate, frames }: Video): readonly CaptionPage[] {
  const pages = captionPages(track, { ...track, columns: captionColumns(track.style, canvas), rate, frames });
  return pages.flatMap((page) => {
    const range = intersection(page.range, { start: 0, end: frames });
    return range ? [{ ...page, range }] : [];
  });
}

function pageOverlay(
  page: CaptionPage,
  { style, language, enter }: CaptionTrack,
  look: CaptionTextStyle,
  { canvas, rate }: Video,
): Overlay {
  const show = (text: string) => (style.isUppercase ? text.toLocaleUpperCase(language) : text);
  const content: CaptionContent = {
    kind: "caption",
    lines: page.lines.map((line) => line.map(({ text, glued }) => ({ text: show(text), glued }))),
    states: captionStates(page, style.kind, rate),
    look,
    ...captionPlace(style, canvas),
  };
  const motion = enter && { lead: 0, seconds: toSeconds(framesIn(page.range), rate), enter };
  const { range } = page;
  const still = { range, content, opacity: 1, rotationDegrees: 0, animateIn: "none", animateOut: "none" } as const;
  return motion ? { ...still, motion } : still;
}

/** A position in the middle of the frame is kept in the zone; a position that the request sets is kept in the frame. */
export function captionPlace(
  style: Pick<CaptionStyle, "position" | "keepsSafeZone">,
  canvas: Canvas,
): Pick<CaptionContent, "box" | "edge"> {
  const { position } = style;
  const width = captionWidth(style, canvas);
  const { y, height } = typeof position === "object" ? frameZoneOf(canvas) : captionZone(style, canvas);
  const box = { x: (canvas.width - width) / 2, y, width, height };
  if (position === "top" || position === "bottom") return { box, edge: position };
  return { box, edge: { centerY: canvas.height * (position === "middle" ? 0.5 : position.y) } };
}

/** The states of a page while it is shown: one per spoken word, unless its style does not highlight words. */
function captionStates(page: CaptionPage, kind: CaptionStyle["kind"], rate: FrameRate): readonly CaptionState[] {
  const words = page.lines.flat();
  if (kind === "plain" || kind === "box") return [{ start: 0, shown: words.length }];
  const frames = Array.from({ length: framesIn(page.range) }, (_, index) => page.range.start + index);
  const states = frames.map((frame, start): CaptionState => {
    const spoken = words.findLastIndex(({ range }) => isInside(frame, range));
    const lit = spoken >= 0 ? { spoken } : {};
    if (kind !== "pop") return { start, ...lit, shown: words.length };
    const last = words.findLastIndex(({ range }) => range.start <= frame);
    const scale = last >= 0 ? popScale(frame - words[last]!.range.start, rate) : undefined;
    return { start, ...lit, shown: last + 1, ...(scale !== undefined && { scale }) };
  });
  return states.filter((state, index) => index === 0 || !isSame(state, states[index - 1]!));
}

const isSame = (one: CaptionState, other: CaptionState): boolean =>
  one.spoken === other.spoken && one.shown === other.shown && one.scale === other.scale;

const popSeconds = 0.16;

/** Grows from 0.8 to 1.08 and returns to 1; undefined at rest. */
function popScale(frame: number, rate: FrameRate): number | undefined {
  const frames = Math.max(1, toFrame(popSeconds, rate));
  if (frame >= frames) return undefined;
  const progress = (frame + 0.5) / frames;
  const scale =
    progress < peak ? 0.8 + 0.28 * easeOut(progress / peak) : 1 + 0.08 * (1 - easeOut((progress - peak) / (1 - peak)));
  return Math.round(scale * 1000) / 1000;
}

/** The share of the time after which a word is at its largest. */
const peak = 0.6;

const easeOut = (progress: number): number => 1 - (1 - progress) ** 2;

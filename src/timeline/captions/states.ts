import type { CaptionState } from "../overlay.ts";
import { type FrameRate, framesIn, isInside, toFrame } from "../time.ts";
import type { CaptionPage, CaptionStyle } from "./track.ts";

/** How a page changes while it is shown: with each word that is spoken, unless its style does not show words. */
export function captionStates(page: CaptionPage, kind: CaptionStyle["kind"], rate: FrameRate): readonly CaptionState[] {
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

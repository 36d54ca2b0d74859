import type { Size } from "./end-card.ts";
import { darkest, inkAgainst } from "./inks.ts";
import { beatSeconds } from "./music.ts";

/** In seconds. */
export type TimeRange = { readonly start: number; readonly end: number };

type Sentence = { readonly text: string; readonly range: TimeRange };

/** Scenes are fully visible after their transition. */
const transitionSeconds = 0.5;

/** The last word of a sentence stays almost until the next scene, and that of the last scene to the end. */
const restSeconds = 0.25;

/** Below the horizon, where the local provider's pictures are plain. */
const place = { position: { y: 0.745 }, safeZone: false };

type CaptionOptions = { readonly palette: readonly string[]; readonly fontAssetId: string; readonly size: Size };

/** What the scenes say, a word on each beat of the music, in a box of the palette's darkest color. */
export function captionsOf(sentences: readonly Sentence[], { palette, fontAssetId, size }: CaptionOptions) {
  const background = darkest(palette);
  const text = inkAgainst(background, palette);
  const active = palette.find((color) => color !== background && color !== text) ?? text;
  const colors = { text, active, background };
  const look = { style: "karaoke" as const, fontAssetId, fontSize: (108 * size.width) / 1080, colors, ...place };
  const words = sentences.flatMap((sentence, index) =>
    wordsOnBeats(sentence, index === sentences.length - 1 ? 0 : restSeconds),
  );
  return { from: "words" as const, words, ...look };
}

/** A word on each beat, or on each half of one if there are many. */
export function wordsOnBeats({ text, range }: Sentence, rest = restSeconds) {
  const words = text.split(/\s+/).filter((word) => word !== "");
  const start = range.start + transitionSeconds;
  const end = Math.max(start, range.end - rest);
  const steps = [beatSeconds, beatSeconds / 2].filter((step) => start + words.length * step <= end);
  const step = steps[0] ?? (end - start) / words.length;
  return words.map((word, index) => ({
    text: word,
    start: start + index * step,
    end: index === words.length - 1 ? end : start + (index + 1) * step,
  }));
}

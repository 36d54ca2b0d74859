import { peakDecibels, type Samples, secondsOf, soundSpans } from "../../domain/speech/samples.ts";

type SpokenText = { readonly text: string; readonly speed: number; readonly instructions: string };

/** Quieter than any voice. */
const minPeakDecibels = -50;

/** Letters a second. Instructions may ask for haste. */
const fastest = { plain: 25, instructed: 30 };
const slowest = 5;
/** For breath, and for a pause at either end. */
const spareSeconds = 2;

/** What shows that a text is not heard, or not the whole of it; undefined if nothing does. */
export function speechFault(samples: Samples, { text, speed, instructions }: SpokenText): string | undefined {
  if (samples.length === 0) return "its sound is empty";
  if (!(peakDecibels(samples) > minPeakDecibels)) return "its sound is silent";
  const spans = soundSpans(samples);
  const heardSeconds = spans.at(-1)!.end - spans[0]!.start; // safe because something is heard
  const letters = letterCount(text);
  const maxRate = (instructions ? fastest.instructed : fastest.plain) * speed;
  if (heardSeconds * maxRate < letters) return "its sound is too short for the text";
  const maxSeconds = letterCount(text.replace(unclearLength, "aaaaaaaa")) / slowest + spareSeconds;
  return secondsOf(samples) * speed > maxSeconds ? "its sound is too long for the text" : undefined;
}

/** Digits and signs are said as whole words, and capitals perhaps one by one. */
const unclearLength = /[\p{N}\p{S}\p{Lu}]/gu;

const syllabic = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

/** Words with one space between. A Chinese, Japanese or Korean character takes as long as three letters. */
const letterCount = (text: string): number =>
  text
    .replace(/\p{M}/gu, "")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .replace(syllabic, "aaa")
    .trim().length;

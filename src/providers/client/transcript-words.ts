import type { SpokenWord } from "../../engine/timeline/captions/words.ts";

/** If more words than this must be moved, the model did not measure their times. */
const maxRepairedShare = 0.1;

/** The words in order, without overlaps and within the sound. None if their times cannot have been measured. */
export function usableWords(given: readonly SpokenWord[], durationSeconds: number): readonly SpokenWord[] {
  const words = given.map((word) => ({ ...word, text: word.text.trim() })).filter(({ text }) => text !== "");
  let end = 0;
  let repaired = 0;
  const usable = words.map((word) => {
    const start = Math.min(Math.max(word.start, end), durationSeconds);
    end = Math.min(Math.max(word.end, start), durationSeconds);
    if (Math.abs(start - word.start) > tolerance || Math.abs(end - word.end) > tolerance) repaired++;
    return { ...word, start, end };
  });
  const isUsable = usable.every(({ start, end }) => Number.isFinite(start) && Number.isFinite(end));
  return isUsable && repaired <= words.length * maxRepairedShare ? usable : [];
}

/** Seconds: models round times, and a compressed file may be a little longer than the sound. */
const tolerance = 0.1;

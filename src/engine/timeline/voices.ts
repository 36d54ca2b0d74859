import type { Source } from "./source.ts";
import { type FrameRange, type FrameRate, toSeconds } from "./time.ts";

/** A recording, and the frame at which it begins. */
type Start = { readonly start: number; readonly source: Source };

/** A recording on the track. `isCut`: its end is omitted. */
export type PlacedRecording<Item> = Item & { readonly range: FrameRange; readonly isCut: boolean };

/** Ends each recording where the next begins, or the track ends. Omits inaudible ones. */
export function placeRecordings<Item extends Start>(
  items: readonly Item[],
  { frames, rate }: { readonly frames: number; readonly rate: FrameRate },
): readonly PlacedRecording<Item>[] {
  const sorted = items.toSorted((a, b) => a.start - b.start);
  return sorted.flatMap((item, index) => {
    const limit = Math.min(frames, sorted[index + 1]?.start ?? frames);
    const length = framesOf(item.source, rate);
    const range = { start: item.start, end: Math.min(limit, item.start + Math.ceil(length)) };
    if (range.end <= range.start) return [];
    // a cut by less than a frame does not count
    return [{ ...item, range, isCut: item.start + Math.floor(length) > limit }];
  });
}

/** An unrounded length. Without a known duration, a recording may last as long as the track. */
function framesOf({ facts: { durationSeconds } }: Source, rate: FrameRate): number {
  if (durationSeconds === undefined) return Number.MAX_SAFE_INTEGER;
  return durationSeconds / toSeconds(1, rate);
}

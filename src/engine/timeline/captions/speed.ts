import { type FrameRate, framesIn, toSeconds } from "../time.ts";
import { maxReadingSpeed, minSeconds, pageColumns } from "./pages.ts";
import type { CaptionPage } from "./track.ts";

/** A page, or consecutive short pages of one word, each read at a glance. */
type Stretch = { readonly start: number; end: number; columns: number; readonly isOpen: boolean };

const isOneWord = ({ lines }: CaptionPage): boolean => lines.length === 1 && lines[0]!.length === 1;

/** The frames at which letters appear faster than people read. */
export function tooFastFrom(pages: readonly CaptionPage[], rate: FrameRate): readonly number[] {
  const stretches: Stretch[] = [];
  for (const page of pages) {
    const { range } = page;
    const columns = pageColumns(page.lines);
    const last = stretches.at(-1);
    if (last?.isOpen && last.end === range.start && toSeconds(framesIn(last), rate) < minSeconds) {
      last.end = range.end;
      last.columns += columns + 1;
    } else stretches.push({ ...range, columns, isOpen: isOneWord(page) });
  }
  return stretches
    .filter((one) => one.columns > maxReadingSpeed * toSeconds(framesIn(one), rate))
    .map(({ start }) => start);
}

import type { FrameRate } from "../time.ts";
import type { CaptionPage, CaptionTrack } from "./track.ts";

export type PageLimits = Pick<CaptionTrack, "maxLines" | "maxWordsPerLine"> & {
  /** Letters that fit on a line; a Chinese, Japanese or Korean character counts as two. */
  readonly columns: number;
  readonly rate: FrameRate;
  /** The length of the film. */
  readonly frames: number;
};

/** What of the captions is shown when, in lines of at most `columns`. */
export function captionPages({ content }: CaptionTrack, { frames }: PageLimits): readonly CaptionPage[] {
  const pages =
    content.kind === "cues" ? content.cues : content.words.map((word) => ({ range: word.range, lines: [[word]] }));
  return pages.filter(({ range }) => range.start < Math.min(range.end, frames));
}

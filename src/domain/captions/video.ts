import { captionColumns } from "../../engine/timeline/captions/columns.ts";
import { captionPages } from "../../engine/timeline/captions/pages.ts";
import { srtFile } from "../../engine/timeline/captions/srt.ts";
import type { CaptionPage, CaptionTrack } from "../../engine/timeline/captions/track.ts";
import { vttFile } from "../../engine/timeline/captions/vtt.ts";
import type { FrameRate } from "../../engine/timeline/time.ts";
import type { Canvas, Timeline } from "../../engine/timeline/timeline.ts";
import type { CaptionFormat } from "./caption-blocks.ts";

/** The captions of a film, with everything except the canvas that its pages depend on. */
export type VideoCaptions = {
  readonly captions: CaptionTrack;
  readonly rate: FrameRate;
  readonly frames: number;
};

/** The stored form of a film's captions; undefined if it has none. */
export const videoCaptions = ({ captions, rate, track: { frames } }: Timeline): VideoCaptions | undefined =>
  captions && { captions, rate, frames };

/** Lays out the captions for a canvas. */
export function pagesOn(canvas: Canvas, { captions, rate, frames }: VideoCaptions): readonly CaptionPage[] {
  const { maxLines, maxWordsPerLine, style } = captions;
  return captionPages(captions, { columns: captionColumns(style, canvas), maxLines, maxWordsPerLine, rate, frames });
}

/** Prints a caption file. WebVTT has the times of words if the style shows them. */
export function captionFile(format: CaptionFormat, pages: readonly CaptionPage[], film: VideoCaptions): string {
  const { captions, rate } = film;
  if (format === "srt") return srtFile(pages, rate);
  const hasWordTimes = captions.style.kind !== "plain" && captions.style.kind !== "box";
  return vttFile(pages, rate, { hasWordTimes });
}

import { captionColumns } from "../../../../engine/timeline/captions/columns.ts";
import { fitsOnLine } from "../../../../engine/timeline/captions/lines.ts";
import { maxReadingSpeed } from "../../../../engine/timeline/captions/pages.ts";
import { tooFastFrom } from "../../../../engine/timeline/captions/speed.ts";
import { type CaptionPage, lineText } from "../../../../engine/timeline/captions/track.ts";
import { type FrameRate, toSeconds } from "../../../../engine/timeline/time.ts";
import type { Canvas } from "../../../../engine/timeline/timeline.ts";
import { pagesOn, type VideoCaptions } from "../../../captions/video.ts";
import { formatQuantity } from "../../../shared/issue-messages.ts";
import { applyRules, type Warning, type WarningDetail } from "../warnings.ts";

type CaptionedFrame = { readonly canvas: Canvas; readonly captions?: VideoCaptions | undefined };

/** Joins the findings of a check into one message for all pages. */
const overPages =
  (check: (pages: readonly CaptionPage[], film: VideoCaptions, canvas: Canvas) => string | undefined) =>
  ({ canvas, captions }: CaptionedFrame): readonly WarningDetail[] => {
    const message = captions && check(pagesOn(canvas, captions), captions, canvas);
    return message ? [{ path: "captions", message }] : [];
  };

/** Rules that depend on the frame, which decides the words that appear together. */
export const captionRules = { caption_too_fast: overPages(tooFast), caption_overflow: overPages(overflow) };

export const captionWarnings = (frame: CaptionedFrame & LateWords & LeftOut): readonly Warning[] =>
  applyRules({ overlay_past_end: lateWords, caption_left_out: leftOutCaptions, ...captionRules }, frame);

type LeftOut = { readonly leftOut: readonly string[] };

const maxNamed = 5;

export function leftOutCaptions({ leftOut }: LeftOut): readonly WarningDetail[] {
  if (leftOut.length === 0) return [];
  const more = leftOut.length > maxNamed ? [`So are ${leftOut.length - maxNamed} more.`] : [];
  const message = ["Lines that are not captions are left out.", ...leftOut.slice(0, maxNamed), ...more].join(" ");
  return [{ path: "captions", message }];
}

type LateWords = { readonly wordsPastEnd: number };

export function lateWords({ wordsPastEnd }: LateWords): readonly WarningDetail[] {
  if (wordsPastEnd === 0) return [];
  const message = `${formatQuantity(wordsPastEnd, "words")} would be spoken after the end of the video: captions leave them out.`;
  return [{ path: "captions", message }];
}

function tooFast(pages: readonly CaptionPage[], { rate }: VideoCaptions): string | undefined {
  const starts = tooFastFrom(pages, rate);
  if (starts.length === 0) return undefined;
  const found = `${formatQuantity(starts.length, "captions")}, the first at ${inSeconds(starts[0]!, rate)},`;
  return `At ${found} more than ${maxReadingSpeed} characters a second are shown: say less, or give it more time.`;
}

function overflow(
  pages: readonly CaptionPage[],
  { captions, rate }: VideoCaptions,
  canvas: Canvas,
): string | undefined {
  const limits = { columns: captionColumns(captions.style, canvas), maxLines: captions.maxLines };
  const wide = pages.flatMap(({ range, lines }) =>
    lines.filter((line) => !fitsOnLine(line, limits)).map((line) => ({ range, text: lineText(line) })),
  );
  const [first] = wide;
  if (!first) return undefined;
  const more = wide.length > 1 ? ` and ${wide.length - 1} more` : "";
  return `"${first.text}" at ${inSeconds(first.range.start, rate)}${more} is wider than a line and drawn smaller: set a smaller fontSize.`;
}

const inSeconds = (frame: number, rate: FrameRate): string =>
  formatQuantity(Number(toSeconds(frame, rate).toFixed(1)), "seconds");

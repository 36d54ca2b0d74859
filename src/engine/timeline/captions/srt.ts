import { type FrameRate, toSeconds } from "../time.ts";
import { type CaptionPage, lineText } from "./track.ts";

/** Formats as `00:00:01,500`. */
export function clock(seconds: number, separator: "," | "."): string {
  const milliseconds = Math.round(seconds * 1000);
  const pad = (value: number, digits = 2) => String(Math.floor(value)).padStart(digits, "0");
  const [hours, minutes] = [milliseconds / 3_600_000, (milliseconds / 60_000) % 60];
  return `${pad(hours)}:${pad(minutes)}:${pad((milliseconds / 1000) % 60)}${separator}${pad(milliseconds % 1000, 3)}`;
}

/** No line is empty, because an empty line ends a cue. */
export const plainText = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, " ").trim();

/** Invisible and no break: the text after it is no longer markup. */
const joiner = "\u2060";

/** SubRip has no escapes: players take `<i>` and `{\an8}` as markup, and an arrow as the line of a new cue. */
const srtText = (text: string): string =>
  plainText(text)
    .replaceAll("-->", "→")
    .replace(/<(?=[\p{L}/!])|\{(?=\\)/gu, `$&${joiner}`);

/** A SubRip file. */
export const srtFile = (pages: readonly CaptionPage[], rate: FrameRate): string =>
  pages
    .map(({ range, lines }, index) => {
      const times = [range.start, range.end].map((frame) => clock(toSeconds(frame, rate), ","));
      return `${index + 1}\n${times.join(" --> ")}\n${lines.map((line) => srtText(lineText(line))).join("\n")}\n`;
    })
    .join("\n");

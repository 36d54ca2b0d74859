import { type FrameRate, toSeconds } from "../time.ts";
import { clock, plainText } from "./srt.ts";
import type { CaptionLine, CaptionPage, CaptionWord } from "./track.ts";

type VttOptions = {
  /** Marks the time of each word: players highlight the spoken one. */
  readonly hasWordTimes: boolean;
};

export function vttFile(pages: readonly CaptionPage[], rate: FrameRate, { hasWordTimes }: VttOptions): string {
  const cues = pages.map((page) => {
    const times = [page.range.start, page.range.end].map((frame) => vttClock(frame, rate));
    const marked = hasWordTimes ? markedWords(page) : new Set<CaptionWord>();
    const lines = page.lines.map((line) => vttLine(line, marked, rate));
    return `${times.join(" --> ")}\n${lines.join("\n")}\n`;
  });
  return ["WEBVTT\n", ...cues].join("\n");
}

const vttClock = (frame: number, rate: FrameRate): string => clock(toSeconds(frame, rate), ".");

/** The words that start inside their cue and after the word before: times in a cue must rise. */
function markedWords({ range, lines }: CaptionPage): ReadonlySet<CaptionWord> {
  let latest = range.start;
  const marked = lines.flat().filter(({ range: { start } }) => {
    const rises = start > latest && start < range.end;
    if (rises) latest = start;
    return rises;
  });
  return new Set(marked);
}

const vttLine = (line: CaptionLine, marked: ReadonlySet<CaptionWord>, rate: FrameRate): string =>
  line
    .map((word, index) => {
      const space = word.glued || index === 0 ? "" : " ";
      const mark = marked.has(word) ? `<${vttClock(word.range.start, rate)}>` : "";
      return `${space}${mark}${escaped(word.text)}`;
    })
    .join("");

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

const escaped = (text: string): string => plainText(text).replace(/[&<>]/g, (character) => escapes[character]!);

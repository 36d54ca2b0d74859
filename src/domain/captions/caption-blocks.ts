import { yieldIfBusy } from "../../platform/event-loop.ts";

export type CaptionFormat = "srt" | "vtt";

/** Lines between empty lines; `line` is the number of the first. */
export type Block = { readonly line: number; readonly lines: readonly string[] };

const linesAtOnce = 500;

/**
 * The lines of a caption file without a byte order mark and needless spaces. What follows the times of a SubRip cue are
 * coordinates. A file may have a million lines: yields to the event loop.
 */
export async function linesOf(text: string): Promise<readonly string[]> {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
  for (const [index, line] of lines.entries()) {
    if (index % linesAtOnce === 0) await yieldIfBusy();
    if (line !== "") lines[index] = cleanLine(line);
  }
  return lines;
}

const times = /^([\d:.,]+) ?--> ?([\d:.,]+)(.*)$/;

const cleanLine = (line: string): string =>
  line
    .replace(/\s+/g, " ")
    .trim()
    .replace(times, (_, start, end, rest: string) => `${start} --> ${end}${/^ [XY]\d:/.test(rest) ? "" : rest}`);

export function blocksOf(lines: readonly string[]): readonly Block[] {
  const blocks: Block[] = [];
  for (let start = 0; start < lines.length; start++) {
    if (lines[start] === "") continue;
    const empty = lines.indexOf("", start);
    const end = empty < 0 ? lines.length : empty;
    blocks.push({ line: start + 1, lines: lines.slice(start, end) });
    start = end;
  }
  return blocks;
}

export const vttHeader = "WEBVTT";

/** False for the parts of a WebVTT file that are no captions. */
export const isCue = ({ lines: [first = ""] }: Block, format: CaptionFormat): boolean =>
  format === "srt" || !/^(?:WEBVTT|NOTE|STYLE|REGION)\b/.test(first);

const arrow = "-->";
const exampleTimes = { srt: "00:00:01,000 --> 00:00:02,500", vtt: "00:00:01.000 --> 00:00:02.500" };

/** What is wrong with a block: a parser would leave out its caption without a word. */
export function faultOf(block: Block, format: CaptionFormat): string | undefined {
  if (!isCue(block, format)) return faultOfHeader(block);
  const { line, lines } = withoutNumber(block);
  const range = timesIn(lines[0] ?? "", format);
  if (!range) return `Line ${line} must be a time like ${exampleTimes[format]}.`;
  return range.end > range.start ? undefined : `Line ${line} must have an end after its start.`;
}

function faultOfHeader({ line, lines }: Block): string | undefined {
  const caption = lines[0]?.startsWith(vttHeader) ? lines.findIndex((each) => each.includes(arrow)) : -1;
  return caption < 0 ? undefined : `Line ${line + caption} must follow an empty line.`;
}

export function withoutNumber(block: Block): Block {
  const { line, lines } = block;
  const [first = "", second] = lines;
  const isNumbered = second !== undefined && !first.includes(arrow) && (second.includes(arrow) || /^\d+$/.test(first));
  return isNumbered ? { line: line + 1, lines: lines.slice(1) } : block;
}

function timesIn(line: string, format: CaptionFormat): { readonly start: number; readonly end: number } | undefined {
  const [, ...written] = times.exec(line) ?? [];
  const [start, end] = written.map((time) => secondsOf(time, format));
  return start === undefined || end === undefined ? undefined : { start, end };
}

const clocks = {
  srt: /^(?:(\d{1,2}):)?([0-5]\d):([0-5]\d(?:[.,]\d{1,3})?)$/,
  vtt: /^(?:(\d{1,2}):)?([0-5]\d):([0-5]\d(?:\.\d{1,3})?)$/,
};

function secondsOf(time: string, format: CaptionFormat): number | undefined {
  const [, hours = 0, minutes, seconds] = clocks[format].exec(time) ?? [];
  if (minutes === undefined || seconds === undefined) return undefined;
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds.replace(",", "."));
}

import { yieldIfBusy } from "../../platform/cpu.ts";

export type CaptionFormat = "srt" | "vtt";

/** Lines between empty lines; `line` is the number of the first one. */
export type Block = { readonly line: number; readonly lines: readonly string[] };

const linesAtOnce = 500;

/**
 * The lines of a caption file without a byte order mark and trailing spaces. Text after the times of a SubRip cue is
 * coordinates. Yields to the event loop: a file may have a million lines.
 */
export async function linesOf(text: string): Promise<readonly string[]> {
  const lines: string[] = [];
  const ends = /\r\n|\n|\r|$/g;
  for (let from = text.startsWith("\uFEFF") ? 1 : 0; from <= text.length; from = ends.lastIndex) {
    if (lines.length % linesAtOnce === 0) await yieldIfBusy();
    ends.lastIndex = from;
    const { index, 0: end } = ends.exec(text)!; // safe because a text has an end
    const line = text.slice(from, index);
    lines.push(line === "" ? line : cleanLine(line));
    // the end of the text has no characters
    if (end === "") break;
  }
  return lines;
}

const arrow = "-->";
const times = /^([\d:.,]+) ?--> ?([\d:.,]+)(.*)$/;

const isTimes = (line: string): boolean => /^\d+:.*-->\s?\d+:/.test(line);

const cleanLine = (line: string): string => withoutSpaces(line) || spaces;

const withoutSpaces = (line: string): string =>
  line
    .replace(/\s+/g, " ")
    .trim()
    .replace(times, (_, start, end, rest: string) => `${start} --> ${end}${/^ [XY]\d:/.test(rest) ? "" : rest}`);

/** A line of spaces only. */
const spaces = " ";

const isBlank = (line: string): boolean => line === "" || line === spaces;

/**
 * Splits a file into blocks. As in players, a line of times begins a cue anywhere, with the number above it, and a line
 * of spaces does not end a cue of WebVTT. Reads little further than to `maxCues`, and yields to the event loop.
 */
export async function blocksOf(
  lines: readonly string[],
  { format, maxCues = Number.POSITIVE_INFINITY }: { readonly format: CaptionFormat; readonly maxCues?: number },
): Promise<readonly Block[]> {
  const blocks: CutBlock[] = [];
  let isOpen = false;
  let cues = 0;
  for (let start = 0; start < lines.length && cues <= maxCues; start++) {
    if (start % linesAtOnce === 0) await yieldIfBusy();
    if (isBlank(lines[start]!)) {
      isOpen &&= lines[start] === spaces;
      continue;
    }
    let end = start;
    while (end < lines.length && !isBlank(lines[end]!)) end++;
    const [first, ...others] = await cuesOf({ line: start + 1, lines: lines.slice(start, end) });
    const last = blocks.at(-1);
    const added = isOpen && last && !first.hasTimes ? others : [first, ...others];
    if (added === others) for (const line of first.lines) last!.lines.push(line);
    for (const block of added) {
      blocks.push(block);
      if (isCue(block, format)) cues++;
    }
    isOpen = format === "vtt" && blocks.at(-1)!.hasTimes; // safe because one was added
    start = end - 1;
  }
  return blocks;
}

type CutBlock = {
  readonly line: number;
  readonly lines: string[];
  /** True if a line may be one of times. */
  readonly hasTimes: boolean;
};

/** Splits lines without an empty line between them into cues. */
async function cuesOf({ line, lines }: Block): Promise<readonly [CutBlock, ...CutBlock[]]> {
  const [first = "", second = ""] = lines;
  const isText = /^(?:NOTE|STYLE|REGION)\b/.test(first);
  const isNumber = (at: number) => /^\d+$/.test(lines[at] ?? "");
  const isNumbered = isNumber(0) && isTimes(second);
  const starts = [0];
  const withTimes = new Set<number>();
  for (const [at, text] of lines.entries()) {
    if (at % linesAtOnce === 0) await yieldIfBusy();
    const isFirst = at === 0 || (at === 1 && !isTimes(first) && !first.startsWith(vttHeader));
    if (!isText && !isFirst && isTimes(text)) starts.push(isNumbered && isNumber(at - 1) ? at - 1 : at);
    if (text.includes(arrow)) withTimes.add(starts.length - 1);
  }
  const [head, ...others] = starts.map((start, index) => ({
    line: line + start,
    lines: lines.slice(start, starts[index + 1]),
    hasTimes: withTimes.has(index),
  }));
  return [head!, ...others]; // safe because the first line begins a part
}

export const vttHeader = "WEBVTT";

/** False for parts of a WebVTT file that are not captions. */
export const isCue = ({ lines: [first = ""] }: Block, format: CaptionFormat): boolean =>
  format === "srt" || !/^(?:WEBVTT|NOTE|STYLE|REGION)\b/.test(first);

const exampleTimes = { srt: "00:00:01,000 --> 00:00:02,500", vtt: "00:00:01.000 --> 00:00:02.500" };

/** Describes the fault of a block whose caption a parser would silently omit. */
export function faultOf(block: Block, format: CaptionFormat): string | undefined {
  if (!isCue(block, format)) return undefined;
  const { line, lines } = withoutNumber(block);
  const range = timesIn(lines[0] ?? "", format);
  if (!range) return `Line ${line} must be a time like ${exampleTimes[format]}.`;
  return range.end > range.start ? undefined : `Line ${line} must have an end after its start.`;
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

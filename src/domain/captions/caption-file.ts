import { parseText, tokenizeVTTCue, type VTTCue, type VTTNode } from "media-captions";
import { type SpokenWord, timeWords, wordsOf } from "../../engine/timeline/captions/words.ts";
import { DomainError } from "../../errors.ts";
import { yieldIfBusy } from "../../platform/cpu.ts";
import { formatIssue } from "../../platform/field-sentences.ts";
import { concurrencyLimit } from "../../platform/limits/concurrency-limit.ts";
import { withoutEntities } from "../../platform/plain-text.ts";
import { formatQuantity } from "../shared/issue-messages.ts";
import {
  type Block,
  blocksOf,
  type CaptionFormat,
  faultOf,
  isCue,
  linesOf,
  vttHeader,
  withoutNumber,
} from "./caption-blocks.ts";
import { type TimedCue, toldOnce } from "./roll-up.ts";
import { maxCaptionCharacters } from "./script.ts";

export type ReadCaptions = {
  readonly cues: readonly TimedCue[];
  /** What is wrong with lines that are left out, as players leave them out. */
  readonly leftOut: readonly string[];
};

/** In UTF-8. */
export const maxCaptionFileBytes = 1024 * 1024;
const maxCues = 5_000;
/** The parser takes quadratic time for the spaces of a line. */
const maxLineCharacters = 2_000;
const maxIssues = 20;

type CaptionFile = {
  readonly text: string;
  readonly format: CaptionFormat;
  /** The field of the request, for errors. */
  readonly path: string;
  readonly language?: string | undefined;
  /** Project id. */
  readonly owner?: string | undefined;
};

/** A large file takes the thread for a tenth of a second and 50 MB: one of a project is read at a time, and two in all. */
const largeCharacters = 64 * 1024;
const limit = concurrencyLimit({ concurrency: 2, perOwner: 1, maxQueuedPerOwner: 20, maxQueued: 200 });

/** Captions of a file with a fault: of fewer, a person corrects it. */
const captionsPerFault = 5;
/** A file of more is refused whatever they are: as too many, or for the faults of a sixth of them. */
const maxReadCues = maxCues + maxCues / captionsPerFault;

/**
 * Throws validation_error, which names each line that is no caption where more than one in six are none, and busy if too
 * many others wait.
 */
export const readCaptionFile = (file: CaptionFile): Promise<ReadCaptions> =>
  file.text.length < largeCharacters ? readFile(file) : limit(() => readFile(file), { owner: file.owner });

async function readFile({ text, format, path, language }: CaptionFile): Promise<ReadCaptions> {
  const accept = (faults: readonly string[]) => {
    if (faults.length > 0) throw refused(path, faults);
  };
  accept(Buffer.byteLength(text) > maxCaptionFileBytes ? ["Must not be larger than 1 MiB."] : []);
  const lines = await linesOf(text);
  // many players take either format whatever the name of the file is
  const type = lines[0]!.startsWith(vttHeader) ? "vtt" : format;
  accept(tooLong(lines));
  accept(type === "vtt" && format === type ? headerFaults(lines) : []);
  const blocks = (await blocksOf(lines, { format: type, maxCues: maxReadCues })).filter((block) => isCue(block, type));
  const good: Block[] = [];
  const leftOut: string[] = [];
  for (const [index, block] of blocks.entries()) {
    if (index % cuesAtOnce === 0) await yieldIfBusy();
    const fault = faultOf(block, type);
    if (fault === undefined) good.push(block);
    else leftOut.push(fault);
  }
  accept(good.length < captionsPerFault * leftOut.length ? leftOut : []);
  const cues = good.map((block) => withoutNumber(block).lines);
  accept(cues.length === 0 ? ["Must have at least one caption."] : []);
  accept(cues.length > maxCues ? [`Must have at most ${formatQuantity(maxCues, "captions")}.`] : []);
  accept(
    (await hasTooMuchText(cues, type))
      ? [`Must have at most ${formatQuantity(maxCaptionCharacters, "characters")} of text.`]
      : [],
  );
  const timed: TimedCue[] = [];
  for (let at = 0; at < cues.length; at += cuesAtOnce) {
    for (const cue of await parseCues(cues.slice(at, at + cuesAtOnce), type)) {
      await yieldIfBusy();
      timed.push(timedCue(cue, type, language));
    }
  }
  return { cues: toldOnce(timed.filter((cue) => cue.lines.length > 0)), leftOut };
}

/** Parsing them takes a few milliseconds. */
const cuesAtOnce = 50;

/** Parses the lines of some cues, which have valid times. */
async function parseCues(cues: readonly (readonly string[])[], type: CaptionFormat): Promise<readonly VTTCue[]> {
  const header = type === "vtt" ? [vttHeader] : [];
  const blocks = [header, ...cues].map((lines) => lines.join("\n"));
  return (await parseText(blocks.join("\n\n"), { type })).cues;
}

/** Before the text is cut into words, which takes long. Counts no more than there is, and no further than the bound. */
async function hasTooMuchText(cues: readonly (readonly string[])[], type: CaptionFormat): Promise<boolean> {
  let characters = 0;
  for (const [index, [, ...text]] of cues.entries()) {
    if (index % cuesAtOnce === 0) await yieldIfBusy();
    const written = text.join("\n");
    const shown =
      type === "srt"
        ? withoutMarkup(written)
        : written
            .replace(/<[^>]*(?:>|$)/g, "")
            .replace(/&nbsp;/g, " ")
            .replace(/&\w+;/g, "x");
    characters += shown.replace(/\s+/g, "").length;
    if (characters > maxCaptionCharacters) return true;
  }
  return false;
}

const refused = (path: string, faults: readonly string[]): DomainError =>
  new DomainError("validation_error", {
    issues: faults.slice(0, maxIssues).map((fault) => ({ path, message: formatIssue(path.split("."), fault) })),
  });

function tooLong(lines: readonly string[]): readonly string[] {
  const faults: string[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.length > maxLineCharacters)
      faults.push(`Line ${index + 1} must have at most ${formatQuantity(maxLineCharacters, "characters")}.`);
  }
  return faults;
}

const headerFaults = ([first]: readonly string[]): string[] =>
  first!.startsWith(vttHeader) ? [] : [`Line 1 must be ${vttHeader}.`];

function timedCue(cue: VTTCue, format: CaptionFormat, language: string | undefined): TimedCue {
  const { startTime: start, endTime: end, text } = cue;
  const pieces = format === "vtt" ? timedPieces(cue) : [{ text: withoutMarkup(text), start, end }];
  const lines: SpokenWord[][] = [[]];
  let isOpen = false;
  for (const piece of pieces) {
    const words = timeWords(piece.text, piece, language);
    for (const [index, line] of piece.text.split("\n").entries()) {
      if (index > 0) lines.push([]);
      const [first, ...others] = words.splice(0, wordsOf(line, language).length);
      const isGlued = index === 0 && isOpen && !/^\s/.test(line);
      if (first) lines.at(-1)!.push({ ...first, glued: isGlued || first.glued }, ...others);
    }
    isOpen = /\S$/.test(piece.text);
  }
  return { start, end, lines: lines.filter((line) => line.length > 0) };
}

/** SubRip has no escapes: what looks like a tag is one, and entities are left of a file that was WebVTT or HTML. */
const withoutMarkup = (text: string): string =>
  withoutEntities(text.replace(/<\/?[a-z][^<>]*>/gi, "").replace(/\{\\[^{}]*\}/g, ""));

type Piece = { readonly text: string; readonly start: number; readonly end: number };

/** The text of a WebVTT cue between the times in it. */
function timedPieces(cue: VTTCue): readonly Piece[] {
  const { startTime, endTime } = cue;
  const marks: { text: string; start: number }[] = [{ text: "", start: startTime }];
  for (const part of partsOf(tokenizeVTTCue(cue))) {
    const last = marks.at(-1)!;
    if (typeof part === "string") last.text += withoutEntities(part);
    else if (part.time >= last.start && part.time <= endTime) marks.push({ text: "", start: part.time });
  }
  const pieces = marks.map(({ text, start }, index) => ({ text, start, end: marks[index + 1]?.start ?? endTime }));
  return pieces.filter(({ text }) => text !== "");
}

type Mark = { readonly time: number };

/** Texts and times in the order in which they are read. Tags may be nested deeply, so that recursion could end. */
function* partsOf(nodes: readonly VTTNode[]): Generator<string | Mark> {
  const open = nodes.toReversed();
  for (let node = open.pop(); node; node = open.pop()) {
    if (node.type === "text") yield node.data;
    // the reading aid above a character is no text of its own
    if (node.type === "text" || node.type === "rt") continue;
    if (node.type === "timestamp") yield { time: node.time };
    open.push(...node.children.toReversed());
  }
}

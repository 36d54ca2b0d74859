import type { Canvas } from "../timeline/timeline.ts";
import type { Chunk, OutputTrack } from "./chunks.ts";
import { printBox, printNumbers } from "./print-boxes.ts";

/** Times are in milliseconds; cues are in order, without overlaps. */
type TextCue = { readonly start: number; readonly end: number; readonly text: string };

export type TextTrack = {
  readonly cues: readonly TextCue[];
  /** The end of the film, in milliseconds. */
  readonly end: number;
  /** ISO 639-2, three letters. */
  readonly language: string;
  readonly canvas: Canvas;
};

/** A text, or a gap between two cues: samples of a track must be contiguous. */
type Sample = { readonly start: number; readonly end: number; readonly bytes: Buffer };

const timescale = 1000;

/** A track of 3GPP timed text (TS 26.245). Players offer it as subtitles, and show none unless asked. */
export function printTextTrack(track: TextTrack, movieTimescale: number): OutputTrack {
  const samples = samplesOf(track);
  const duration = samples.at(-1)?.end ?? 0;
  const chunks = samples.map(
    ({ start, bytes }): Chunk => ({
      seconds: start / timescale,
      samples: 1,
      path: "",
      prefix: bytes,
      start: 0,
      end: 0,
    }),
  );
  const trak = Buffer.concat([
    printBox("tkhd", trackHeader(Math.ceil((duration * movieTimescale) / timescale), track.canvas)),
    printBox(
      "mdia",
      printBox("mdhd", mediaHeader(duration, track.language)),
      printBox("hdlr", handler()),
      printBox(
        "minf",
        printBox("nmhd", Buffer.alloc(4)),
        printBox("dinf", printBox("dref", printNumbers([1]), printBox("url ", flagged(1)))),
        printBox("stbl", sampleTables(samples)),
      ),
    ),
  ]);
  return { chunks, trak };
}

/** Players show the last sample until the film ends, so it is an empty one. */
function samplesOf({ cues, end: filmEnd }: TextTrack): readonly Sample[] {
  const samples: Sample[] = [];
  for (const { start, end, text } of [...cues, { start: filmEnd, end: filmEnd, text: "" }]) {
    const before = samples.at(-1)?.end ?? 0;
    if (start > before) samples.push({ start: before, end: start, bytes: textBytes("") });
    if (end > start) samples.push({ start, end, bytes: textBytes(text) });
  }
  return samples;
}

/** The text in UTF-8, after its length. */
function textBytes(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function flagged(flags: number): Buffer {
  const content = Buffer.alloc(4);
  content.writeUInt32BE(flags);
  return content;
}

/** The flag of a track that is in the film, but not enabled by default. */
const inMovie = 2;
/** A group of tracks of which players show one: it must differ from that of video and sound. */
const alternateGroup = 2;

function trackHeader(duration: number, { width, height }: Canvas): Buffer {
  const header = Buffer.alloc(84);
  header.writeUInt32BE(inMovie);
  header.writeUInt32BE(duration, 20);
  header.writeUInt16BE(alternateGroup, 34);
  // the matrix that changes only the position: below the middle of the picture
  header.writeUInt32BE(0x10000, 40);
  header.writeUInt32BE(0x10000, 56);
  const top = Math.round(height * 0.8);
  header.writeUInt32BE(top * 0x10000, 68);
  header.writeUInt32BE(0x40000000, 72);
  header.writeUInt32BE(width * 0x10000, 76);
  header.writeUInt32BE((height - top) * 0x10000, 80);
  return header;
}

function mediaHeader(duration: number, language: string): Buffer {
  const header = Buffer.alloc(24);
  header.writeUInt32BE(timescale, 12);
  header.writeUInt32BE(duration, 16);
  const letters = [...language].map((letter) => letter.charCodeAt(0) - 0x60);
  header.writeUInt16BE(
    letters.reduce((packed, letter) => packed * 32 + letter, 0),
    20,
  );
  return header;
}

const handler = (): Buffer =>
  Buffer.concat([
    Buffer.alloc(8),
    Buffer.from("sbtl", "latin1"),
    Buffer.alloc(12),
    Buffer.from("Captions\0", "latin1"),
  ]);

function sampleTables(samples: readonly Sample[]): Buffer {
  return Buffer.concat([
    printBox("stsd", printNumbers([1]), printBox("tx3g", sampleEntry())),
    printBox("stts", printNumbers([samples.length, ...samples.flatMap(({ start, end }) => [1, end - start])])),
    printBox("stsz", printNumbers([0, samples.length, ...samples.map(({ bytes }) => bytes.length)])),
  ]);
}

/** White text in the player's own font, centered at the bottom of the track's box, without a background. */
function sampleEntry(): Buffer {
  const entry = Buffer.alloc(38);
  entry.writeUInt16BE(1, 6);
  entry.writeInt8(1, 12);
  entry.writeInt8(-1, 13);
  const [font, size] = [1, 16];
  entry.writeUInt16BE(font, 30);
  entry.writeUInt8(size, 33);
  entry.writeUInt32BE(0xffffffff, 34);
  const name = "Arial";
  const fonts = Buffer.concat([Buffer.of(0, 1, 0, font, name.length), Buffer.from(name, "latin1")]);
  return Buffer.concat([entry, printBox("ftab", fonts)]);
}

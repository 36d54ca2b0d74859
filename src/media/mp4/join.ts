import { open } from "node:fs/promises";
import { yieldIfBusy } from "../../platform/event-loop.ts";
import type { FrameRate } from "../../timeline/time.ts";
import { headerFields, requireBox } from "./boxes.ts";
import { type Chunk, noBytes } from "./chunks.ts";
import { printFilmHeader } from "./film-header.ts";
import { readSoundTrack } from "./sound-track.ts";
import { printTextTrack, type TextTrack } from "./text-track.ts";
import { readTrackFile, type TrackFile } from "./track-file.ts";
import { joinSegments } from "./video-track.ts";

type JoinOptions = {
  readonly segments: readonly { readonly path: string; readonly frames: number }[];
  readonly sound: string;
  readonly rate: FrameRate;
  /** A third track. */
  readonly text?: TextTrack | undefined;
  readonly signal: AbortSignal;
};

/**
 * Writes a film from segments and a sound without encoding again. Throws if a segment has another number of frames, or
 * was encoded in another way.
 */
export async function joinFilm({ segments, sound, rate, text, signal }: JoinOptions, output: string): Promise<void> {
  const [first, ...others] = await readSegments(segments);
  if (!first) throw new Error("There is no segment to join.");
  const soundFile = await readTrackFile(sound);
  const video = await joinSegments([first, ...others], rate);
  await yieldIfBusy();
  const movieTimescale = requireBox(first.moov, "mvhd").readUInt32BE(headerFields.mvhd.timescale);
  const tracks = [
    video,
    readSoundTrack(soundFile, movieTimescale),
    ...(text ? [printTextTrack(text, movieTimescale)] : []),
  ];
  const chunks = tracks.flatMap((track) => track.chunks).toSorted((one, other) => one.seconds - other.seconds);
  await yieldIfBusy();
  await writeFilm(printFilmHeader(first, tracks, chunks), chunks, { output, signal });
}

async function readSegments(segments: JoinOptions["segments"]): Promise<readonly TrackFile[]> {
  const files: TrackFile[] = [];
  for (const { path, frames } of segments) {
    const file = await readTrackFile(path);
    if (file.sizes.length !== frames)
      throw new Error(`A segment has ${file.sizes.length} frames instead of ${frames}.`);
    files.push(file);
  }
  return files;
}

type WriteOptions = { readonly output: string; readonly signal: AbortSignal };

async function writeFilm(header: Buffer, chunks: readonly Chunk[], { output, signal }: WriteOptions): Promise<void> {
  const film = await open(output, "w");
  try {
    await film.writeFile(header);
    for (const { path, prefix, start, end } of chunks) {
      signal.throwIfAborted();
      const bytes = end > start ? await Bun.file(path).slice(start, end).bytes() : noBytes;
      await film.writeFile(prefix.length > 0 ? Buffer.concat([prefix, bytes]) : bytes);
    }
  } finally {
    await film.close();
  }
}

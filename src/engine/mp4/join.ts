import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { yieldIfBusy } from "../../platform/cpu.ts";
import type { FrameRate } from "../timeline/time.ts";
import { headerFields } from "./boxes.ts";
import { type Chunk, chunksOf, noBytes, type OutputTrack } from "./chunks.ts";
import { printHeader } from "./header.ts";
import { changeBoxes, printPosition, withNumbers } from "./print-boxes.ts";
import { printTextTrack, type TextTrack } from "./text-track.ts";
import { movieTimescale, readTrackFile, type TrackFile } from "./track-file.ts";
import { joinSegments } from "./video-track.ts";

export type JoinOptions = {
  readonly segments: readonly { readonly path: string; readonly frames: number }[];
  readonly sound: string;
  readonly rate: FrameRate;
  readonly text?: TextTrack | undefined;
  /** A box after the first one, printed once the hash of everything after it is known. */
  readonly reserved?: ReservedBox | undefined;
  readonly signal: AbortSignal;
};

/**
 * A box whose length does not depend on the hash: SHA-256 of the boxes after it, each preceded by its position in the
 * file as a 64-bit number, as C2PA hashes an MP4 file.
 */
export type ReservedBox = { readonly bytes: number; print(hash: Buffer): Buffer };

/** Joins segments without encoding again. Throws if a segment has another number of frames, or another encoding. */
export async function joinVideo(
  { segments, sound, rate, text, reserved, signal }: JoinOptions,
  output: string,
): Promise<void> {
  const [first, ...others] = await readSegments(segments);
  if (!first) throw new Error("There is no segment to join.");
  const soundFile = await readTrackFile(sound);
  const video = await joinSegments([first, ...others], rate);
  await yieldIfBusy();
  const timescale = movieTimescale(first);
  const tracks = [video, readSoundTrack(soundFile, timescale), ...(text ? [printTextTrack(text, timescale)] : [])];
  const chunks = tracks.flatMap((track) => track.chunks).toSorted((one, other) => one.seconds - other.seconds);
  await yieldIfBusy();
  const header = printHeader(first, tracks, chunks, reserved?.bytes ?? 0);
  await writeFilm(header, chunks, { output, reserved, signal });
}

async function readSegments(segments: JoinOptions["segments"]): Promise<readonly TrackFile[]> {
  const files: TrackFile[] = [];
  for (const { path, frames } of segments) {
    const file = await readTrackFile(path);
    if (file.samples.length !== frames)
      throw new Error(`A segment has ${file.samples.length} frames instead of ${frames}.`);
    files.push(file);
  }
  return files;
}

type WriteOptions = Pick<JoinOptions, "reserved" | "signal"> & { readonly output: string };

async function writeFilm(
  { ftyp, moov, mdat }: ReturnType<typeof printHeader>,
  chunks: readonly Chunk[],
  { output, reserved, signal }: WriteOptions,
): Promise<void> {
  const film = await open(output, "w");
  const moovAt = ftyp.length + (reserved?.bytes ?? 0);
  const hash = reserved && createHash("sha256");
  hash?.update(printPosition(moovAt)).update(moov);
  hash?.update(printPosition(moovAt + moov.length)).update(mdat);
  try {
    await film.writeFile(Buffer.concat([ftyp, Buffer.alloc(reserved?.bytes ?? 0), moov, mdat]));
    for (const { path, prefix, start, end } of chunks) {
      signal.throwIfAborted();
      const bytes = end > start ? await Bun.file(path).slice(start, end).bytes() : noBytes;
      const written = prefix.length > 0 ? Buffer.concat([prefix, bytes]) : bytes;
      hash?.update(written);
      await film.writeFile(written);
    }
    if (reserved && hash) await film.write(reserved.print(hash.digest()), 0, reserved.bytes, ftyp.length);
  } finally {
    await film.close();
  }
}

/**
 * The track of a sound file in a film that counts `filmTimescale` ticks per second. Up to version 8, ffmpeg counts the
 * same number in every file; since 9, the file's own.
 */
function readSoundTrack(file: TrackFile, filmTimescale: number): OutputTrack {
  const timescale = movieTimescale(file);
  const { tkhd, elst } = headerFields;
  const rescale = (field: number) => (box: Buffer) =>
    withNumbers(box, { [field]: Math.ceil((box.readUInt32BE(field) * filmTimescale) / timescale) });
  const withDuration = changeBoxes(file.trak, ["tkhd"], rescale(tkhd.duration));
  return { chunks: chunksOf(file), trak: changeBoxes(withDuration, ["edts", "elst"], rescale(elst.duration)) };
}

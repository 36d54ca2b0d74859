import { headerFields } from "./boxes.ts";
import { chunksOf, type OutputTrack } from "./chunks.ts";
import { changeBoxes, withNumbers } from "./print-boxes.ts";
import { movieTimescale, type TrackFile } from "./track-file.ts";

/**
 * The track of a sound file in a film that counts `filmTimescale` ticks per second. ffmpeg counts the same number in
 * every file until version 8, since 9 the file's own.
 */
export function readSoundTrack(file: TrackFile, filmTimescale: number): OutputTrack {
  const timescale = movieTimescale(file);
  const { tkhd, elst } = headerFields;
  const rescale = (field: number) => (box: Buffer) =>
    withNumbers(box, { [field]: Math.ceil((box.readUInt32BE(field) * filmTimescale) / timescale) });
  const withDuration = changeBoxes(file.trak, ["tkhd"], rescale(tkhd.duration));
  return { chunks: chunksOf(file), trak: changeBoxes(withDuration, ["edts", "elst"], rescale(elst.duration)) };
}

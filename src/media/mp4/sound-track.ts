import { headerFields, replaceBox, requireBox, withNumbers } from "./boxes.ts";
import { chunksOf, type FilmTrack } from "./chunks.ts";
import type { TrackFile } from "./track-file.ts";

/**
 * The track of a sound file in a film that counts `movieTimescale` ticks per second. ffmpeg counts the same number in
 * every file until version 8, since 9 the file's own.
 */
export function readSoundTrack(file: TrackFile, movieTimescale: number): FilmTrack {
  const timescale = requireBox(file.moov, "mvhd").readUInt32BE(headerFields.mvhd.timescale);
  const { tkhd, elst } = headerFields;
  const rescale = (trak: Buffer, path: readonly string[], field: number) => {
    const box = requireBox(trak, ...path);
    const duration = Math.ceil((box.readUInt32BE(field) * movieTimescale) / timescale);
    return replaceBox(trak, path, withNumbers(box, { [field]: duration }));
  };
  const withDuration = rescale(requireBox(file.moov, "trak"), ["tkhd"], tkhd.duration);
  return { chunks: chunksOf(file), trak: rescale(withDuration, ["edts", "elst"], elst.duration) };
}

import { fstatSync } from "node:fs";
import { DomainError } from "../../errors.ts";
import { sum } from "../../platform/values.ts";
import { boxExtentsIn, bytesAt, type Extent, findMovie, withFile } from "./movie.ts";
import { addToTrack, emptyTrack, type TrackLists } from "./track-lists.ts";

/** Boxes that hold boxes. ffmpeg reads a list at any level of them. */
const parents: ReadonlySet<string> = new Set("moov trak edts mdia minf stbl mvex moof traf udta".split(" "));

/** An hour of fragments with one frame of video and of sound each has three million. */
const maxBoxes = 4_000_000;

/** A day at 60 frames a second. */
const maxShiftedSamples = 6_000_000;

/** Old sound formats code up to five samples in a byte and count each. */
const maxSamplesPerByte = 8;

/**
 * Validates an MP4 file before a parser opens it. Throws unsupported_media_type if it has too many edits, or if a list
 * declares more samples than the file can hold: a few bytes would make parsers allocate gigabytes.
 */
export function requireBoundedMovie(path: string): void {
  withFile(path, (file) => {
    const size = fstatSync(file).size;
    const tracks = readTracks(file, { start: 0, end: size }, maxBoxes);
    requireFewEdits(tracks);
    for (const { shifts, timed, chunks } of tracks) {
      if (chunks > size) refuse(damaged);
      // parsers sort such samples by time, so they list each
      if (shifts > 0 && Math.max(shifts, timed) > Math.min(size, maxShiftedSamples)) refuse(damaged);
    }
    if (sum(tracks.map(({ samples }) => samples)) > size * maxSamplesPerByte) refuse(damaged);
  });
}

/** The maximum number of boxes in an index. */
const maxMovieBoxes = 10_000;

/** Validates the edits of a stored MP4 file: older versions accepted any. Throws unsupported_media_type. */
export function requireBoundedEdits(path: string): void {
  withFile(path, (file) => {
    const movie = findMovie(file);
    if (movie) requireFewEdits(readTracks(file, movie, maxMovieBoxes));
  });
}

const damaged = "The file is damaged, or of a kind that cannot be read: save it as MP4 or MP3.";

const refuse = (reason: string): never => {
  throw new DomainError("unsupported_media_type", { reason });
};

/** Editors write one or two, and phones an empty one before them. */
const maxEdits = 16;

/** The maximum number of times that all edits together show the media. */
const maxRepeats = 2;

/** One edit shows the media at most once, whatever its duration. */
function requireFewEdits(tracks: readonly TrackLists[]): void {
  const movieTicks = tracks.find((track) => track.movieTicks)?.movieTicks ?? 1;
  for (const { edits, shownEdits, editedTicks, mediaTicks, ticksPerSecond } of tracks) {
    const repeats = editedTicks / movieTicks / (mediaTicks / ticksPerSecond || 1);
    if (edits > maxEdits || (shownEdits > 1 && repeats > maxRepeats))
      refuse("The file's edit list repeats parts of it: export it as MP4 without edits.");
  }
}

/** The lists of a track lie five boxes deep. */
const maxDepth = 16;

/** Reads the lists of all tracks in a part of a file. Lists before the first track count as a track. */
function readTracks(file: number, part: Extent, maxBoxes: number): readonly TrackLists[] {
  const tracks = [emptyTrack()];
  let left = maxBoxes;
  const walk = (within: Extent, depth: number): void => {
    for (const box of boxExtentsIn(file, within)) {
      if (--left < 0 || depth > maxDepth) refuse(damaged);
      if (box.type === "cmov") refuse("The file's index is compressed: save it as MP4 with another program.");
      if (box.type === "trak") tracks.push(emptyTrack());
      // safe because the list starts with one entry
      addToTrack(tracks.at(-1)!, box.type, (offset, length) => bytesAt(file, box, offset, length));
      if (parents.has(box.type)) walk(box, depth + 1);
    }
  };
  walk(part, 0);
  return tracks;
}

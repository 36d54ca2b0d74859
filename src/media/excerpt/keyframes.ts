import { closeSync, openSync } from "node:fs";
import { secondsOf } from "./choose-samples.ts";
import { readMovie, tracksOf } from "./movie.ts";

/**
 * The times of an MP4 video's keyframes in ascending order, in seconds on the clock on which the first track starts at 0.
 * Throws for a file whose structure is not simple, or not right.
 */
export function readKeyframes(path: string): readonly number[] {
  const file = openSync(path, "r");
  try {
    const { tracks, clockStart } = tracksOf(readMovie(file));
    return tracks
      .filter(({ handler }) => handler === "vide")
      .flatMap((track) => track.samples.filter(({ isSync }) => isSync).map((sample) => secondsOf(track, sample)))
      .map((seconds) => seconds - clockStart)
      .sort((one, other) => one - other);
  } finally {
    closeSync(file);
  }
}

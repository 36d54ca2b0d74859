import { secondsOf } from "./choose-samples.ts";
import { readMovie, tracksOf, withFile } from "./movie.ts";

/** More would not fit into the one-line answer of a process. */
const maxKeyframes = 10_000;

/** Keyframes that are closer count as one, because the cost of a seek is the same. */
const minSpacingSeconds = 0.25;

/**
 * The times of an MP4 video's keyframes in ascending order, in seconds on the clock on which the first track starts at
 * 0, rounded down to milliseconds. Omits some that closely follow another if there are many. Throws for a file whose
 * structure is complex or invalid.
 */
export function readKeyframes(path: string): readonly number[] {
  return withFile(path, (file) => {
    const { tracks, clockStart } = tracksOf(readMovie(file));
    const times = tracks
      .filter(({ handler }) => handler === "vide")
      .flatMap((track) => track.samples.filter(({ isSync }) => isSync).map((sample) => secondsOf(track, sample)))
      .map((seconds) => Math.floor((seconds - clockStart) * 1000) / 1000)
      .sort((one, other) => one - other);
    return spacedOut(times);
  });
}

function spacedOut(times: readonly number[]): readonly number[] {
  const length = (times.at(-1) ?? 0) - (times[0] ?? 0);
  const spacing = Math.max(minSpacingSeconds, length / maxKeyframes);
  const kept: number[] = [];
  for (const time of times) if (kept.length === 0 || time - kept.at(-1)! >= spacing) kept.push(time);
  return kept;
}

import type { Source } from "../../timeline/source.ts";
import { samplesPerSecond } from "../../timeline/time.ts";
import type { Command } from "../command.ts";
import { measureLoudness, resample, toStereo } from "../filters/sound.ts";
import { input } from "../graph/graph.ts";
import { printGraph, printNumber } from "../graph/print.ts";
import { openSound, type SourcePaths } from "../sources.ts";

/** From a moment to a later one. */
export type Seconds = { readonly start: number; readonly end: number };

/** How loud a recording is, and when. */
export type SoundProfile = {
  /** Integrated loudness in LUFS as in ITU-R BS.1770; absent for silence. */
  readonly integrated?: number;
  /** Where it is about as loud as on the whole, to a tenth of a second. */
  readonly loud: readonly Seconds[];
};

/** In seconds. ebur128 measures such windows, one every tenth of a second. */
const windowSeconds = 0.4;
const stepSeconds = 0.1;

/** In LU below the integrated loudness: pauses of a speaker are quieter, quiet syllables are louder. */
const loudRangeLu = 15;

/** The loudness in LUFS that ebur128 reports for a sound that never passes its gate. */
export const belowGate = -70;

/** Measures at most the first `seconds` of a source as it sounds in a mix. `readProfile` reads the report. */
export function compileProfile(source: Source, files: SourcePaths, seconds: number, report: string): Command {
  // a whole window for the shortest sound, and one step more because ebur128 counts only whole ones
  const padSamples = samplesPerSecond * (windowSeconds + stepSeconds);
  const sound = toStereo(resample(input("audio", 0)));
  const { text, map } = printGraph(measureLoudness(sound, report, { hasTruePeak: false, padSamples }));
  return {
    inputArgs: openSound(source, files, ["-t", printNumber(seconds)]),
    graph: text,
    outputArgs: ["-map", map, "-f", "null", "-"],
  };
}

export function readProfile(report: string, { facts }: Source): SoundProfile {
  const values = (key: string) => [...report.matchAll(new RegExp(`^lavfi\\.r128\\.${key}=(.+)$`, "gm"))].map(toNumber);
  const measured = values("I").at(-1);
  if (measured === undefined || !(measured > belowGate)) return { loud: [] };
  const threshold = measured - loudRangeLu;
  return {
    integrated: measured + shortSoundLu(facts.durationSeconds),
    loud: loudRanges(values("M").map((level) => level >= threshold)),
  };
}

const toNumber = ([, value]: RegExpMatchArray): number => Number(value);

/** A sound shorter than a window fills only a part of it: the rest is silence that lowers the measured loudness. */
const shortSoundLu = (durationSeconds = windowSeconds): number =>
  durationSeconds > 0 && durationSeconds < windowSeconds ? 10 * Math.log10(windowSeconds / durationSeconds) : 0;

/** A window becomes loud in the step in which a sound begins, and remains so until the sound has left it. */
function loudRanges(windows: readonly boolean[]): readonly Seconds[] {
  const ranges: Seconds[] = [];
  let first: number | undefined;
  for (let step = 0; step <= windows.length; step++) {
    if (windows[step]) first ??= step;
    else if (first !== undefined) {
      const start = first * stepSeconds;
      ranges.push({ start, end: Math.max(start + stepSeconds, (step + 1) * stepSeconds - windowSeconds) });
      first = undefined;
    }
  }
  return ranges;
}

import type { Source } from "../../timeline/source.ts";
import { samplesPerSecond } from "../../timeline/time.ts";
import type { Command } from "../command.ts";
import { delay, measureLoudness } from "../filters/sound.ts";
import { printGraph, printNumber } from "../graph/print.ts";
import { openSound, type SourcePaths } from "../sources.ts";
import { soundOf } from "./channels.ts";

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

/** In LUFS: the gate of BS.1770 leaves out quieter windows, which are silence. */
const gateLufs = -70;
/** In LU below the mean: its second gate leaves out pauses. */
const pauseLu = 10;

/** Measures at most the first `seconds` of a source as it sounds in a mix. `readProfile` reads the report. */
export function compileProfile(source: Source, files: SourcePaths, seconds: number, report: string): Command {
  // every sound is once inside of a window; one step more, because ebur128 counts only whole ones
  const padSamples = samplesPerSecond * (windowSeconds + stepSeconds);
  // the first window is measured when it is complete
  const sound = delay(soundOf(source, 0), samplesPerSecond * windowSeconds);
  const { text, map } = printGraph(measureLoudness(sound, report, { hasTruePeak: false, padSamples }));
  return {
    inputArgs: openSound(source, files, ["-t", printNumber(seconds)]),
    graph: text,
    outputArgs: ["-map", map, "-f", "null", "-"],
    writes: [report],
  };
}

export function readProfile(report: string, { facts }: Source): SoundProfile {
  const windows = [...report.matchAll(/^lavfi\.r128\.M=(.+)$/gm)].map(([, loudness]) => Number(loudness));
  const integrated = integratedLoudness(windows, facts.durationSeconds);
  if (integrated === undefined) return { loud: [] };
  return { integrated, loud: loudRanges(windows.map((loudness) => loudness >= integrated - loudRangeLu)) };
}

/** Of the windows that lie inside of the sound: ebur128 itself would count those with the silence around it. */
function integratedLoudness(windows: readonly number[], durationSeconds?: number): number | undefined {
  const ends = Math.min(windows.length * stepSeconds, windowSeconds + (durationSeconds ?? Number.POSITIVE_INFINITY));
  const first = Math.round((2 * windowSeconds) / stepSeconds) - 1;
  const inside = windows.slice(first, Math.floor(ends / stepSeconds + 0.01));
  const shortSound = Math.max(...windows) + shortSoundLu(durationSeconds);
  const heard = (inside.length > 0 ? inside : [shortSound]).filter((level) => level > gateLufs);
  const mean = meanLoudness(heard);
  return mean === undefined ? undefined : meanLoudness(heard.filter((level) => level >= mean - pauseLu));
}

function meanLoudness(levels: readonly number[]): number | undefined {
  if (levels.length === 0) return undefined;
  return 10 * Math.log10(levels.reduce((sum, level) => sum + 10 ** (level / 10), 0) / levels.length);
}

/** A sound shorter than a window fills only a part of it: the rest is silence, which lowers the measured loudness. */
const shortSoundLu = (durationSeconds = windowSeconds): number =>
  durationSeconds > 0 && durationSeconds < windowSeconds ? 10 * Math.log10(windowSeconds / durationSeconds) : 0;

/** A window becomes loud in the step in which a sound begins, and remains so until the sound has left it. */
function loudRanges(windows: readonly boolean[]): readonly Seconds[] {
  const ranges: Seconds[] = [];
  let first: number | undefined;
  for (let step = 0; step <= windows.length; step++) {
    if (windows[step]) first ??= step;
    else if (first !== undefined) {
      const start = first * stepSeconds - windowSeconds;
      const end = (step + 1) * stepSeconds - 2 * windowSeconds;
      ranges.push({ start: Math.max(0, start), end: Math.max(start + stepSeconds, end) });
      first = undefined;
    }
  }
  return ranges;
}

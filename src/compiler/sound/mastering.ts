import { toSamples } from "../../timeline/time.ts";
import type { Timeline } from "../../timeline/timeline.ts";
import type { Command } from "../compile.ts";
import { soundEncoding, toMp4 } from "../encoding.ts";
import { amplified, limited, linear, measured } from "../filters/sound.ts";
import { input } from "../graph/graph.ts";
import { printGraph } from "../graph/print.ts";
import { openFile } from "../sources.ts";

/** What is done to a mix: in decibels, and in decibels below full scale. */
export type Level = { readonly gain: number; readonly ceiling: number };

/** In LUFS as in ITU-R BS.1770, and the highest true peak in decibels below full scale. */
export type Loudness = { readonly integrated: number; readonly truePeak: number };

/** The film's sound from its mix, at another level. */
export function compileMaster(
  mix: string,
  { gain, ceiling }: Level,
  { track, rate }: Pick<Timeline, "track" | "rate">,
  output: string,
): Command {
  const louder = amplified(input("audio", 0), linear(gain));
  const { text, map } = printGraph(limited(louder, toSamples(track.frames, rate), linear(ceiling)));
  return {
    inputArgs: openFile(mix, "wav"),
    graph: text,
    outputArgs: ["-map", map, ...soundEncoding, ...toMp4(output)],
  };
}

/** Measures a mix or a finished sound; the report is for `readLoudness`. */
export function compileMeasure(sound: string, report: string): Command {
  const { text, map } = printGraph(measured(input("audio", 0), report));
  return { inputArgs: openFile(sound, "wav,mov"), graph: text, outputArgs: ["-map", map, "-f", "null", "-"] };
}

// what the meter says of a sound in which nothing passes its gate
const unheard = -70;

/** What a report says at its end; undefined of silence. */
export function readLoudness(report: string): Loudness | undefined {
  const last = (key: string) => Number(report.slice(report.lastIndexOf(key)).match(/=(-?[\d.]+)/)?.[1]);
  const integrated = last("lavfi.r128.I=");
  const peak = Math.max(last("lavfi.r128.true_peaks_ch0="), last("lavfi.r128.true_peaks_ch1="));
  if (!(integrated > unheard) || !(peak > 0)) return undefined;
  return { integrated, truePeak: 20 * Math.log10(peak) };
}

import { samplesPerSecond, toSamples } from "../../timeline/time.ts";
import type { Timeline } from "../../timeline/timeline.ts";
import type { Command } from "../command.ts";
import { soundEncoding, toMp4 } from "../encoding.ts";
import { limit, measureLoudness, toFactor, volume } from "../filters/sound.ts";
import { input } from "../graph/graph.ts";
import { printGraph } from "../graph/print.ts";
import { openFile } from "../sources.ts";

/** The gain in dB, and the limiter's ceiling in dBFS. */
export type Level = { readonly gain: number; readonly ceiling: number };

/** Integrated loudness in LUFS as in ITU-R BS.1770, and the highest true peak in dBFS. */
export type Loudness = { readonly integrated: number; readonly truePeak: number };

/** Encodes a mix with a gain and a limit for its peaks. */
export function compileMaster(
  mix: string,
  { gain, ceiling }: Level,
  { track, rate }: Pick<Timeline, "track" | "rate">,
  output: string,
): Command {
  const amplified = volume(input("audio", 0), toFactor(gain));
  const { text, map } = printGraph(limit(amplified, toSamples(track.frames, rate), toFactor(ceiling)));
  return {
    inputArgs: openFile(mix, "wav"),
    graph: text,
    outputArgs: ["-map", map, ...soundEncoding, ...toMp4(output)],
  };
}

/** Measures a mix or a finished sound. `readLoudness` reads the report. */
export function compileMeasure(sound: string, report: string): Command {
  // ebur128 counts only whole tenths of a second
  const meter = { hasTruePeak: true, padSamples: samplesPerSecond / 10 };
  const { text, map } = printGraph(measureLoudness(input("audio", 0), report, meter));
  return { inputArgs: openFile(sound, "wav,mov"), graph: text, outputArgs: ["-map", map, "-f", "null", "-"] };
}

// the loudness in LUFS that ebur128 reports for a sound that never passes its gate
const belowGate = -70;

/** Reads the last values of a report; undefined for silence. */
export function readLoudness(report: string): Loudness | undefined {
  const lastValue = (key: string) => Number(report.slice(report.lastIndexOf(key)).match(/=(-?[\d.]+)/)?.[1]);
  const integrated = lastValue("lavfi.r128.I=");
  const peak = Math.max(lastValue("lavfi.r128.true_peaks_ch0="), lastValue("lavfi.r128.true_peaks_ch1="));
  if (!(integrated > belowGate) || !(peak > 0)) return undefined;
  return { integrated, truePeak: 20 * Math.log10(peak) };
}

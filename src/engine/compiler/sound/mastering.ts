import { samplesPerSecond, toSamples } from "../../timeline/time.ts";
import type { Timeline } from "../../timeline/timeline.ts";
import type { Command } from "../command.ts";
import { soundEncodingAt, toFinishedWav, toMp4 } from "../encoding.ts";
import { limit, measureLoudness, toFactor, volume } from "../filters/sound.ts";
import { type Audio, input } from "../graph/graph.ts";
import { printGraph } from "../graph/print.ts";
import { openFile } from "../sources.ts";

/** The gain in dB, the limiter's ceiling in dBFS, and the kilobits per second of the encoded sound. */
export type Level = { readonly gain: number; readonly ceiling: number; readonly kilobits: number };

/** Integrated loudness in LUFS as in ITU-R BS.1770, and the highest true peak in dBFS. */
export type Loudness = { readonly integrated: number; readonly truePeak: number };

type Length = Pick<Timeline, "track" | "rate">;

function leveled({ gain, ceiling }: Level, { track, rate }: Length): Audio {
  const amplified = volume(input("audio", 0), toFactor(gain));
  return limit(amplified, toSamples(track.frames, rate), toFactor(ceiling));
}

/** Encodes a mix with a gain and a limit for its peaks. */
export function compileMaster(mix: string, level: Level, length: Length, output: string): Command {
  const { text, map } = printGraph(leveled(level, length));
  return {
    inputArgs: openFile(mix, "wav"),
    graph: text,
    outputArgs: ["-map", map, ...(output.endsWith(".wav") ? toFinishedWav(output) : encodedAt(level, output))],
    writes: [output],
  };
}

const encodedAt = ({ kilobits }: Level, output: string) => [...soundEncodingAt(kilobits), ...toMp4(output)];

/** Measures a mix or a finished sound. `readLoudness` reads the report. */
export const compileMeasure = (sound: string, report: string): Command =>
  measure(openFile(sound, "wav,mov,matroska,mp3"), input("audio", 0), report);

/** Measures a mix as it is at a level before it is encoded, which takes a tenth of the time. */
export const compileTrial = (mix: string, level: Level, length: Length, report: string): Command =>
  measure(openFile(mix, "wav"), leveled(level, length), report);

function measure(inputArgs: readonly string[], sound: Audio, report: string): Command {
  // ebur128 counts only whole tenths of a second
  const meter = { hasTruePeak: true, padSamples: samplesPerSecond / 10 };
  const { text, map } = printGraph(measureLoudness(sound, report, meter));
  return { inputArgs, graph: text, outputArgs: ["-map", map, "-f", "null", "-"], writes: [report] };
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

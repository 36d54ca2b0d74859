import { type FrameRange, framesIn, samplesPerSecond } from "../../timeline/time.ts";
import { type Audio, type FilterOptions, filter } from "../graph/graph.ts";
import { printNumber } from "../graph/print.ts";

/** Resamples to 48 kHz from time zero, and fills gaps in the source with silence. */
export const resample = (audio: Audio): Audio =>
  filter("audio", "aresample", [audio], { sample_rate: samplesPerSecond, async: 1, first_pts: 0 });

/** Joins two mono sounds into the two sides of one. */
export const joinSides = (left: Audio, right: Audio): Audio =>
  filter("audio", "join", [left, right], { inputs: 2, channel_layout: "stereo", map: "0.0-FL|1.0-FR" });

/** Mixes more than two channels down as in ITU-R BS.775, at their loudness: peaks may be above full scale. */
export const mixDown = (audio: Audio): Audio => {
  const float = filter<"audio">("audio", "aformat", [audio], { sample_fmts: "fltp" });
  const gains = (side: "L" | "R") => `F${side}=F${side}+0.7071*FC+0.7071*B${side}+0.7071*S${side}`;
  return filter("audio", "pan", [float], { args: `stereo|${gains("L")}|${gains("R")}` });
};

/** Makes two channels from one or two. */
export const toStereo = (audio: Audio): Audio => {
  const float = filter("audio", "aformat", [audio], { sample_fmts: "fltp" });
  const gains = (side: "L" | "R") => `F${side}<F${side}+0.7*FC+0.7*B${side}+0.7*S${side}`;
  return filter("audio", "pan", [float], { args: `stereo|${gains("L")}|${gains("R")}` });
};

/** Keeps a range of samples, by default to the end, and resets the timestamps. */
export const trimSamples = (audio: Audio, { start, end }: { start: number; end?: number }): Audio => {
  const range = { start_sample: start, ...(end !== undefined && { end_sample: end }) };
  const trimmed = filter("audio", "atrim", [audio], range);
  return filter("audio", "asetpts", [trimmed], { expr: "PTS-STARTPTS" });
};

/** The window of atempo at 48 kHz, in samples: the first power of two above a 24th of a second. */
const tempoWindow = 2048;

/**
 * Changes the tempo and keeps the pitch. atempo centers its windows on what they join, so its output comes early by half
 * of one, in the input: that is compensated. It moves a sound by up to a hundredth of a second, but does not drift.
 */
export const changeTempo = (audio: Audio, speed: number): Audio => tempoStages(speed).reduce(changeTempoOnce, audio);

const changeTempoOnce = (audio: Audio, tempo: number): Audio =>
  filter("audio", "atempo", [delay(audio, tempoWindow / 2)], { tempo });

/** Factors of a speed: the atempo of 2018 takes 0.5 to 2. */
function tempoStages(speed: number): readonly number[] {
  if (speed === 1) return [];
  if (speed > 2) return [2, ...tempoStages(speed / 2)];
  return speed < 0.5 ? [0.5, ...tempoStages(speed * 2)] : [speed];
}

/** Exactly this many samples: cuts longer sound, pads shorter sound with silence. */
export const padOrTrimTo = (audio: Audio, samples: number): Audio =>
  filter("audio", "atrim", [filter("audio", "apad", [audio])], { end_sample: samples });

/** Holds all samples in memory. */
export const reverseSound = (audio: Audio): Audio => filter("audio", "areverse", [audio]);

/** At least this many samples: pads shorter sound with silence. */
export const padTo = (audio: Audio, samples: number): Audio => filter("audio", "apad", [audio], { whole_len: samples });

/** Equal power: a quarter of a sine, so two sounds that crossfade keep their loudness (sin² + cos² = 1). */
export const fadeSound = (
  audio: Audio,
  direction: "in" | "out",
  { start, end }: FrameRange,
  curve: "qsin" | "tri" = "qsin",
): Audio =>
  end > start
    ? filter("audio", "afade", [audio], { t: direction, ss: start, ns: framesIn({ start, end }), curve })
    : audio;

export const joinSounds = (audios: readonly Audio[]): Audio => {
  const [only, ...more] = audios;
  return only && more.length === 0 ? only : filter("audio", "concat", audios, { n: audios.length, v: 0, a: 1 });
};

export const volume = (audio: Audio, factor: number): Audio =>
  factor === 1 ? audio : filter("audio", "volume", [audio], { volume: factor });

/** The samples for which a changing volume holds. */
const volumeStep = 96;

/** A part of a curve of straight lines: its value at its start, and its change per second from there. */
export type Line = { readonly startSeconds: number; readonly value: number; readonly slope: number };

/** Multiplies by a curve, whose lines follow each other from the start of the sound on. */
export const volumeCurve = (audio: Audio, lines: readonly Line[]): Audio => {
  const short = filter("audio", "asetnsamples", [audio], { n: volumeStep, p: 0 });
  return filter("audio", "volume", [short], { volume: printLines(lines), eval: "frame" });
};

/** Halves the list repeatedly: ffmpeg rejects deeply nested expressions. */
function printLines(lines: readonly Line[]): string {
  const [first] = lines;
  if (!first) return "1";
  if (lines.length > 1) {
    const half = lines.length >> 1;
    const later = lines.slice(half);
    return `if(lt(t,${printNumber(later[0]!.startSeconds)}),${printLines(lines.slice(0, half))},${printLines(later)})`;
  }
  const { startSeconds, value, slope } = first;
  if (slope === 0) return printNumber(value);
  return `${printNumber(value)}+(${printNumber(slope)})*(t-(${printNumber(startSeconds)}))`;
}

export const delay = (audio: Audio, samples: number): Audio =>
  samples > 0 ? filter("audio", "adelay", [audio], { delays: `${samples}S|${samples}S` }) : audio;

/** Sums sounds of equal length. amix divides by the number of inputs, so the sum is multiplied by it. */
export const mix = (audios: readonly Audio[]): Audio => {
  const [only, ...more] = audios;
  if (only && more.length === 0) return only;
  const mean = filter("audio", "amix", audios, { inputs: audios.length, duration: "longest" });
  return volume(mean, audios.length);
};

export const silence = (samples: number): Audio => {
  const endless = filter("audio", "anullsrc", [], { channel_layout: "stereo", sample_rate: samplesPerSecond });
  return filter("audio", "atrim", [endless], { end_sample: samples });
};

// the attack of alimiter, 5 ms at 48 kHz, minus the current sample
const limiterDelaySamples = 239;

/** Limits peaks without raising the level. Cuts off the delay that alimiter's look-ahead adds. */
export const limit = (audio: Audio, samples: number, ceiling = 0.95): Audio => {
  const padded = filter("audio", "apad", [audio]);
  const limited = filter("audio", "alimiter", [padded], { level: 0, limit: ceiling, attack: 5, release: 50 });
  return trimSamples(limited, { start: limiterDelaySamples, end: limiterDelaySamples + samples });
};

/**
 * Lowers `audio` by 9 to 14 dB while `trigger` sounds. The reduction starts immediately and grows with the level of
 * `trigger`. It ends within two seconds. Sound below the threshold, such as room noise, does not trigger it.
 */
export const duck = (audio: Audio, trigger: Audio): Audio =>
  filter("audio", "sidechaincompress", [audio, trigger], {
    threshold: toFactor(-50),
    ratio: 20,
    attack: 400,
    release: 700,
    // a fifth of the sound bypasses the compressor, which bounds the reduction
    mix: 0.8,
  });

/** Multiplies each sample by the gain that a second sound has there. Ends with the shorter one. */
export const multiply = (audio: Audio, gains: Audio): Audio => filter("audio", "amultiply", [audio, gains]);

type Meter = { readonly hasTruePeak: boolean; readonly padSamples: number };

/** Prints the loudness, and the true peak if wanted, so far to `report`: a few lines of text every 100 ms. */
export const measureLoudness = (audio: Audio, report: string, { hasTruePeak, padSamples }: Meter): Audio => {
  const padded = filter("audio", "apad", [audio], { pad_len: padSamples });
  const options: FilterOptions = hasTruePeak ? { metadata: 1, peak: "true" } : { metadata: 1 };
  const metered = filter<"audio">("audio", "ebur128", [padded], options);
  return filter("audio", "ametadata", [metered], { mode: "print", file: report });
};

export const toFactor = (decibels: number): number => 10 ** (decibels / 20);

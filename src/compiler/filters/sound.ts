import { type FrameRange, framesIn, samplesPerSecond } from "../../timeline/time.ts";
import { type Audio, filter } from "../graph/graph.ts";

/** 48 kHz from time zero on, with silence where the source has holes. */
export const steadySound = (audio: Audio): Audio =>
  filter("audio", "aresample", [audio], { sample_rate: samplesPerSecond, async: 1, first_pts: 0 });

/**
 * Mono stays as loud as it is; more channels than two are mixed down as in ITU-R BS.775, center and surrounds at -3 dB.
 * `<` scales the gains of a side to 1 in sum, so nothing clips.
 */
export const inStereo = (audio: Audio): Audio => {
  const float = filter("audio", "aformat", [audio], { sample_fmts: "fltp" });
  const mix = (side: "L" | "R") => `F${side}<F${side}+0.7*FC+0.7*B${side}+0.7*S${side}`;
  return filter("audio", "pan", [float], { args: `stereo|${mix("L")}|${mix("R")}` });
};

export const trimmedSamples = (audio: Audio, { start, end }: FrameRange): Audio => {
  const kept = filter("audio", "atrim", [audio], { start_sample: start, end_sample: end });
  return filter("audio", "asetpts", [kept], { expr: "PTS-STARTPTS" });
};

/** Exactly so many samples, silent where the sound has ended. */
export const lasting = (audio: Audio, samples: number): Audio =>
  filter("audio", "atrim", [filter("audio", "apad", [audio])], { end_sample: samples });

export const lastingAtLeast = (audio: Audio, samples: number): Audio =>
  filter("audio", "apad", [audio], { whole_len: samples });

/** At equal power: over a quarter of a sine, and as sin² + cos² = 1, two sounds that change over stay as loud. */
export const fadedSound = (audio: Audio, direction: "in" | "out", { start, end }: FrameRange): Audio =>
  end > start
    ? filter("audio", "afade", [audio], { t: direction, ss: start, ns: framesIn({ start, end }), curve: "qsin" })
    : audio;

export const amplified = (audio: Audio, volume: number): Audio =>
  volume === 1 ? audio : filter("audio", "volume", [audio], { volume });

export const delayed = (audio: Audio, samples: number): Audio =>
  samples > 0 ? filter("audio", "adelay", [audio], { delays: `${samples}S|${samples}S` }) : audio;

/** Sums sounds of one length. amix divides by their number: that is given back. */
export const summed = (audios: readonly Audio[]): Audio => {
  const [only, ...more] = audios;
  if (only && more.length === 0) return only;
  const mixed = filter("audio", "amix", audios, { inputs: audios.length, duration: "longest" });
  return amplified(mixed, audios.length);
};

export const silence = (samples: number): Audio => {
  const endless = filter("audio", "anullsrc", [], { channel_layout: "stereo", sample_rate: samplesPerSecond });
  return filter("audio", "atrim", [endless], { end_sample: samples });
};

// its attack of 5 ms at 48 kHz, less the sample that it is working on
const lookAheadSamples = 239;

/** Keeps peaks in range without making anything louder. alimiter looks ahead and answers late: that is taken out. */
export const limited = (audio: Audio, samples: number, limit = 0.95): Audio => {
  const longer = filter("audio", "apad", [audio]);
  const even = filter("audio", "alimiter", [longer], { level: 0, limit, attack: 5, release: 50 });
  return trimmedSamples(even, { start: lookAheadSamples, end: lookAheadSamples + samples });
};

/**
 * Falls by 9 to 14 dB while another sound is heard, at once and by more the louder that is; the last of the fall is
 * given back within two seconds. What is quieter than the threshold, as the noise of a room is, lowers nothing.
 */
export const ducked = (audio: Audio, under: Audio): Audio =>
  filter("audio", "sidechaincompress", [audio, under], {
    threshold: linear(-50),
    ratio: 20,
    attack: 400,
    release: 700,
    // a fifth of the sound passes by the compressor: it never falls farther
    mix: 0.8,
  });

/** How loud a sound is, and how high its peaks are between its samples, so far: a few lines of text every 100 ms. */
export const measured = (audio: Audio, report: string): Audio => {
  // the last tenth counts only when it is whole
  const longer = filter("audio", "apad", [audio], { pad_len: samplesPerSecond / 10 });
  const heard = filter<"audio">("audio", "ebur128", [longer], { metadata: 1, peak: "true" });
  return filter("audio", "ametadata", [heard], { mode: "print", file: report });
};

/** Decibels as a factor. */
export const linear = (decibels: number): number => 10 ** (decibels / 20);

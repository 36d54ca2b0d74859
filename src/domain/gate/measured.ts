import type { TaskOptions } from "../../platform/task-options.ts";
import type { MediaFacts } from "../../engine/timeline/source.ts";

/** In seconds of a video. */
export type Stretch = { readonly start: number; readonly end: number };

/** The most flashes in any second; a flash is two opposing changes. */
export type Flashes = { readonly perSecond: number; readonly at?: number | undefined };

/** A text whose ground is measured: its box as shares of the frame, and the relative luminance of its letters. */
export type Region = Stretch & {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly luminance: number;
};

/** What was measured around a region: the contrast to the mean of its ground, and the share of frames below 3 to 1. */
export type Ground = { readonly contrast: number; readonly lowShare: number };

/** What the frames of a video show. */
export type PictureQuality = {
  readonly flashes: Flashes;
  readonly redFlashes: Flashes;
  readonly black: readonly Stretch[];
  readonly frozen: readonly Stretch[];
  /** In the order of the regions; undefined where there was nothing to measure. */
  readonly grounds: readonly (Ground | undefined)[];
};

/** Integrated loudness in LUFS as in ITU-R BS.1770, and the highest true peak in dBTP. */
type Loudness = { readonly integrated: number; readonly truePeak: number };

/** A rendered video, as measured from its file. */
export type MeasuredVideo = PictureQuality & {
  readonly facts: MediaFacts;
  readonly sizeBytes: number;
  /** Absent for silence. */
  readonly loudness?: Loudness | undefined;
};

export type VideoMeter = {
  /** Decodes the whole video at a small size, and its sound. */
  measure(
    video: { readonly path: string; readonly facts: MediaFacts; readonly regions: readonly Region[] },
    options: Required<TaskOptions>,
  ): Promise<PictureQuality & Pick<MeasuredVideo, "loudness">>;
};

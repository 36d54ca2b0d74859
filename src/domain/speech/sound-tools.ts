import type { TaskOptions } from "../../platform/task-options.ts";
import type { MediaFacts } from "../../engine/timeline/source.ts";
import type { Samples } from "./samples.ts";

/** A file's sound as transcription models take it. */
export type SoundForModel = {
  /** Mono FLAC at 16 kHz. */
  readonly bytes: Uint8Array;
  readonly durationSeconds: number;
  /** In dBFS. */
  readonly peakDecibels: number;
};

/** Decodes sounds; ffmpeg's work. */
export type SoundTools = {
  /** Changes the speed without the pitch. Undefined if it is no sound of a format that speech models make. */
  decodeVoice(bytes: Uint8Array, speed: number, options: Required<TaskOptions>): Promise<Samples | undefined>;
  /** The sound of a file; undefined if it cannot be decoded. */
  soundForModel(path: string, facts: MediaFacts, options: Required<TaskOptions>): Promise<SoundForModel | undefined>;
};

import type { SpokenWord } from "../../engine/timeline/captions/words.ts";

/** `measured`: a transcription found the words in the sound. `estimated`: they were spread over it by their lengths. */
export const speechTimings = ["measured", "estimated"] as const;

/** The words spoken in a sound. */
export type Speech = {
  readonly text: string;
  /** A BCP 47 tag. */
  readonly language?: string;
  readonly words: readonly SpokenWord[];
  readonly timing: (typeof speechTimings)[number];
};

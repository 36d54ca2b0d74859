import type { MediaFacts } from "../../timeline/source.ts";
import { openMedia } from "../sources.ts";

/** Larger frames are rejected before they are decoded: a few of them would fill the memory. */
export const maxVideoPixels = 40_000_000;

export const openWithPixelLimit = (path: string, facts: MediaFacts, options: readonly string[]): readonly string[] =>
  openMedia(path, facts, ["-max_pixels", `${maxVideoPixels}`, ...options]);

import { filter, type Video } from "../graph/graph.ts";

/** The 255 colors that represent all frames best, and a transparent one, as one picture. */
export const findPalette = (video: Video): Video => filter("video", "palettegen", [video], { reserve_transparent: 1 });

/** Replaces each color by the nearest one of a palette; less than half opaque pixels become transparent. */
export const usePalette = (video: Video, palette: Video): Video =>
  // frames are dithered before, which takes a tenth of the time of the filter's own dithering
  filter("video", "paletteuse", [video, palette], { dither: "none" });

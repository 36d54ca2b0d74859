import type { VideoFacts } from "../../timeline/source.ts";
import { convertMatrix, declareRec709, format, toneMap } from "../filters/color.ts";
import { type Size, scale } from "../filters/geometry.ts";
import type { Video } from "../graph/graph.ts";

/** Scales a source to `size` and converts it to opaque BT.709. Calls `overBlack` for a source with alpha. */
export function toRec709(
  video: Video,
  size: Size,
  { matrix = "bt709", fullRange = false, transfer = "sdr", hasAlpha = false }: Partial<VideoFacts> = {},
  overBlack: (video: Video) => Video,
): Video {
  if (transfer !== "sdr") return declareRec709(format(toneMap(scale(video, size), transfer), "yuv420p"));
  // declared before the conversion, so that ffmpeg adds none of its own where frames meet
  const scaled = declareRec709(scale(video, size, matrix === "rgb" ? { toRec709: true } : { fullRange }));
  const opaque = hasAlpha ? overBlack(scaled) : format(scaled, "yuv420p");
  return matrix === "bt601" || matrix === "bt2020" ? convertMatrix(opaque, matrix) : opaque;
}

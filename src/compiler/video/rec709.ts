import type { VideoFacts } from "../../timeline/source.ts";
import { convertToRec709, declareRec709, format, toneMap } from "../filters/color.ts";
import { type Size, scale } from "../filters/geometry.ts";
import type { Video } from "../graph/graph.ts";

/**
 * Scales a source to `size`, whose sides are even, and converts it to opaque BT.709. Calls `overBlack` for a source with
 * alpha.
 */
export function toRec709(
  video: Video,
  size: Size,
  { matrix = "bt709", fullRange = false, transfer = "sdr", hasAlpha = false }: Partial<VideoFacts> = {},
  overBlack: (video: Video) => Video,
): Video {
  if (transfer !== "sdr") return declareRec709(format(toneMap(scale(video, size), transfer), "yuv420p"));
  if (matrix === "rgb") {
    const scaled = declareRec709(scale(video, size, { toRec709: true }));
    return hasAlpha ? overBlack(scaled) : format(scaled, "yuv420p");
  }
  // declared before the conversion, so that ffmpeg adds none of its own where frames meet
  if (fullRange && !hasAlpha) {
    const scaled = declareRec709(scale(video, size, { fullRange: "keep" }), { fullRange });
    return convertToRec709(format(scaled, "yuv420p|yuvj420p"), { matrix, fullRange });
  }
  // colorspace drops alpha, so scale limits the range before `overBlack`
  const scaled = declareRec709(scale(video, size, fullRange ? { fullRange: "limit" } : {}));
  const opaque = hasAlpha ? overBlack(scaled) : format(scaled, "yuv420p");
  return matrix === "bt709" ? opaque : convertToRec709(opaque, { matrix, fullRange: false });
}

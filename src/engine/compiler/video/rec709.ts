import type { VideoFacts } from "../../timeline/source.ts";
import { type CodedColors, convertToRec709, declareRec709, format, toneMap } from "../filters/color.ts";
import { type Size, scale, scaleToEven } from "../filters/geometry.ts";
import type { Video } from "../graph/graph.ts";

/** Scales a source from about `from` to `to`, whose sides are even, as opaque BT.709; alpha by `overBlack`. */
export function toRec709(
  video: Video,
  { from, to }: { readonly from: Size; readonly to: Size },
  { matrix = "bt709", fullRange = false, transfer = "sdr", hasAlpha = false }: Partial<VideoFacts> = {},
  overBlack: (video: Video) => Video,
): Video {
  if (transfer !== "sdr") return declareRec709(format(toneMap(scale(video, to), transfer), "yuv420p"));
  // declared before the conversion, so that ffmpeg adds none of its own where frames meet
  if (matrix === "rgb") {
    const scaled = declareRec709(scale(video, to, { toRec709: true }));
    return hasAlpha ? overBlack(scaled) : format(scaled, "yuv420p");
  }
  if (hasAlpha) {
    const opaque = overBlack(declareRec709(scale(video, to, fullRange ? { fullRange: "limit" } : {})));
    return matrix === "bt709" ? opaque : convert(opaque, { matrix, fullRange: false });
  }
  if (matrix === "bt709" && !fullRange) return format(declareRec709(scale(video, to)), "yuv420p");
  const range = fullRange ? ({ fullRange: "keep" } as const) : {};
  const colors = { matrix, fullRange };
  const isEnlarged = from.width * from.height < to.width * to.height;
  // converts at the size with fewer pixels
  return isEnlarged ? scale(convert(scaleToEven(video, range), colors), to) : convert(scale(video, to, range), colors);
}

const convert = (video: Video, colors: CodedColors): Video => {
  const declared = declareRec709(video, colors);
  return convertToRec709(format(declared, colors.fullRange ? "yuv420p|yuvj420p" : "yuv420p"), colors);
};

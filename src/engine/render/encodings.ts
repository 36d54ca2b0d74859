import type { SegmentEncoding } from "../compiler/compile.ts";
import type { Encoding } from "../compiler/encoding.ts";
import type { VpxEncoding } from "../compiler/formats.ts";
import type { Quality } from "../ports.ts";
import type { Format, Output } from "../timeline/format.ts";

const encodings: Readonly<Record<Quality, Encoding>> = {
  // without an adaptive quantizer, fine grain takes few bytes and little time
  draft: {
    preset: "superfast",
    parameters: { subme: 0, bframes: 0, weightp: 0, "aq-mode": 0 },
    crf: 22,
    threads: 1,
    separateGops: { hasTree: false },
  },
  // a coarser subpixel search than the preset's: a third less CPU time, for at most 0.0004 of SSIM, in fewer bytes;
  // the weaker adaptive quantizer of x264's tune for animation: at equal SSIM, 10 to 17 % fewer bytes in GOPs this short
  standard: {
    preset: "veryfast",
    parameters: { subme: 1, "aq-strength": 0.6 },
    crf: 23,
    threads: 1,
    separateGops: { hasTree: true },
  },
  // its decisions look across keyframes; in comparison, decoding again for each segment costs little
  high: { preset: "slower", crf: 19, threads: 1 },
};

/** Uses one thread for each encoder, because segments are encoded in parallel. */
export const encodingFor = (quality: Quality): Encoding => encodings[quality];

/** The maximum delay of the first frame in frames: of a pyramid of B-frames, or of none. */
export const delayFramesOf = (quality: Quality): number => (encodings[quality].parameters?.bframes === 0 ? 0 : 2);

/** The pictures that a decoder keeps for such a pyramid, or for P-frames alone. */
export const bufferedFramesOf = (quality: Quality): number => (delayFramesOf(quality) === 0 ? 1 : 4);

/** In real time it takes a fifth of the time at equal SSIM, for a sixth more bytes. */
const vpxEncodings: Readonly<Record<Quality, Pick<VpxEncoding, "crf" | "deadline" | "cpuUsed">>> = {
  draft: { crf: 36, deadline: "realtime", cpuUsed: 7 },
  standard: { crf: 32, deadline: "realtime", cpuUsed: 5 },
  high: { crf: 24, deadline: "good", cpuUsed: 3 },
};

/** The quantizers of ProRes. To search one for each slice takes seven times as long at equal SSIM. */
const proResQuantizers: Readonly<Record<Quality, number>> = { draft: 11, standard: 5, high: 3 };

/** The encoding of the segments of a film. The palette of a GIF is found later. */
export function segmentEncoding(quality: Quality, { format, isTransparent }: Output): SegmentEncoding {
  const own = { hasAlpha: isTransparent, threads: 1 };
  if (format === "webm") return { codec: "vp9", ...vpxEncodings[quality], ...own };
  if (format === "mov") return { codec: "prores", quantizer: proResQuantizers[quality], ...own };
  if (format === "gif") return { codec: "gif", palette: "", ...own };
  return encodingFor(quality);
}

export const hasSound = (format: Format): boolean => format !== "gif" && format !== "png" && format !== "jpg";

/** MP4 has AAC; other formats are encoded from the finished sound. */
export const soundCodecOf = (format: Format): "aac" | "pcm" => (format === "mp4" ? "aac" : "pcm");

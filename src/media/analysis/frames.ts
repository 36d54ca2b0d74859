import { toPixels } from "../../compiler/encoding.ts";
import { inRgb, type Size } from "../../compiler/filters/filters.ts";
import { printGraph } from "../../compiler/graph/print.ts";
import { drawClip } from "../../compiler/picture/clip.ts";
import { containedIn } from "../../compiler/picture/fit.ts";
import { openSource, pictureArgs, type Use } from "../../compiler/sources.ts";
import type { VideoFrame } from "../../domain/ai/video-metrics.ts";
import type { MediaFacts } from "../../timeline/source.ts";
import type { Clip } from "../../timeline/track.ts";
import { type Ffmpeg, FfmpegError } from "../ffmpeg/ffmpeg.ts";
import { jpegOf } from "../images/image.ts";
import { encodePng } from "../images/png.ts";
import { maxVideoPixels } from "../inspect/sample.ts";
import { together } from "../render/run-all.ts";

type Wanted = {
  readonly path: string;
  readonly facts: MediaFacts;
  readonly folder: string;
  readonly atSeconds: readonly number[];
  readonly maxSide: number;
  readonly signal: AbortSignal;
};

const maxProcesses = 2;
const limits = { cpuSeconds: 60, fileBytes: 2 ** 28, memoryBytes: 4 * 2 ** 30 };

/** The pictures shown at these times, each from a decode of its own that begins shortly before. */
export async function framesAt(ffmpeg: Ffmpeg, wanted: Wanted): Promise<readonly VideoFrame[]> {
  const tasks = wanted.atSeconds.map((atSeconds, index) => async (signal: AbortSignal) => {
    const bytes = await pictureAt(ffmpeg, { ...wanted, signal }, atSeconds, `frame-${index}.rgb`);
    return bytes && { atSeconds, bytes, mimeType: "image/jpeg" };
  });
  const frames = await together(tasks, wanted.signal, maxProcesses);
  return frames.filter((frame) => frame !== undefined);
}

// only the first frame is drawn, at the time wanted: the rate is that of a common film and says nothing more
const rate = { num: 25, den: 1 };

/** As an export shows it: at its time the last picture at or before it, upright, in BT.709, over black. */
async function pictureAt(ffmpeg: Ffmpeg, { path, facts, folder, maxSide, signal }: Wanted, at: number, name: string) {
  const size = within(maxSide, facts);
  const clip: Clip = {
    source: { file: path, hash: "", facts },
    range: { start: 0, end: 1 },
    sourceStartSeconds: Math.max(0, at),
    volume: 0,
    fit: "contain",
    transition: { kind: "cut", frames: 0 },
  };
  const use: Use = { clip, inputIndex: 0, frames: { start: 0, end: 1 } };
  const { text, map } = printGraph(inRgb(drawClip(use, { canvas: size, rate }), size));
  const options = ["-max_pixels", `${maxVideoPixels}`, ...pictureArgs(use, rate, 1)];
  const inputArgs = openSource(clip.source, { pathOf: ({ file }) => file }, options);
  const pixels = `${folder}/${name}`;
  const outputArgs = ["-map", map, ...toPixels(pixels, rate, 1)];
  try {
    const { frames } = await ffmpeg.run({ inputArgs, graph: text, outputArgs }, { folder, signal, limits });
    return frames > 0 ? await jpegOf(await encodePng(await Bun.file(pixels).bytes(), size)) : undefined;
  } catch (error) {
    // a damaged place costs this picture and not the others
    if (error instanceof FfmpegError) return undefined;
    throw error;
  }
}

/** Even, and never larger than the film. */
function within(maxSide: number, { width = maxSide, height = maxSide }: MediaFacts): Size {
  const scale = Math.min(1, maxSide / Math.max(width, height));
  const side = (length: number) => 2 * Math.max(1, Math.floor((length * scale) / 2));
  return containedIn({ width: side(width), height: side(height) }, { width, height });
}

import type { TrackFile } from "./track-file.ts";

/** Adjacent samples of one file. */
export type Chunk = {
  /** The decode time of the first sample. */
  readonly seconds: number;
  readonly samples: number;
  readonly path: string;
  /** Bytes that precede the first sample's bytes from the file. */
  readonly prefix: Buffer;
  readonly start: number;
  readonly end: number;
};

export type OutputTrack = {
  readonly chunks: readonly Chunk[];
  /** The content of `trak`, complete except for the track's id and the positions of its chunks. */
  readonly trak: Buffer;
};

export const bytesOf = ({ prefix, start, end }: Chunk): number => prefix.length + end - start;

/** Players read video and sound alternately: more than about a second of one would make them seek. */
const chunkSeconds = 1;

export const noBytes: Buffer = Buffer.alloc(0);

type ChunkOptions = {
  readonly startSeconds?: number;
  /** The parameter sets that precede each keyframe. */
  readonly parameters?: Buffer;
};

export function chunksOf(
  { path, samples, ticksPerSecond }: TrackFile,
  { startSeconds = 0, parameters = noBytes }: ChunkOptions = {},
): readonly Chunk[] {
  const position = samples[0]?.offset ?? 0;
  const chunks: Chunk[] = [];
  let open = { seconds: startSeconds, samples: 0, path, prefix: noBytes, start: position, end: position };
  for (const { decodeTicks, isSync, length } of samples) {
    const seconds = startSeconds + decodeTicks / ticksPerSecond;
    const prefix = isSync ? parameters : noBytes;
    if (prefix.length > 0 || seconds >= open.seconds + chunkSeconds) {
      if (open.samples > 0) chunks.push(open);
      open = { seconds, samples: 0, path, prefix, start: open.end, end: open.end };
    }
    open.samples++;
    open.end += length;
  }
  return [...chunks, open];
}

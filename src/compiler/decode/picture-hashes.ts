import type { MediaFacts } from "../../timeline/source.ts";
import type { FrameRate } from "../../timeline/time.ts";
import type { Command } from "../command.ts";
import { format } from "../filters/color.ts";
import { resetTimestamps, selectFrames } from "../filters/time.ts";
import { input, type Video } from "../graph/graph.ts";
import { printGraphs, printRate } from "../graph/print.ts";
import { openWithPixelLimit } from "./open.ts";

type WantedPictures = {
  /** Numbers of frames in display order, ascending, counted from 0. */
  readonly pictures: readonly number[];
  readonly checked: readonly number[];
};

type PictureOutputs = { readonly pixels: string; readonly hashes: string };

/** Of an MP4 video: pictures as planes of yuv420p, as they are coded, not cropped, and a hash of each checked one. */
export function compilePictures(
  path: string,
  facts: MediaFacts,
  { pictures, checked }: WantedPictures,
  { pixels, hashes }: PictureOutputs,
): Command {
  const { text, maps } = printGraphs([pictures, checked].map((numbers) => numbered(selectFrames(video(0), numbers))));
  const [pixelsMap, hashesMap] = maps as [string, string];
  return {
    inputArgs: openCoded(path, facts),
    graph: text,
    outputArgs: [
      ...["-map", pixelsMap, ...rawFrames, "-frames:v", `${pictures.length}`, "-f", "rawvideo", "-y", `file:${pixels}`],
      ...["-map", hashesMap, "-frames:v", `${checked.length}`, ...toHashes(hashes)],
    ],
    writes: [pixels, hashes],
  };
}

type HashedVideo = { readonly path: string; readonly hashes: string };

/** Hashes of all pictures of MP4 videos as they are coded. */
export function compilePictureHashes(videos: readonly HashedVideo[], facts: MediaFacts): Command {
  const { text, maps } = printGraphs(videos.map((_, index) => numbered(video(index))));
  return {
    inputArgs: videos.flatMap(({ path }) => openCoded(path, facts)),
    graph: text,
    outputArgs: videos.flatMap(({ hashes }, index) => ["-map", maps[index]!, ...toHashes(hashes)]),
    writes: videos.map(({ hashes }) => hashes),
  };
}

/** The hashes that such a command wrote. */
export const readHashes = (text: string): readonly string[] =>
  text.split("\n").flatMap((line) => (/^\d/.test(line) ? [line.split(",").at(-1)!.trim()] : []));

/** Its ticks only count frames. */
const rate: FrameRate = { num: 25, den: 1 };

const video = (index: number): Video => format(input("video", index), "yuv420p|yuvj420p");

const numbered = (frames: Video): Video => resetTimestamps(frames, rate);

const rawFrames = ["-c:v", "rawvideo", "-r", printRate(rate)];

const toHashes = (path: string): readonly string[] => [
  ...rawFrames,
  "-f",
  "framehash",
  "-hash",
  "murmur3",
  "-y",
  `file:${path}`,
];

/** Every picture, as large as it is coded, whatever the container says of its place and time. */
const openCoded = (path: string, facts: MediaFacts): readonly string[] =>
  openWithPixelLimit(path, facts, [
    ...["-threads", "1", "-apply_cropping", "0"],
    ...["-noautorotate", "-ignore_editlist", "1"],
  ]);

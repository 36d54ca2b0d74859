import { closeSync, openSync } from "node:fs";
import { chooseSamples, type EntryPoint, type ReadSample, toleranceSeconds } from "../excerpt/choose-samples.ts";
import { writeEntries } from "../excerpt/entry-file.ts";
import { readAt, readMovie, tracksOf } from "../excerpt/movie.ts";
import type { Sample, Track } from "../excerpt/sample-table.ts";
import {
  bytesOfPicture,
  grayPicture,
  joinUnits,
  rawPicture,
  rawPictureSettings,
  recoveryPoint,
} from "../h264/raw-picture.ts";
import { type Candidate, chooseCandidates } from "./candidates.ts";
import { type CodedPicture, readStream, type Stream } from "./stream.ts";

export type EntryPlan = {
  /** The numbers of the frames that entry points hold, in display order, ascending. */
  readonly pictures: readonly number[];
  readonly candidates: readonly EntryCheck[];
};

/** An entry point is right if all frames of an excerpt that depend on it are those of the video. */
export type EntryCheck = {
  /** Of the excerpt's frames, as for `writeExcerpt`. */
  readonly seconds: readonly number[];
  /** The numbers in the video, in display order, of the excerpt's last frames: others come only before. */
  readonly frames: readonly number[];
};

type PlanRequest = {
  readonly path: string;
  /** Of decoding between entry points: see `workOf`. */
  readonly minWork: number;
};

/** Chooses entry points of an MP4 video. Throws for a file that is not simple, or not right. */
export const planEntries = ({ path, minWork }: PlanRequest): EntryPlan =>
  withVideo(path, (video) => {
    const candidates = chooseCandidates(video.stream, minWork);
    return {
      pictures: picturesOf(candidates).map(({ frame }) => frame),
      candidates: candidates.map((candidate) => checkOf(candidate, video)),
    };
  });

type CandidatesRequest = PlanRequest & {
  /** The planned pictures in order, each as planes of yuv420p, not cropped. */
  readonly pixels: string;
  /** A file for each candidate. */
  readonly outputs: readonly string[];
};

/** Writes each candidate as a file of one entry point. */
export const writeCandidates = ({ path, minWork, pixels, outputs }: CandidatesRequest): void =>
  withVideo(path, ({ stream }) => {
    const candidates = chooseCandidates(stream, minWork);
    const pictures = picturesOf(candidates);
    const bytes = bytesOfPicture(stream.sequence);
    withFile(pixels, (file) => {
      const samplesOf = (picture: CodedPicture) => readAt(file, pictures.indexOf(picture) * bytes, bytes);
      for (const [index, output] of outputs.entries()) {
        writeEntries(output, [toEntry(candidates[index]!, stream, samplesOf)]);
      }
    });
  });

type Video = { readonly track: Track; readonly stream: Stream; readonly read: ReadSample; readonly clockStart: number };

const withVideo = <Result>(path: string, use: (video: Video) => Result): Result =>
  withFile(path, (file) => {
    const { tracks, clockStart } = tracksOf(readMovie(file));
    const track = tracks.find(({ handler }) => handler === "vide");
    if (!track) throw new Error("The file has no video.");
    const read = ({ offset, length, content }: Sample) => content ?? readAt(file, offset, length);
    return use({ track, stream: readStream(track, read), read, clockStart });
  });

function withFile<Result>(path: string, use: (file: number) => Result): Result {
  const file = openSync(path, "r");
  try {
    return use(file);
  } finally {
    closeSync(file);
  }
}

/** Those that entry points hold, in display order. */
const picturesOf = (candidates: readonly Candidate[]): readonly CodedPicture[] =>
  [...new Set(candidates.flatMap(({ needed }) => [...needed]))].sort((one, other) => one.frame - other.frame);

/** Every frame that may depend on a picture before the entry point, and shortly after. */
function checkOf({ first, dependent }: Candidate, { track, stream, read, clockStart }: Video): EntryCheck {
  const end = Math.max(...dependent.map(({ seconds }) => seconds));
  const times: number[] = [];
  // each shows all frames within the tolerance, and the last one before them
  for (let from = first.seconds + 1e-4; times.length === 0 || from <= end; from += 2 * toleranceSeconds) {
    times.push(from + toleranceSeconds);
  }
  const entry: EntryPoint = { sample: first.number, pictures: () => [] };
  const numbers = new Map(track.samples.map((sample, number) => [sample, number]));
  const chosen = chooseSamples(track, times, read, [entry]).map((sample) => numbers.get(sample) ?? 0);
  const frames = chosen.filter((number) => number >= first.number).map((number) => stream.pictures[number]!.frame);
  return {
    seconds: times.map((time) => time - clockStart),
    frames: frames.sort((one, other) => one - other),
  };
}

function toEntry(
  { first, before, needed }: Candidate,
  stream: Stream,
  samplesOf: (picture: CodedPicture) => Uint8Array,
): EntryPoint {
  const maxNumber = 2 ** stream.sequence.frameNumberBits;
  const pictures = before.map(({ picture, removed }, index) => {
    const distance = (other: CodedPicture) => (picture.frameNumber - other.frameNumber + maxNumber) % maxNumber;
    const place = { ...picture, removed: removed?.map(distance) };
    const unit = needed.has(picture) ? rawPicture(samplesOf(picture), place, stream) : grayPicture(place, stream);
    const units = index === 0 ? [rawPictureSettings(stream), recoveryPoint, unit] : [unit];
    return { sample: picture.number, content: joinUnits(units, stream.lengthBytes) };
  });
  return { sample: first.number, pictures: () => pictures };
}

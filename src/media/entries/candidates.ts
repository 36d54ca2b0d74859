import { bytesOfPicture } from "../h264/raw-picture.ts";
import { type DecodingStep, decodingSteps, isReference, referredBy } from "./references.ts";
import type { CodedPicture, Stream } from "./stream.ts";

/** A place where decoding may begin. */
export type Candidate = {
  readonly first: CodedPicture;
  /** Reference pictures to decode before it, in decoding order, and those that go when each comes. */
  readonly before: readonly { readonly picture: CodedPicture; readonly removed: readonly CodedPicture[] | undefined }[];
  /** Those of them that later pictures are predicted from. */
  readonly needed: ReadonlySet<CodedPicture>;
  /** The pictures from the first one on, in decoding order, that may depend on those before. */
  readonly dependent: readonly CodedPicture[];
};

/** Before compression, which makes at least a third less of them. */
const maxBytesPerSecond = 5 * 2 ** 20;
const maxBytes = 96 * 2 ** 20;
const maxEntries = 16;
const minSpacingSeconds = 1;
/** GOPs of this length or less decode fast enough. */
const minGopSeconds = 2.5;
const maxNeeded = 4;
const maxBefore = 64;

/**
 * The time to decode a picture, in bytes: of 10 Mbit and of 30 pictures of HD, one core decodes each in about 0.15 s.
 */
const workOf = (picture: CodedPicture, { sequence }: Stream): number =>
  isReference(picture) ? picture.bytes + bytesOfPicture(sequence) / 50 : 0;

/** Places of equal distance, counted in work: nearly all of it is to decode reference pictures. */
export function chooseCandidates(stream: Stream, minWork: number): readonly Candidate[] {
  const chosen: Candidate[] = [];
  const pictureBytes = bytesOfPicture(stream.sequence);
  let bytesLeft = maxBytes;
  for (const gop of splitGops(stream.pictures)) {
    const seconds = durationOf(gop);
    const possible = seconds > minGopSeconds ? candidatesIn(gop, stream) : [];
    const typical = possible[possible.length >> 1];
    if (!typical) continue;
    const work = gop.map((picture) => workOf(picture, stream));
    const entryBytes = typical.needed.size * pictureBytes;
    const affordable = Math.floor(Math.min(bytesLeft, seconds * maxBytesPerSecond) / entryBytes);
    const useful = Math.min(Math.floor(seconds / minSpacingSeconds), Math.round(sum(work) / minWork)) - 1;
    const spread = spreadOver({ gop, work, possible }, Math.min(affordable, useful, maxEntries - chosen.length));
    bytesLeft -= spread.reduce((sum, { needed }) => sum + needed.size * pictureBytes, 0);
    chosen.push(...spread);
  }
  return chosen;
}

function splitGops(pictures: readonly CodedPicture[]): readonly (readonly CodedPicture[])[] {
  const starts = pictures.flatMap(({ isIdr }, number) => (isIdr ? [number] : []));
  return starts.map((start, index) => pictures.slice(start, starts[index + 1]));
}

const durationOf = (gop: readonly CodedPicture[]): number => {
  const seconds = gop.map((picture) => picture.seconds);
  return Math.max(...seconds) - Math.min(...seconds);
};

/** One for each P picture that is shown after all that were decoded before. */
function candidatesIn(gop: readonly CodedPicture[], stream: Stream): readonly Candidate[] {
  const steps = decodingSteps(gop, stream);
  const references = steps.filter(({ picture }) => isReference(picture));
  let latest = Number.NEGATIVE_INFINITY;
  return steps.flatMap(({ picture }, index) => {
    const isLatest = picture.seconds > latest;
    latest = Math.max(latest, picture.seconds);
    if (!isLatest || !isReference(picture) || picture.kind !== "P") return [];
    return candidateAt(steps, references, index, stream) ?? [];
  });
}

function candidateAt(
  steps: readonly DecodingStep[],
  references: readonly DecodingStep[],
  index: number,
  stream: Stream,
): Candidate | undefined {
  const { picture: first, held } = steps[index]!;
  const later = steps.slice(index);
  const end = later.findIndex((step) => !step.held.some((picture) => held.includes(picture)));
  const dependent = end < 0 ? later : later.slice(0, end);
  const decoded = dependent.filter(({ picture }) => isReference(picture) || picture.seconds > first.seconds);
  const referred = decoded.flatMap((step) => referredBy(step, stream)).filter((picture) => held.includes(picture));
  const needed = new Set(referred);
  const before = decodedBefore(steps, references, index, stream);
  if (!before || needed.size === 0 || needed.size > maxNeeded) return undefined;
  return { first, before, needed, dependent: dependent.map(({ picture }) => picture) };
}

/**
 * All references from the first held one on, because a gap between frame numbers counts as lost pictures, and as many
 * before them as a decoder holds, so that pictures that ffmpeg puts in the place of earlier ones are gone.
 */
function decodedBefore(
  steps: readonly DecodingStep[],
  references: readonly DecodingStep[],
  index: number,
  { sequence }: Stream,
): Candidate["before"] | undefined {
  const { picture: first, held } = steps[index]!;
  const end = references.findIndex(({ picture }) => picture === first);
  const firstHeld = references.findIndex(({ picture }) => held.includes(picture));
  const start = firstHeld - sequence.references;
  if (start < 0 || end - start > maxBefore) return undefined;
  let kept: readonly CodedPicture[] = [];
  return references.slice(start, end).map(({ picture }, at) => {
    if (start + at < firstHeld) {
      kept = [...kept, picture];
      return { picture, removed: undefined };
    }
    const heldNext = references[start + at + 1]!.held;
    const removed = kept.filter((each) => !heldNext.includes(each));
    kept = [...kept.filter((each) => heldNext.includes(each)), picture];
    return { picture, removed: removed.length > 0 ? removed : undefined };
  });
}

type Choice = {
  readonly gop: readonly CodedPicture[];
  /** Of each picture. */
  readonly work: readonly number[];
  readonly possible: readonly Candidate[];
};

function spreadOver({ gop, work, possible }: Choice, count: number): readonly Candidate[] {
  const total = sum(work);
  let before = 0;
  let previousSeconds = gop[0]!.seconds;
  const spread: Candidate[] = [];
  for (const [index, picture] of gop.entries()) {
    const isDue = before >= ((spread.length + 1) * total) / (count + 1);
    const isFar = picture.seconds - previousSeconds >= minSpacingSeconds;
    const candidate = isDue && isFar ? possible.find(({ first }) => first === picture) : undefined;
    if (candidate && spread.length < count) {
      spread.push(candidate);
      previousSeconds = picture.seconds;
    }
    before += work[index]!;
  }
  return spread;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

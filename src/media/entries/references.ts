import type { ReferenceList } from "../h264/slice.ts";
import type { CodedPicture, Stream } from "./stream.ts";

/** A picture, and the reference pictures that a decoder holds before it, in decoding order: ITU-T H.264, 8.2.5. */
export type DecodingStep = { readonly picture: CodedPicture; readonly held: readonly CodedPicture[] };

export const isReference = ({ referenceLevel }: CodedPicture): boolean => referenceLevel > 0;

/** The steps of a GOP. Throws if it removes a picture that is not held. */
export function decodingSteps(gop: readonly CodedPicture[], { sequence }: Stream): readonly DecodingStep[] {
  let held: readonly CodedPicture[] = [];
  return gop.map((picture) => {
    const step = { picture, held };
    if (isReference(picture)) held = [...keptOf(held, picture, sequence), picture];
    return step;
  });
}

function keptOf(held: readonly CodedPicture[], picture: CodedPicture, sequence: Stream["sequence"]) {
  if (!picture.removed) return held.length < sequence.references ? held : held.slice(1);
  const maxNumber = 2 ** sequence.frameNumberBits;
  const numbers = picture.removed.map((difference) => (picture.frameNumber - difference + maxNumber) % maxNumber);
  const kept = held.filter(({ frameNumber }) => !numbers.includes(frameNumber));
  if (kept.length + numbers.length !== held.length || kept.length >= sequence.references)
    throw new Error("A picture removes others that are not there.");
  return kept;
}

/** The pictures that a picture may be predicted from: those in its lists, 8.2.4, without long-term references. */
export function referredBy({ picture, held }: DecodingStep, { sequence }: Stream): readonly CodedPicture[] {
  const maxNumber = 2 ** sequence.frameNumberBits;
  const [first = [], second = []] = usualLists(picture, held);
  const [firstList, secondList] = picture.lists;
  return [
    ...(firstList ? changed(first, firstList, picture.frameNumber, maxNumber) : []),
    ...(secondList ? changed(second, secondList, picture.frameNumber, maxNumber) : []),
  ];
}

function usualLists({ kind, seconds }: CodedPicture, held: readonly CodedPicture[]) {
  if (kind === "P") return [held.toReversed()];
  const byTime = held.toSorted((one, other) => one.seconds - other.seconds);
  const before = byTime.filter((picture) => picture.seconds < seconds).reverse();
  const after = byTime.filter((picture) => picture.seconds > seconds);
  const [first, second] = [
    [...before, ...after],
    [...after, ...before],
  ];
  const isSame = second.length > 1 && second.every((picture, index) => picture === first[index]);
  return [first, isSame ? [second[1]!, second[0]!, ...second.slice(2)] : second];
}

/** 8.2.4.3: each change moves a picture to the front of the rest. */
function changed(
  usual: readonly CodedPicture[],
  { length, changes }: ReferenceList,
  frameNumber: number,
  maxNumber: number,
): readonly CodedPicture[] {
  let list = usual;
  let number = frameNumber;
  for (const [index, difference] of changes.entries()) {
    number = (number + difference + maxNumber) % maxNumber;
    const moved = usual.find((picture) => picture.frameNumber === number);
    if (!moved) throw new Error("A picture refers to one that is not there.");
    list = [...list.slice(0, index), moved, ...list.slice(index).filter((picture) => picture !== moved)];
  }
  return list.slice(0, length);
}

import { type CameraMove, cameraMoves } from "../../domain/ai/generation/local-generator.ts";

/** Said outright first; then the words that only hint at it. */
const wordsOf: readonly { readonly move: CameraMove; readonly said: RegExp; readonly hinted: RegExp }[] = [
  {
    move: "push_in",
    said: /\b(push(es|ing)?[ -]?in|zoom(s|ing)?[ -]?in|doll(y|ies|ying)[ -]?in|mov(e|es|ing) (in|closer)|track(s|ing)? in)\b/i,
    hinted: /\b(closer|forward|approach(es|ing)?|toward)\b/i,
  },
  {
    move: "pull_out",
    said: /\b(pull(s|ing)?[ -]?(out|back)|zoom(s|ing)?[ -]?out|doll(y|ies|ying)[ -]?(out|back)|mov(e|es|ing) (back|away)|back(s|ing)? away)\b/i,
    hinted: /\b(reveal(s|ing)?|wider|away|retreat(s|ing)?)\b/i,
  },
  {
    move: "pan_left",
    said: /\b(pan(s|ning)?|track(s|ing)?|slid(e|es|ing)|truck(s|ing)?|mov(e|es|ing))( \w+){0,3}? (to the )?left\b/i,
    hinted: /\bleft(ward)?\b/i,
  },
  {
    move: "pan_right",
    said: /\b(pan(s|ning)?|track(s|ing)?|slid(e|es|ing)|truck(s|ing)?|mov(e|es|ing))( \w+){0,3}? (to the )?right\b/i,
    hinted: /\b(right(ward)?|sideways|pan(s|ning)?)\b/i,
  },
  {
    move: "tilt_up",
    said: /\b(tilt(s|ing)?|cran(e|es|ing)|pedestal|boom|ris(e|es|ing)|mov(e|es|ing))( \w+){0,3}? up(ward)?\b/i,
    hinted: /\b(upward|ris(e|es|ing)|tilt(s|ing)?)\b/i,
  },
  {
    move: "tilt_down",
    said: /\b(tilt(s|ing)?|cran(e|es|ing)|pedestal|boom|lower(s|ing)?|mov(e|es|ing))( \w+){0,3}? down(ward)?\b/i,
    hinted: /\b(downward|lower(s|ing)?|descend(s|ing)?)\b/i,
  },
];

/** The camera move that a text asks for: the first it says outright, else the first it hints at. */
export function moveSaidIn(text: string): CameraMove | undefined {
  const words = text.replace(acrossTo, (_, side: string) => `to the ${side}`);
  return firstOf(words, "said") ?? firstOf(words, "hinted");
}

/** Of two sides that are named together the second is where the camera goes. */
const acrossTo = /\b(?:from )?(?:the )?(?:left|right) to (?:the )?(left|right)\b/gi;

/** The same; a text that says nothing of it gets one of its own, always the same. */
export const moveFor = (text: string): CameraMove =>
  // safe because the remainder of a division by its length is one of its indexes
  moveSaidIn(text) ?? cameraMoves[Number(Bun.hash(text) % BigInt(cameraMoves.length))]!;

function firstOf(text: string, kind: "said" | "hinted"): CameraMove | undefined {
  const found = wordsOf.flatMap(({ move, [kind]: words }) => {
    const at = text.search(words);
    return at < 0 ? [] : [{ move, at }];
  });
  return found.toSorted((one, other) => one.at - other.at)[0]?.move;
}

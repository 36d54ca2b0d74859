import { type CameraMove, cameraMoves } from "../../../domain/ai/generation/local-generator.ts";

/** `explicit` patterns name the move; `implied` ones only suggest it. */
const movePatterns: readonly { readonly move: CameraMove; readonly explicit: RegExp; readonly implied: RegExp }[] = [
  {
    move: "push_in",
    explicit:
      /\b(push(es|ing)?[ -]?in|zoom(s|ing)?[ -]?in|doll(y|ies|ying)[ -]?in|mov(e|es|ing) (in|closer)|track(s|ing)? in)\b/i,
    implied: /\b(closer|forward|approach(es|ing)?|toward)\b/i,
  },
  {
    move: "pull_out",
    explicit:
      /\b(pull(s|ing)?[ -]?(out|back)|zoom(s|ing)?[ -]?out|doll(y|ies|ying)[ -]?(out|back)|mov(e|es|ing) (back|away)|back(s|ing)? away)\b/i,
    implied: /\b(reveal(s|ing)?|wider|away|retreat(s|ing)?)\b/i,
  },
  {
    move: "pan_left",
    explicit: /\b(pan(s|ning)?|track(s|ing)?|slid(e|es|ing)|truck(s|ing)?|mov(e|es|ing))( \w+){0,3}? (to the )?left\b/i,
    implied: /\bleft(ward)?\b/i,
  },
  {
    move: "pan_right",
    explicit:
      /\b(pan(s|ning)?|track(s|ing)?|slid(e|es|ing)|truck(s|ing)?|mov(e|es|ing))( \w+){0,3}? (to the )?right\b/i,
    implied: /\b(right(ward)?|sideways|pan(s|ning)?)\b/i,
  },
  {
    move: "tilt_up",
    explicit: /\b(tilt(s|ing)?|cran(e|es|ing)|pedestal|boom|ris(e|es|ing)|mov(e|es|ing))( \w+){0,3}? up(ward)?\b/i,
    implied: /\b(upward|ris(e|es|ing)|tilt(s|ing)?)\b/i,
  },
  {
    move: "tilt_down",
    explicit: /\b(tilt(s|ing)?|cran(e|es|ing)|pedestal|boom|lower(s|ing)?|mov(e|es|ing))( \w+){0,3}? down(ward)?\b/i,
    implied: /\b(downward|lower(s|ing)?|descend(s|ing)?)\b/i,
  },
];

/** The first camera move that a text names, else the first that it implies. */
export function findCameraMove(text: string): CameraMove | undefined {
  const normalized = text.replace(sideToSide, (_, side: string) => `to the ${side}`);
  return firstMatch(normalized, "explicit") ?? firstMatch(normalized, "implied");
}

/** "from left to right": the second side is the direction. */
const sideToSide = /\b(?:from )?(?:the )?(?:left|right) to (?:the )?(left|right)\b/gi;

/** Falls back to a move by the text's hash, so that a text always gets the same one. */
export const chooseCameraMove = (text: string): CameraMove =>
  // safe because the remainder is one of the indexes
  findCameraMove(text) ?? cameraMoves[Number(Bun.hash(text) % BigInt(cameraMoves.length))]!;

function firstMatch(text: string, kind: "explicit" | "implied"): CameraMove | undefined {
  const matches = movePatterns.flatMap(({ move, [kind]: pattern }) => {
    const position = text.search(pattern);
    return position < 0 ? [] : [{ move, position }];
  });
  return matches.toSorted((first, second) => first.position - second.position)[0]?.move;
}

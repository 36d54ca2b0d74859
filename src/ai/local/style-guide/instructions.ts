import { isJoined, startsSentence } from "./clauses.ts";
import { isItem, itemFindings, wordCount } from "./items.ts";
import { consistsOf, type Part, type Reading, type Rule, type Sentence } from "./sentence.ts";
import type { Instruction } from "./templates.ts";
import { anyOf, wholeWord } from "./vocabulary.ts";

const finiteVerb = wholeWord(anyOf("finite"));
const notAboutStyle = wholeWord(anyOf("notStyle"));
const toneWord = wholeWord(anyOf("tones"), "giu");
const limit = wholeWord(anyOf("limits"));

/** Reads "always show …", "never …", "no …" and their like, with all items of the list that belongs to each. */
export const instructionRule: Rule = (sentence, open) => {
  const isOpen = new Set(open);
  const readings: Reading[] = [];
  for (const part of open) {
    const instruction = isOpen.has(part) ? acceptedIn(sentence, part, readings.length > 0) : undefined;
    const reading = instruction && readList(sentence, part, instruction, isOpen);
    if (!reading || reading.findings.length === 0) continue;
    readings.push(reading);
    for (const used of reading.used) isOpen.delete(used);
  }
  return {
    findings: readings.flatMap(({ findings }) => findings),
    used: readings.flatMap(({ used }) => used),
  };
};

/** A weak instruction, such as "no …", may also be a promise to customers. */
function acceptedIn(
  { findInstruction, isAboutStyle }: Sentence,
  part: Part,
  followsAnother: boolean,
): Instruction | undefined {
  const instruction = findInstruction(part.text);
  if (!instruction?.isWeak) return instruction;
  const { object, kind, isPostfix } = instruction;
  const isClaim = kind === "include" && consistsOf(object, toneWord);
  const isPromise = isClaim || notAboutStyle.test(object) || finiteVerb.test(object);
  const isInPlace = followsAnother || startsSentence(part) || part.isFragment || isAboutStyle;
  // "irony not", but not "the camera moves not"
  const isAccepted = isPostfix ? wordCount(object) <= 2 : isInPlace;
  return isAccepted && !isPromise ? instruction : undefined;
}

function readList(
  sentence: Sentence,
  part: Part,
  { kind, object, isPostfix }: Instruction,
  isOpen: ReadonlySet<Part>,
): Reading {
  const before = isPostfix ? itemsBefore(sentence, part, isOpen) : [];
  const after = isPostfix || limit.test(object) ? [] : itemsAfter(sentence, part, isOpen);
  // "avoid three things: neon, smoke"
  const objects = after[0]?.joint === "colon" ? [] : [object];
  const items = [...before.map(({ text }) => text), ...objects, ...after.map(({ text }) => text)];
  return { findings: itemFindings(kind, items), used: [...before, part, ...after] };
}

/** The items that follow an instruction, up to the next clause that is none. */
function itemsAfter(sentence: Sentence, part: Part, isOpen: ReadonlySet<Part>): readonly Part[] {
  const following = sentence.parts.slice(part.index + 1);
  const isColonList = following[0]?.joint === "colon";
  const isInList = ({ joint }: Part, position: number) =>
    joint === "comma"
      ? startsSentence(part) || isColonList
      : joint === "and" || joint === "or" || (isColonList && !position);
  const end = following.findIndex(
    (next, position) =>
      !isInList(next, position) || !isOpen.has(next) || !isItem(next.text) || sentence.findInstruction(next.text),
  );
  return end < 0 ? following : following.slice(0, end);
}

const maxWordsBefore = 4;

/** The items before the last one of a list whose verb comes at its end. */
function itemsBefore(sentence: Sentence, part: Part, isOpen: ReadonlySet<Part>): readonly Part[] {
  if (!isJoined(part)) return [];
  const preceding = sentence.parts.slice(0, part.index).toReversed();
  const list = preceding.slice(0, preceding.findIndex((other) => !isJoined(other)) + 1);
  const areItems = list.every(
    (other) =>
      isOpen.has(other) &&
      isItem(other.text) &&
      wordCount(other.text) <= maxWordsBefore &&
      !sentence.findInstruction(other.text),
  );
  return areItems ? list.toReversed() : [];
}

import { cleanText, sentencesOf } from "../../domain/shared/texts.ts";

/** What a frame says of itself: a name for its framing, if the prompt begins with one, and what it shows. */
export type FrameWords = { readonly label: string; readonly caption: string };

/** No place holds more, and measuring a text costs with its length. */
const mostCharacters = 1000;

/** Of a prompt that goes on about light and lenses, the first sentences say what is seen. */
const enoughCharacters = 110;

export function wordsOf(prompt: string): FrameWords {
  const text = cleanText(prompt, mostCharacters);
  const [, label = "", rest = ""] = /^([^:.!?。：]{2,32}): (\S.*)$/u.exec(text) ?? [];
  const isNamed = label !== "" && label.split(" ").length <= 6;
  const caption = firstSentences(isNamed ? rest : text);
  return { label: isNamed ? label : "", caption: inItsDirection(upperFirst(caption)) };
}

function firstSentences(text: string): string {
  const [first = text, ...others] = sentencesOf(text);
  let caption = first;
  for (const sentence of others) {
    if (caption.length + sentence.length > enoughCharacters) break;
    caption += ` ${sentence}`;
  }
  return caption;
}

const upperFirst = (text: string): string => text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());

/** A sentence that merely begins with a name from right to left is read from left to right. */
function inItsDirection(text: string): string {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const backward = text.match(/[\p{sc=Arabic}\p{sc=Hebrew}]/gu)?.length ?? 0;
  return backward > 0 && backward < letters / 2 ? `\u200e${text}` : text;
}

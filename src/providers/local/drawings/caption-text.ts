import { capitalize, cleanText, sentencesOf } from "../../../platform/texts.ts";

/** The label is the framing, if the prompt begins with one; the caption describes the image. */
export type CaptionText = { readonly label: string; readonly caption: string };

/** No frame has room for more, and measuring time grows with the length of a text. */
const maxPromptCharacters = 1000;

/** Later sentences of a prompt are about light and lenses. */
const maxCaptionCharacters = 110;

export function captionText(prompt: string): CaptionText {
  const text = cleanText(prompt, maxPromptCharacters);
  const [, prefix = "", rest = ""] = /^([^:.!?。：]{2,32}): (\S.*)$/u.exec(text) ?? [];
  const isLabel = prefix !== "" && prefix.split(" ").length <= 6;
  const caption = firstSentences(isLabel ? rest : text);
  return { label: isLabel ? prefix : "", caption: withDirection(capitalize(caption)) };
}

const writing = /^(any )?(writing|texts?|words|letters|lettering|captions?|typography)$/i;

/** True if a negative prompt, a list with commas, excludes text from the image. */
export const forbidsText = (avoid: string): boolean => avoid.split(",").some((item) => writing.test(item.trim()));

/** The first sentence, and further ones that fit. */
function firstSentences(text: string): string {
  const [first = text, ...others] = sentencesOf(text);
  let caption = first;
  for (const sentence of others) {
    if (caption.length + sentence.length > maxCaptionCharacters) break;
    caption += ` ${sentence}`;
  }
  return caption;
}

/** Keeps a left-to-right sentence that merely begins with a right-to-left name left to right. */
function withDirection(text: string): string {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const rightToLeft = text.match(/[\p{sc=Arabic}\p{sc=Hebrew}]/gu)?.length ?? 0;
  return rightToLeft > 0 && rightToLeft < letters / 2 ? `\u200e${text}` : text;
}

import type { TextContent, TextSpan } from "../../../../engine/timeline/overlay.ts";
import { withoutUndefined } from "../../../../platform/values.ts";
import type { TextRequest } from "../layers/overlays.ts";
import { wordsOf } from "../layers/refinements.ts";
import type { letterCases, SpanRequest } from "../layers/text-fields.ts";
import { parsedColor } from "./fills.ts";

type Words = Pick<TextContent, "text" | "spans">;

type LetterCase = (typeof letterCases)[number];

/** The words of a text in the letters that it shows. */
export function shownWords(text: Pick<TextRequest, "text" | "spans" | "case">, language: string | undefined): Words {
  const { case: letters, spans } = text;
  const show = letters ? casing(letters, language) : (part: string) => part;
  if (!spans) return { text: show(wordsOf(text)) };
  const shown = spans.map((span) => spanOf(span, show(span.text)));
  return { text: shown.map((span) => span.text).join(""), spans: shown };
}

const spanOf = ({ color, background, ...span }: SpanRequest, text: string): TextSpan => ({
  ...withoutUndefined(span),
  text,
  ...(color !== undefined && { color: parsedColor(color) }),
  ...(background !== undefined && { background: parsedColor(background) }),
});

/** Converts the parts of a text one after another, because a word may begin in an earlier part. */
function casing(letters: LetterCase, language: string | undefined): (part: string) => string {
  if (letters === "upper") return (part) => part.toLocaleUpperCase(language);
  if (letters === "lower") return (part) => part.toLocaleLowerCase(language);
  let isInWord = false;
  return (part) =>
    part.replace(/[\p{L}\p{M}\p{N}'’]+|[^\p{L}\p{M}\p{N}'’]+/gu, (run) => {
      const isWord = /^[\p{L}\p{M}\p{N}'’]/u.test(run);
      const continues = isInWord;
      isInWord = isWord;
      return isWord && !continues ? capitalized(run, language) : run;
    });
}

function capitalized(word: string, language: string | undefined): string {
  // a Dutch ij is one letter
  const letter = /^nl\b/i.test(language ?? "") ? /^['’]?(ij|.)/isu : /^['’]?./su;
  const [first = ""] = word.match(letter) ?? [];
  return first.toLocaleUpperCase(language) + word.slice(first.length);
}

import { cleanLines } from "../../../platform/texts.ts";
import type { LanguageModel, Prompt } from "../models.ts";
import { textName } from "../output-schemas.ts";
import type { ProviderCall } from "../provider-calls.ts";
import { joinSections, untrustedBlock, untrustedRule } from "../untrusted-text.ts";

const instructions = `You translate the words of short marketing videos: titles, prices, claims, calls to action and spoken lines. Native speakers shall take them for the original.
- Translate each text by itself, and answer it under its own name.
- Keep {{placeholders}} exactly as they are, each as often as it occurs, at the place where the sentence of the other language needs it.
- Keep every line break: a text of two lines becomes one of two lines.
- Keep numbers, prices, units, addresses and names of products and brands. Invent nothing, add nothing, leave nothing out.
- Stay as short as the original: the words have to fit into the same place of a picture.
- A text that is in the wanted language already stays as it is. No quotation marks, notes or alternatives around a text.`;

const languageNames = new Intl.DisplayNames("en", { type: "language" });

/** One request for many texts. */
function translationPrompt(language: string, texts: readonly string[]): Prompt {
  const name = languageNames.of(language) ?? language;
  return {
    system: joinSections(instructions, untrustedRule),
    message: joinSections(
      `Translate each text into ${name} (${language}).`,
      ...texts.map((text, at) => untrustedBlock(textName(at), text)),
    ),
  };
}

/** False for prices, numbers, and texts that consist of placeholders. */
export const hasWords = (text: string): boolean => /\p{L}/u.test(text.replace(/\{\{[^{}]*\}\}/g, ""));

const placeholdersIn = (text: string): string => [...text.matchAll(/\{\{[^{}]*\}\}/g)].map(String).sort().join();

const linesIn = (text: string): number => text.split("\n").length;

/** Some languages need more words, but unlimited texts are not translations. */
const maxLength = ({ length }: string): number => 200 + 4 * length;

/** True if the placeholders and the number of lines match. */
function isTranslation(text: string, translation: string): boolean {
  const clean = cleanLines(text);
  return (
    translation !== "" &&
    translation.length <= maxLength(clean) &&
    placeholdersIn(translation) === placeholdersIn(clean) &&
    linesIn(translation) === linesIn(clean)
  );
}

/** Translates texts in one paid call. Null for a text whose translation is unusable. */
export async function translateTexts(
  translate: NonNullable<LanguageModel["translate"]>,
  call: ProviderCall,
  { language, texts }: { readonly language: string; readonly texts: readonly string[] },
): Promise<readonly (string | null)[]> {
  const answers = await translate({ prompt: translationPrompt(language, texts), count: texts.length }, call);
  return texts.map((text, at) => {
    const answer = cleanLines(answers[at] ?? "");
    return isTranslation(text, answer) ? answer : null;
  });
}

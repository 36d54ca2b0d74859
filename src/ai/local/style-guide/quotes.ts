import { runsOf } from "./clauses.ts";
import type { Finding, Part, Rule, Sentence } from "./sentence.ts";
import { anyOf, wholeWord } from "./vocabulary.ts";

const cameraWord = wholeWord(anyOf("camera"));
const voiceWord = wholeWord(anyOf("voice"));
const notVoice = wholeWord(anyOf("notVoice"), "giu");

/** Quotes what a sentence says about the camera: the clauses around its word that no other rule has used. */
export const cameraRule: Rule = (sentence, open) => {
  const run = runsOf(open).find((parts) => parts.some(({ text }) => cameraWord.test(text)));
  if (!run) return { findings: [], used: [] };
  return { findings: [{ field: "camera", value: quoteOf(sentence, run) }], used: run };
};

/** Quotes a sentence about how the brand speaks. */
export const voiceRule: Rule = ({ text }, open) => {
  const isAboutVoice = open.some((part) => voiceWord.test(part.text.replace(notVoice, "")));
  const findings: readonly Finding[] = isAboutVoice ? [{ field: "voice", value: text.trim() }] : [];
  return { findings, used: isAboutVoice ? open : [] };
};

/** With the punctuation mark that ends the sentence, if the clauses do. */
function quoteOf({ text, parts }: Sentence, run: readonly Part[]): string {
  const last = run.at(-1)!;
  return text.slice(run[0]!.start, last.index === parts.at(-1)!.index ? undefined : last.end).trim();
}

import content from "./content/languages.json" with { type: "json" };
import { anyOf } from "./content.ts";

/** Screen texts that suit any product; `{name}` stands for its name. */
export type Phrases = {
  readonly hook: string;
  /** Spoken only, as `detail` is. */
  readonly context: string;
  readonly product: string;
  readonly benefit: string;
  readonly detail: string;
  readonly action: string;
  readonly actionWithoutName: string;
  /** The call of the end card for a film whose brief has none. */
  readonly call: string;
};

type Language = {
  /** Codes, and names in this and other languages. */
  readonly names: string;
  /** Unicode scripts that no other language of the file uses. */
  readonly scripts?: readonly string[];
  /** Words that distinguish the language from others in the Latin script. */
  readonly functionWords?: string;
  readonly phrases: Phrases;
};

const languages: Readonly<Record<string, Language>> = content;

const patterns = Object.entries(languages).map(([code, { names, scripts, functionWords }]) => ({
  code,
  name: new RegExp(`^${anyOf(names)}(?!\\p{L})`, "iu"),
  script: scripts && new RegExp(`[${scripts.map((script) => `\\p{Script=${script}}`).join("")}]`, "u"),
  functionWord:
    functionWords === undefined
      ? undefined
      : new RegExp(`(?<![\\p{L}\\p{N}])${anyOf(functionWords)}(?![\\p{L}\\p{N}])`, "giu"),
}));

/** The two-letter code of a language given by name or tag; undefined if the file does not contain it. */
export const parseLanguage = (name: string): string | undefined =>
  patterns.find((language) => language.name.test(name.trim().normalize("NFC")))?.code;

/** Detects the language of a text by its script, else by its function words. */
export function detectLanguage(text: string): string | undefined {
  const byScript = patterns.find(({ script }) => script?.test(text));
  if (byScript) return byScript.code;
  const counts = patterns.map((language) => ({ code: language.code, count: functionWordsIn(text, language) }));
  const best = counts.reduce((most, language) => (language.count > most.count ? language : most));
  return best.count > 0 ? best.code : undefined;
}

const functionWordsIn = (text: string, { functionWord }: (typeof patterns)[number]): number =>
  functionWord ? (text.match(functionWord)?.length ?? 0) : 0;

/** True if a text is in another language than this one. If two are equally likely, either may apply. */
export function isInAnother(text: string, code: string): boolean {
  const [detected, wanted] = [detectLanguage(text), code].map((known) => patterns.find((each) => each.code === known));
  if (!detected || !wanted || detected === wanted) return false;
  return detected.script !== undefined || functionWordsIn(text, detected) > functionWordsIn(text, wanted);
}

export const phrasesIn = (code: string): Phrases | undefined => languages[code]?.phrases;

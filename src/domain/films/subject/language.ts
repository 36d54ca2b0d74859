import { folded } from "./stem.ts";

/** Function words that tell languages in the Latin script apart, in the order in which equal counts are decided. */
const functionWords: Readonly<Record<string, string>> = {
  en: "the a an and of for with in that our your is are from by we to on it you all at",
  de: "der die das und für mit ein eine einen im von aus wir ist auf zum zur den dem des nicht ohne aller bei hält in",
  fr: "le la les des du et pour avec une un dans de qui nos vos sur est sans votre notre chez au aux à en",
  es: "el la los las y para con una un de del en que nuestro nuestra sin su por hecho hecha se al",
  it: "il la lo gli e per con una un di del della in che nostro nostra senza i le dei fatto fatti fatta fatte da a al",
  pt: "o a os as e para com uma um de do da em que nosso nossa sem feito feita no na dos das",
  nl: "de het een en voor met van in die onze uw zonder is op uit bij je jouw te",
  sv: "och för med en ett av i som vår din utan är på från till det den de",
  nb: "og for med en et av i som vår din uten er på fra til det den de",
  da: "og til med en et af i som vores din uden er på fra for det den de",
  pl: "i dla z w na do oraz nasz nasza bez jest od ze się które który",
  cs: "a pro s v na do z naše náš bez je od ze se které který",
  ro: "și pentru cu un o din de la în care noastre fără este al ale",
  fi: "ja varten kanssa on joka meidän ilman sekä",
  hu: "és a az egy számára nélkül van hogy mi",
  tr: "ve için ile bir bu olan bizim",
  vi: "và cho với của một những các không ở",
  id: "dan untuk dengan dari yang di kami tanpa ini",
};

const scripts: readonly (readonly [RegExp, string])[] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, "ja"],
  [/\p{Script=Hangul}/u, "ko"],
  [/\p{Script=Han}/u, "zh"],
  [/[іїєґ]/iu, "uk"],
  [/\p{Script=Cyrillic}/u, "ru"],
  [/\p{Script=Arabic}/u, "ar"],
  [/\p{Script=Hebrew}/u, "he"],
  [/\p{Script=Devanagari}/u, "hi"],
  [/\p{Script=Bengali}/u, "bn"],
  [/\p{Script=Thai}/u, "th"],
  [/\p{Script=Greek}/u, "el"],
];

/** Languages in the Latin script, as they are tried when a text has no function word. */
export const latinLanguages: readonly string[] = Object.keys(functionWords);

export const subjectLanguages: readonly string[] = [...latinLanguages, ...scripts.map(([, language]) => language)];

/** Letters that few other languages have. */
const ownLetters: readonly (readonly [RegExp, string])[] = [
  [/[ăđơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]/iu, "vi"],
  [/[ąęłńśźż]/iu, "pl"],
  [/[řůě]/iu, "cs"],
  [/[ğış]/u, "tr"],
  [/[țș]/iu, "ro"],
  [/[őű]/iu, "hu"],
  [/[ñ¿¡]/iu, "es"],
  [/[ãõ]/iu, "pt"],
  [/ß/u, "de"],
  [/[æø]/iu, "nb"],
];

const sets = new Map(Object.entries(functionWords).map(([language, words]) => [language, new Set(words.split(" "))]));

const foldedSets = new Map(
  [...sets].map(([language, words]) => [language, new Set([...words].map((word) => folded(word, language)))]),
);

/** True for a folded word that names nothing. */
export const isFunctionWord = (word: string, language: string): boolean => foldedSets.get(language)?.has(word) ?? false;

const sameWords: Readonly<Record<string, string>> = { no: "nb", nn: "nb", iw: "he", in: "id" };

/** The language of a tag such as `pt-BR` if there are words of it. */
export function languageOfTag(tag: string): string | undefined {
  const base = tag.trim().toLowerCase().split(/[-_]/u)[0]!;
  const language = sameWords[base] ?? base;
  return subjectLanguages.includes(language) ? language : undefined;
}

/** The languages that a text may be in, by its script, else by its function words; none if it has none of these. */
export function languagesOfText(text: string): readonly string[] {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const others = text.match(/[^\P{L}\p{Script=Latin}]/gu)?.length ?? 0;
  // names in the Latin script stand in texts of all scripts
  if (others * 4 > letters)
    return scripts
      .filter(([script]) => script.test(text))
      .map(([, language]) => language)
      .slice(0, 1);
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const letter = ownLetters.find(([own]) => own.test(text))?.[1];
  const counts = [...sets].map(([language, set]) => ({
    language,
    count: words.filter((word) => set.has(word)).length + (language === letter ? 1.5 : 0),
  }));
  const most = Math.max(...counts.map(({ count }) => count));
  return most > 0 ? counts.filter(({ count }) => count === most).map(({ language }) => language) : [];
}

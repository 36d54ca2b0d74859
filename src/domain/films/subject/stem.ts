/** Scripts whose marks are ornaments or accents; in all others a mark is part of the letter. */
const foldedScript = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}]/u;

/** Letters that have no decomposition. */
const plainLetters: Readonly<Record<string, string>> = {
  ...{ ß: "ss", ø: "o", æ: "ae", œ: "oe", ł: "l", đ: "d", ı: "i" },
  ...{ ى: "ي", ة: "ه", ٱ: "ا", ـ: "", "‎": "", "‏": "" },
};

/** A word in the spelling that words are compared in. */
export function folded(word: string, language: string): string {
  const lower = word.normalize("NFKC").toLocaleLowerCase(language);
  // a tone is another word
  if (language === "vi" || !foldedScript.test(lower)) return lower;
  return lower
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .normalize("NFC")
    .replace(/[ßøæœłđıىةٱـ‎‏]/gu, (letter) => plainLetters[letter] ?? letter);
}

/** Endings of each language that a word loses, the first that fits; at least `left` letters remain. */
type Endings = {
  readonly left: number;
  readonly endings: RegExp;
  readonly starts?: RegExp;
  readonly isRepeated?: boolean;
};

const slavicLatin = /(?:ami|ach|ech|ami|ovi|ow|om|em|ie|ou|um|ym|ej|ych|[aeiouy])$/u;
const cyrillic =
  /(?:иями|ями|ами|иях|ях|ах|ого|ему|ому|ыми|ими|ией|ой|ей|ом|ем|ам|ям|ов|ев|ів|ою|ею|ый|ии|ая|яя|ое|ые|ие|ій|[аяыиіїуюеоьй])$/u;

const scandinavian: Endings = { left: 3, endings: /(?:arna|erna|orna|erne|ene|ene?s|ar|er|or|en|et|na|n|a|e|r)$/u };

/** What a language does to the ends of its nouns. Those without a row are compared as they are. */
const rows: Readonly<Record<string, Endings>> = {
  de: {
    left: 3,
    endings: /(?:ern|en|er|es|em|e|(?<=[elr])n|(?<=[aoiy]\p{L}*[aoiy])s|(?<=(?:ung|heit|keit|schaft|ion))s)$/u,
  },
  nl: { left: 3, endings: /(?:en|jes|je|'?s|e)$/u },
  sv: scandinavian,
  da: scandinavian,
  nb: scandinavian,
  fr: { left: 3, endings: /[sx]$/u },
  es: { left: 3, endings: /(?:(?<=[^aeiou])es|s)$/u },
  pt: { left: 3, endings: /(?:(?<=[^aeiou])es|s)$/u },
  it: { left: 3, endings: /[aeio]$/u },
  ro: { left: 3, endings: /(?:urile|urilor|elor|ilor|ului|ele|ile|uri|ul|ei|le|[aeiu])$/u },
  pl: { left: 3, endings: slavicLatin },
  cs: { left: 3, endings: slavicLatin },
  ru: { left: 3, endings: cyrillic },
  uk: { left: 3, endings: cyrillic },
  el: { left: 3, endings: /(?:ους|ων|ος|ας|ης|ες|οι|ου|[αηοιυε])$/u },
  tr: { left: 3, endings: /(?:l[ae]r|[nsy]?[iu]|[iu]n|[iu]m(?:[iu]z)?|n[iu]n|[dt][ae]n?|y?l[ae])$/u, isRepeated: true },
  fi: { left: 3, endings: /(?:issa|issä|ista|istä|ssa|sta|lla|lta|lle|ksi|jen|ien|ia|ja|it|in|n|a|t)$/u },
  hu: {
    left: 3,
    endings: /(?:okat|eket|akat|okbol|ekbol|bol|nak|nek|val|vel|ban|ben|hoz|hez|ok|ek|ak|at|et|ot|k|t)$/u,
  },
  ar: { left: 2, starts: /^(?:وال|بال|فال|كال|لل|ال)(?=\p{L}{2})/u, endings: /(?:ات|ين|ون|يه|ه)$/u },
  he: { left: 2, starts: /^(?:וה|[הול](?=\p{L}{3}))(?=\p{L}{2})/u, endings: /(?:ים|ות)$/u },
  hi: { left: 2, endings: /(?:ियों|ियाँ|ियां|ओं|ाओं|ों|ें|े|ी|ा)$/u },
  bn: { left: 2, endings: /(?:গুলি|গুলো|ের|টি|টা|কে|র|ে)$/u },
  ko: { left: 2, endings: /(?:들)?(?:으로|에서|을|를|은|는|의|와|과|로|이|가|도|만)$/u },
  id: { left: 3, endings: /(?:nya|lah)$/u },
};

function english(word: string): string {
  if (word.length < 4 || /(?:ss|us|is)$/u.test(word)) return word;
  if (/ies$/u.test(word)) return word.length > 4 ? `${word.slice(0, -3)}y` : word.slice(0, -1);
  if (/(?:s|x|z|ch|sh)es$/u.test(word)) return word.slice(0, -2);
  return word.replace(/s$/u, "");
}

const consonants: Readonly<Record<string, string>> = { ğ: "k", g: "k", b: "p", d: "t", c: "ç" };

/** A folded word without its ending. */
export function stem(word: string, language: string): string {
  if (language === "en") return english(word);
  const row = rows[language];
  if (!row) return word;
  let left = withoutEnding(row.starts ? word.replace(row.starts, "") : word, row);
  // endings of Turkish follow each other
  if (row.isRepeated) left = withoutEnding(withoutEnding(left, row), row);
  if (language === "tr") return left.replace(/[gbdc]$/u, (letter) => consonants[letter] ?? letter);
  return language === "nl"
    ? left
        .replace(/(\p{L})\1/gu, "$1")
        .replace(/v$/u, "f")
        .replace(/z$/u, "s")
    : left;
}

function withoutEnding(word: string, { endings, left }: Endings): string {
  const length = word.length - (endings.exec(word)?.[0].length ?? 0);
  return length >= left ? word.slice(0, length) : word;
}

/** Languages that write no spaces: several segments may be one word. */
export const isUnspaced = (language: string): boolean => ["ja", "zh", "th"].includes(language);

/** Languages whose compounds are one word, with the noun that counts at the end. */
export const joinsCompounds = (language: string): boolean =>
  ["de", "nl", "sv", "da", "nb", "fi", "hu"].includes(language);

/** Languages whose main noun stands before what describes it. */
export const isHeadFirst = (language: string): boolean =>
  ["fr", "es", "pt", "it", "ro", "ru", "uk", "pl", "cs", "el", "ar", "he", "vi", "id", "th"].includes(language);

export type Token = {
  readonly text: string;
  /** The folded word, and its stem. */
  readonly word: string;
  readonly stem: string;
  /** Punctuation stands before it. */
  readonly begins: boolean;
};

const segmenters = new Map<string, Intl.Segmenter>();

function segmenterOf(language: string): Intl.Segmenter {
  const segmenter = segmenters.get(language) ?? new Intl.Segmenter(language, { granularity: "word" });
  segmenters.set(language, segmenter);
  return segmenter;
}

/** The words of a text. */
export function tokensOf(text: string, language: string): readonly Token[] {
  const tokens: Token[] = [];
  let begins = true;
  for (const { segment, isWordLike } of segmenterOf(language).segment(text.normalize("NFKC"))) {
    if (!isWordLike) {
      // a hyphen and a quote join
      begins ||= /[^\s\p{Pd}'’"“”„«»&/®™]/u.test(segment);
      continue;
    }
    for (const part of segment.split(/['’]/u)) {
      if (!part) continue;
      const word = folded(part, language);
      tokens.push({ text: part, word, stem: stem(word, language), begins });
      begins = false;
    }
  }
  return tokens;
}

/** The key of a word or of several in the index. */
export const keyOf = (tokens: readonly Token[], language: string): string =>
  tokens.map((token) => token.stem).join(isUnspaced(language) ? "" : " ");

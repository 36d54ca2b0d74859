import { type Hit, type Reading, readSubjects } from "./hits.ts";
import { languageOfTag, languagesOfText, latinLanguages } from "./language.ts";
import type { Certainty, SubjectLibrary, SubjectWords } from "./library.ts";
import { type Token, tokensOf } from "./stem.ts";

/** The object that a film without photos shows. */
export type Subject = {
  /** Such as `bread`. */
  readonly id: string;
  /** A whole `<svg>` of 32 × 32. */
  readonly svg: string;
  /** The words of the brief that name it. */
  readonly words: string;
};

export type SubjectBrief = {
  readonly name: string;
  readonly description: string;
  /** A tag such as `pt-BR`; found from the text if undefined. */
  readonly language?: string | undefined;
};

/** The drawn subject of a brief; undefined if its words name none with certainty. */
export async function findSubject(brief: SubjectBrief, library: SubjectLibrary): Promise<Subject | undefined> {
  const best = await bestSubject(brief, library);
  if (!best) return;
  const svg = await library.svg(best.id);
  return svg === undefined ? undefined : { id: best.id, svg, words: best.words };
}

type Scored = { readonly id: string; readonly words: string; readonly score: number };

async function bestSubject(brief: SubjectBrief, library: SubjectLibrary): Promise<Scored | undefined> {
  const name = brief.name.slice(0, 200);
  const description = brief.description.slice(0, longestDescription);
  const tagged = languageOfTag(brief.language ?? "");
  const languages = tagged ? [tagged] : languagesOfText(`${name} ${description}`);
  for (const language of languages) {
    const found = best(await allIn({ name, description }, [language], library));
    if (found) return found;
  }
  if (languages.includes("en")) return;
  // a product's name may be English in all languages; without function words, a text may be in any
  const isUnknown = languages.length === 0;
  const text = { name, description: isUnknown ? description : "" };
  const english = best(await allIn(text, ["en"], library));
  if (english && english.score >= certainties.name && (isUnknown || isLongWord(english))) return english;
  if (!isUnknown) return;
  const others = await allIn(text, latinLanguages.slice(1), library);
  return best(others.filter(isLongWord).filter(({ score }) => score >= certainties.name));
}

async function allIn(text: Text, languages: readonly string[], library: SubjectLibrary): Promise<readonly Scored[]> {
  const found: Scored[] = [];
  for (const language of languages) {
    const words = await library.words(language);
    if (words) found.push(...scoredIn(text, words, language));
  }
  return found;
}

/** Short words are other words in other languages. */
const isLongWord = ({ words }: Scored) => /\p{Script=Latin}/u.test(words) && words.length >= 5;

/** Characters that are read. */
const longestDescription = 1000;

/** Less is no subject: big type is better than a wrong picture. */
const leastScore = 1.5;

const certainties: Readonly<Record<Certainty, number>> = { name: 3, part: 2.2, kind: 1.8, unsure: 0.8, about: 0.9 };

/** An unsure word behind an article. */
const sureEnough = 2.6;

const shares = {
  name: 1.25,
  brandName: 0.5,
  nameOnly: 1,
  figurativeName: 0.3,
  beside: 0.45,
  lead: 1.2,
  rest: 0.45,
  more: 0.3,
};

type Text = { readonly name: string; readonly description: string };

function scoredIn({ name, description }: Text, words: SubjectWords, language: string): readonly Scored[] {
  const named = readText(name, words, language);
  // a name of another thing: a bottle rack for twelve bottles
  const beside = named.hits.length === 0 && named.hasOthers ? shares.beside : 1;
  const described = sentencesOf(description).flatMap(({ text, isLead }) =>
    readText(text, words, language).hits.map((hit) => ({
      ...hit,
      score: hit.score * beside * (isLead ? shares.lead : shares.rest),
    })),
  );
  const fromDescription = best(sums(described));
  const share = isBrandLike(name, named.hits) ? (fromDescription ? shares.brandName : shares.nameOnly) : shares.name;
  const fromName = named.hits.map((hit) => {
    const isFigure = words.figurative.has(hit.id) && !hit.isPhrase;
    return { ...hit, score: hit.score * share * (isFigure ? shares.figurativeName : 1) };
  });
  return sums([...fromName, ...described]);
}

type ScoredHit = Scored & { readonly isPhrase: boolean; readonly isCompound: boolean };

/** One short word with a capital may be only the name of a company. */
const isBrandLike = (name: string, hits: readonly ScoredHit[]) =>
  /^\s*\p{Lu}\S{0,8}\s*$/u.test(name) && !hits.some(({ isCompound }) => isCompound);

/** The sentences of a description. The first that says something leads. */
function sentencesOf(description: string): readonly { readonly text: string; readonly isLead: boolean }[] {
  const sentences = description.split(/(?<=[.!?。！？؟।])\s*|\n/u).filter((sentence) => /\p{L}/u.test(sentence));
  const isShort = (sentences[0]?.length ?? 0) < 24;
  return sentences.map((text, index) => ({ text, isLead: index === 0 || (index === 1 && isShort) }));
}

type ReadText = { readonly hits: readonly ScoredHit[]; readonly hasOthers: boolean };

function readText(text: string, words: SubjectWords, language: string): ReadText {
  const tokens = tokensOf(text, language);
  const reading = readSubjects(tokens, words, language);
  const weights = weightsOf(tokens, reading, words);
  const hits = reading.hits.map((hit, index) => {
    // what is named first counts most
    const order = 1 - 0.04 * Math.min(index, 10);
    return {
      id: hit.id,
      words: tokens
        .slice(hit.start, hit.end)
        .map((token) => token.text)
        .join(" "),
      score: certaintyOf(hit, tokens, words) * weights[hit.start]! * order,
      isPhrase: hit.end - hit.start > 1,
      isCompound: hit.isCompound,
    };
  });
  return { hits, hasOthers: reading.hasOthers };
}

function certaintyOf({ certainty, start }: Hit, tokens: readonly Token[], words: SubjectWords): number {
  const before = tokens[start - 1];
  const isNoun = before && !tokens[start]!.begins && words.articles.has(before.word);
  return certainty === "unsure" && isNoun ? sureEnough : certainties[certainty];
}

/** Words for what a thing is made for, which may be a subject. */
const purpose = new Set(["for", "fur", "pour", "para", "per", "voor", "til", "dla", "для", "pro", "pentru", "untuk"]);

/** How much each word counts: what is said about the subject counts less, what is denied not at all. */
function weightsOf(tokens: readonly Token[], { phrases }: Reading, words: SubjectWords): readonly number[] {
  const inPhrases = new Set(phrases.flatMap(({ start, end }) => range(start + 1, end)));
  let weight = 1;
  let denied = 0;
  return tokens.map(({ word, begins }, index) => {
    if (begins) denied = 0;
    if (inPhrases.has(index)) return weight;
    if (words.makes.has(word)) weight = 1;
    else if (purpose.has(word)) weight = Math.min(weight, 0.5);
    else if (words.after.has(word)) weight = Math.min(weight, 0.35);
    if (words.not.has(word)) denied = 4;
    return denied-- > 0 ? 0 : weight;
  });
}

const range = (start: number, end: number) => Array.from({ length: end - start }, (_, index) => start + index);

/** The score of each subject: its best mention, and a share of the others. */
function sums(hits: readonly Scored[]): readonly Scored[] {
  return [...Map.groupBy(hits, ({ id }) => id).values()].map((same) => {
    const [first, ...others] = same.toSorted((one, other) => other.score - one.score);
    const distinct = others.filter(({ words }) => words.toLowerCase() !== first!.words.toLowerCase());
    // two words about a thing are as good as half its name
    const more = distinct.reduce((sum, { score }) => sum + score, 0);
    return { ...first!, score: first!.score + shares.more * (first!.score < leastScore ? 2 : 1) * more };
  });
}

const best = (scored: readonly Scored[]): Scored | undefined => {
  const [first] = scored.filter(({ score }) => score >= leastScore).toSorted((one, other) => other.score - one.score);
  return first;
};

import { join } from "node:path";
import type { Certainty } from "../../src/domain/films/subject/library.ts";
import {
  folded,
  isHeadFirst,
  isUnspaced,
  keyOf,
  stem,
  type Token,
  tokensOf,
} from "../../src/domain/films/subject/stem.ts";
import groups from "./kept.json" with { type: "json" };

/** What is written by hand for a language beside the names and keywords of Unicode CLDR. Lists are split at commas. */
type Supplement = {
  readonly strong: Readonly<Record<string, string>>;
  readonly generic: Readonly<Record<string, string>>;
  /** Names that are more often other words. */
  readonly unsure: string;
  /** Figures of speech, and things that no subject shows. */
  readonly none: string;
  readonly places: string;
  readonly others: string;
  /** These are split at spaces. */
  readonly after: string;
  readonly link: string;
  readonly not: string;
  readonly makes: string;
  readonly articles: string;
};

type Annotations = Readonly<Record<string, { readonly default?: readonly string[]; readonly tts?: readonly string[] }>>;

/** Things that companies are named after, as after the animals and plants of the group of that name. */
const figurativeThings =
  "compass anchor key old-key shield crown bell feather gem-stone ladder hammer wheel magnet telescope crystal-ball puzzle-piece balloon kite trophy bullseye label sailboat ship castle hourglass-done hourglass-not-done locked mirror window door brick gear chains bucket magic-wand red-apple green-apple mango peach tangerine lemon lime olive cherries coconut pineapple banana avocado pear melon kiwi-fruit grapes blueberries strawberry chestnut salt ginger-root statue-of-liberty rosette ribbon";

export const keptSubjects: readonly string[] = Object.values(groups).flatMap((names) => names.split(" "));

/** Folders of CLDR for each language; the first has the names. */
const folders: Readonly<Record<string, readonly string[]>> = {
  nb: ["no"],
  zh: ["zh", "zh-Hant"],
  pt: ["pt", "pt-PT"],
  en: ["en", "en-GB"],
};

const packagePath = join(import.meta.dir, "../../node_modules/cldr-annotations-full/annotations");

async function annotationsOf(folder: string): Promise<Annotations> {
  const file = Bun.file(join(packagePath, folder, "annotations.json"));
  return (await file.json()).annotations.annotations;
}

/** The English name of an emoji as the vectors are named. */
const slugOf = (name: string) =>
  name
    .normalize("NFD")
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, "")
    .trim()
    .replace(/[ -]+/g, "-");

/** Names of vectors that are not slugs of today's names. */
const renamed: Readonly<Record<string, string>> = { pinata: "piata", phoenix: "phoenix-bird" };

/** The kept subject of each emoji. */
async function subjectsByEmoji(): Promise<ReadonlyMap<string, string>> {
  const kept = new Set(keptSubjects);
  const all = Object.entries(await annotationsOf("en")).map(([emoji, { tts }]) => {
    const slug = slugOf(tts?.[0] ?? "");
    return [emoji, renamed[slug] ?? slug] as const;
  });
  return new Map(all.filter(([, id]) => kept.has(id)));
}

const listed = (text: string) =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);

async function supplementOf(language: string): Promise<Supplement | undefined> {
  const file = Bun.file(join(import.meta.dir, "words", `${language}.json`));
  return (await file.exists()) ? await file.json() : undefined;
}

/** Joins a name's main noun with what it has: "house with garden". */
const joining = new Set(["with", "mit", "met", "med", "of", "and", "und", "en", "och", "og", "im", "in", "for", "fur"]);

/** The main noun of a name of several words. */
function mainNoun(name: readonly Token[], language: string): readonly Token[] {
  if (isHeadFirst(language)) return name.slice(0, 1);
  const end = name.findIndex(({ word }, index) => index > 0 && joining.has(word));
  return name.slice(0, end < 0 ? name.length : end).slice(-1);
}

type Phrases = Record<string, readonly [id: string, certainty: Certainty] | null>;

/** The words of a language, as the service reads them. */
export async function wordsOf(language: string) {
  const supplement = await supplementOf(language);
  const keyOfText = (text: string) => keyOf(tokensOf(text, language), language);
  const phrases: Phrases = {};
  const add = (text: string, value: Phrases[string]) => {
    const key = keyOfText(text);
    if (key && !Object.hasOwn(phrases, key)) phrases[key] = value;
  };
  for (const phrase of listed(supplement?.none ?? "")) add(phrase, null);
  for (const [kind, certainty] of [
    ["strong", "name"],
    ["generic", "kind"],
  ] as const) {
    for (const [id, list] of Object.entries(supplement?.[kind] ?? {})) {
      for (const word of listed(list)) add(word, [id, certainty]);
    }
  }
  await addAnnotations(add, language);
  for (const word of listed(supplement?.unsure ?? "")) {
    const known = phrases[keyOfText(word)];
    if (known) phrases[keyOfText(word)] = [known[0], "unsure"];
  }
  const stems = (list: string) => listed(list).map((word) => stem(folded(word, language), language));
  const words = (list: string) =>
    list
      .split(" ")
      .filter(Boolean)
      .map((word) => folded(word, language));
  return {
    phrases,
    figurative: `${groups.figurative} ${figurativeThings}`.split(" "),
    places: stems(supplement?.places ?? ""),
    others: stems(supplement?.others ?? ""),
    after: words(supplement?.after ?? ""),
    link: words(supplement?.link ?? ""),
    not: words(supplement?.not ?? ""),
    makes: words(supplement?.makes ?? ""),
    articles: words(supplement?.articles ?? ""),
  };
}

/** Adds names, main nouns of names, and keywords that no other emoji has. */
async function addAnnotations(add: (text: string, value: Phrases[string]) => void, language: string): Promise<void> {
  const subjects = await subjectsByEmoji();
  const all = await Promise.all((folders[language] ?? [language]).map(annotationsOf));
  const named = all.flatMap((annotations) =>
    Object.entries(annotations).map(([emoji, { default: keywords = [], tts = [] }]) => ({
      id: subjects.get(emoji),
      keywords,
      name: tts[0] ?? "",
      tokens: tokensOf(tts[0] ?? "", language),
    })),
  );
  for (const { id, name } of named) if (id) add(name, [id, "name"]);
  const byLength = named.toSorted((one, other) => one.tokens.length - other.tokens.length);
  for (const { id, keywords, tokens } of byLength) {
    if (!id || tokens.length < 2) continue;
    const noun = mainNoun(tokens, language);
    const key = keyOf(noun, language);
    const isKeyword = keywords.some((keyword) => keyOf(tokensOf(keyword, language), language) === key);
    if (isKeyword && key.length >= (isUnspaced(language) ? 1 : 3)) add(noun[0]!.text, [id, "part"]);
  }
  const owners = Map.groupBy(
    named.flatMap(({ id, keywords, name }) =>
      keywords.map((keyword) => ({ keyword, id, name, key: keyOf(tokensOf(keyword, language), language) })),
    ),
    ({ key }) => key,
  );
  for (const [key, same] of owners) {
    const [{ id, keyword } = { id: undefined, keyword: "" }] = same;
    const isOwn = new Set(same.map(({ id, name }) => id ?? name)).size === 1;
    if (id && isOwn && key.length >= (isUnspaced(language) ? 2 : 4)) add(keyword, [id, "about"]);
  }
}

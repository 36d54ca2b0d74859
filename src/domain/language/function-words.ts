/** Articles, prepositions, conjunctions and similar words, which belong to the next word and end no line. */
const words: { readonly [language: string]: string } = {
  en: "a an the of in on at to for with and or but by from as is are its your you we our that this no not every each into onto per under over before after than two three four five six seven eight nine ten twelve",
  de: "der die das den dem des ein eine einen einem einer und oder mit für von vom zu zum zur im am an auf aus bei nach vor über unter ohne kein keine keinen nur ist sind wird dein deine ihr ich wir du es sie ab pro um als sich nicht jede jeder jedes jeden zwei drei vier fünf sechs sieben acht neun zehn zwölf",
  romance:
    "le la les un une des de du et ou à au aux en dans sur pour par avec sans votre vos est sont ce cette qui que ne el los las una del y o e a al con por para sin su tu es son il lo gli i di da della dello nel per senza os as um uma do dos das na em com sem",
  ru: "и в во на с со к по для из от за не ни у о об до без под над",
  ar: "في من على إلى عن مع كل قبل بعد ثم أو لا ما هذا هذه بين حتى",
};

const forward = new Set(Object.values(words).flatMap((list) => list.split(" ")));

export const leansForward = (word: string): boolean => forward.has(word.toLowerCase());

/** Words that follow a name and describe its action. */
const verb =
  /^(?:(?!(?:as|plus|its|this|thus|less|across|besides|versus|always|des|aus|das|bis|als)$)\p{Ll}{3,}s|(?!(?:mit|seit|statt|nicht|fast|jetzt|et|est|zeit)$)\p{Ll}{3,}t|fabrique|propose|aide|fait|vend|hace|ofrece|vende|ayuda|produce|aiuta|offre|faz|oferece)$/u;

/** The name at the start of a sentence, before its verb: "Fjord Rope makes ropes". */
export function subjectOf(sentence: string): string | undefined {
  const [, name = "", next = ""] =
    /^((?:\p{Lu}[\p{L}\p{N}'’&.-]*\s+){1,4})(?:(?:in|aus|from|at|à|de|en)\s+\p{Lu}[\p{L}-]*\s+)?(\p{Ll}+)(?=\s)/u.exec(
      sentence,
    ) ?? [];
  return name && verb.test(next) && !leansForward(name.trim()) ? name.trim() : undefined;
}

const greeting = String.raw`(?:(?:hi|hello|hey|hallo|moin|bonjour|salut|hola|ciao|olá)(?:\s*[,!.–—-]\s*|\s+))?`;
const presenting =
  "i['’]m|i am|my name is|my name['’]s|ich bin|ich heiße|mein name ist|je suis|je m['’]appelle|moi,? c['’]est|soy|yo soy|me llamo|mi nombre es|mi chiamo|sono|(?:eu )?sou|меня зовут";
const introduction = new RegExp(`^${greeting}(${presenting})\\s+`, "iu");
const firstName = /^(?:\p{Lu}[\p{L}'’-]*)(?:\s\p{Lu}[\p{L}'’-]*){0,2}/u;
/** In German professions have capitals, too. */
const profession = /(?:erin|eurin|mann|frau|meister|macher|lehrer|bauer)$/u;
const firstPerson = /^(?:i|ich|je|yo|io|eu|я)\s/iu;

/** The person who introduces themselves in a sentence, and what else it says: "I'm Marta and I repair bikes". */
export function introductionIn(sentence: string): { readonly name: string; readonly rest: string } | undefined {
  const [opening, presented = ""] = introduction.exec(sentence) ?? [];
  const [name] = firstName.exec(sentence.slice(opening?.length)) ?? [];
  if (opening === undefined || name === undefined || profession.test(name)) return undefined;
  const said = sentence
    .slice(opening.length + name.length)
    .replace(/^\s*[,;:–—.-]*\s*(?:(?:and|und|et|y|e|и)\s+)?/u, "");
  // "Ich bin Jana und backe Brot" has one subject for both
  const isShared = /^ich\s/iu.test(presented) && /^\p{Ll}+e\s/u.test(said) && !firstPerson.test(said);
  return { name, rest: isShared ? `Ich ${said}` : said };
}

const amount =
  /^(?:(?:over|more than|about|nearly|almost|über|mehr als|rund|fast|plus de|près de|más de|casi|oltre|più di|mais de)\s+\p{N}[\p{N}.,]*|\p{N}[\p{N}.,]{2,})\+?\s+(?:\p{L}\S*\s+){2,}\p{L}/iu;

/** True for a sentence about a number of people or things, such as "12,000 freelancers get paid on time". */
export const countsFirst = (sentence: string): boolean => amount.test(sentence);

/** Words without meaning for a viewer. */
const empty = new Set(
  [
    "a an the of in on at to for with and or but by from as is are be its it your you our we us i my me they them that this into onto so www https http hi hello hey",
    "der die das den dem des ein eine einen einem einer und oder mit für von vom zu zum zur im am an auf aus bei unter ist sind wird dein deine deinen ihr ihre ihren ich wir du es sie als sich mein meine unser unsere hallo moin",
    "le la les un une des de du et ou à au aux en dans sur pour par avec vos votre notre nos je nous vous est sont ce cette qui que mon ma mes l d s bonjour salut",
    "el los las una del y o al con por para su sus tu tus mi mis es son nuestro nuestra nuestros nuestras se hola",
    "il lo gli i di da della dello nel per e è os as um uma do dos das na no em com é",
    "и в во на с со к по для из от в",
    // omitted from the price of an end card
    "costs cost kostet price preis السعر",
  ].flatMap((list) => list.split(" ")),
);

export const isEmptyWord = (word: string): boolean => empty.has(word);

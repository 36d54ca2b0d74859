import { anyWord, type Vocabulary, vocabularies, wholeWord, wordsOf } from "./vocabulary.ts";

/** An instruction found in a clause. */
export type Instruction = {
  readonly kind: "include" | "avoid";
  readonly object: string;
  /** The object stands before the verb: a list of objects ends with this clause. */
  readonly isPostfix: boolean;
  readonly isWeak: boolean;
};

type Template = Pick<Instruction, "kind" | "isPostfix" | "isWeak"> & { readonly pattern: RegExp };

type Grammar = { readonly functionWord: RegExp; readonly ignored: RegExp; readonly templates: readonly Template[] };

/**
 * Compiles a template: `*` is the object, `~` more about it, also `~word` for the words of one role; `[word]` may be
 * missing. A word is one of the vocabulary's roles, or stands for itself.
 */
function templatePattern(template: string, { roles, places = "(?!)" }: Vocabulary): RegExp {
  // "at the end, the logo must appear"
  const otherStart = anyWord([...wordsOf(places), ...wordsOf(roles.polite ?? "(?!)")]);
  const tokens = template.split(" ").map((token) => {
    if (token === "*") return `\\s+(?!${otherStart}\\s)(?<object>\\S.*?)`;
    if (token === "~") return "(?:\\s+(?<rest>\\S.*?))??";
    const [, mark, name] = /^([[~]?)(.+?)\]?$/.exec(token)!;
    const words = anyWord(wordsOf(roles[name!] ?? name!));
    if (mark === "~") return `\\s+(?<rest>${words})`;
    return mark === "[" ? `(?:\\s+${words}){0,2}` : `\\s+${words}`;
  });
  return new RegExp(`^${tokens.join("")}$`, "iu");
}

function compile(vocabulary: Vocabulary): Grammar {
  const templatesOf = (list: readonly string[], kind: Template["kind"], isWeak = false): readonly Template[] =>
    list.map((template) => ({
      kind,
      isWeak,
      isPostfix: template.startsWith("*"),
      pattern: templatePattern(template, vocabulary),
    }));
  return {
    functionWord: wholeWord(anyWord(wordsOf(vocabulary.functionWords)), "giu"),
    ignored: new RegExp(`^${anyWord(vocabulary.ignore ?? [])}$`, "iu"),
    templates: [
      ...templatesOf(vocabulary.include, "include"),
      ...templatesOf(vocabulary.avoid, "avoid"),
      ...templatesOf(vocabulary.weakInclude, "include", true),
      ...templatesOf(vocabulary.weakAvoid, "avoid", true),
    ],
  };
}

/** Longer clauses are no instructions. */
const maxCharacters = 200;

/** Finds the instruction in a clause. */
export type InstructionFinder = (clause: string) => Instruction | undefined;

const grammars = vocabularies.map(compile);

/** Finds instructions in the languages of the text. */
export function instructionFinderFor(text: string): InstructionFinder {
  const languages = languagesOf(text);
  return (clause) => {
    if (clause.length > maxCharacters || languages.some(({ ignored }) => ignored.test(clause))) return undefined;
    // the shortest object: "never show cups" is also "never" with the object "show cups"
    return languages
      .flatMap(({ templates }) => templates.flatMap((template) => match(template, clause)))
      .toSorted((first, second) => first.object.length - second.object.length)[0];
  };
}

function match({ pattern, ...template }: Template, clause: string): readonly Instruction[] {
  const { object, rest = "" } = pattern.exec(` ${clause}`)?.groups ?? {};
  if (object === undefined) return [];
  // the first word of the sentence
  const more = clause.startsWith(rest) ? rest.charAt(0).toLowerCase() + rest.slice(1) : rest;
  return [{ ...template, object: `${object} ${more}`.trim() }];
}

/** The languages in which a text has sentences; all if it has none. */
function languagesOf(text: string): readonly Grammar[] {
  const counts = grammars.map(({ functionWord }) => text.match(functionWord)?.length ?? 0);
  const enough = Math.max(...counts) / 3;
  return grammars.filter((_, index) => counts[index]! >= enough);
}

import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import type { Certainty, SubjectLibrary, SubjectWords } from "../../domain/films/subject/library.ts";

const decompress = promisify(brotliDecompress);

/** The data of this version. */
export const subjectsFolder = new URL("../../subjects/", import.meta.url).pathname;

type Places = Readonly<Record<string, readonly [start: number, length: number]>>;

type StoredWords = {
  readonly phrases: Readonly<Record<string, readonly [id: string, certainty: Certainty] | null>>;
} & { readonly [List in Exclude<keyof SubjectWords, "phrases">]: readonly string[] };

/** Reads subjects from a folder that `bun run build:subjects` has written: words by language, a vector by its bytes. */
export function subjectLibrary(folder = subjectsFolder): SubjectLibrary {
  const vectors = Bun.file(`${folder}/vectors.bin`);
  let places: Promise<Places> | undefined;
  const words = new Map<string, Promise<SubjectWords | undefined>>();
  return {
    words(language) {
      const known = words.get(language) ?? readWords(`${folder}/words/${language}.json.br`);
      words.set(language, known);
      return known;
    },
    async svg(id) {
      places ??= Bun.file(`${folder}/vectors.json`).json();
      const known = await places;
      const [start, length] = Object.hasOwn(known, id) ? known[id]! : [];
      if (start === undefined || length === undefined) return;
      const bytes = await vectors.slice(start, start + length).bytes();
      return (await decompress(bytes)).toString("utf8");
    },
  };
}

async function readWords(path: string): Promise<SubjectWords | undefined> {
  const file = Bun.file(path);
  if (!(await file.exists())) return;
  const stored: StoredWords = JSON.parse((await decompress(await file.bytes())).toString("utf8"));
  const { phrases, ...lists } = stored;
  return {
    phrases: new Map(
      Object.entries(phrases).map(([key, value]) => [key, value && { id: value[0], certainty: value[1] }]),
    ),
    figurative: new Set(lists.figurative),
    places: new Set(lists.places),
    others: new Set(lists.others),
    after: new Set(lists.after),
    link: new Set(lists.link),
    not: new Set(lists.not),
    makes: new Set(lists.makes),
    articles: new Set(lists.articles),
  };
}

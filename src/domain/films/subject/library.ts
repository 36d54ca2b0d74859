/** How sure a word names its subject. */
export type Certainty =
  /** Its name. */
  | "name"
  /** The main noun of its name. */
  | "part"
  /** The kind of offer, if nothing more exact is named: "app", "shop". */
  | "kind"
  /** Its name, which is more often another word: "watch", "key". */
  | "unsure"
  /** A word about it. */
  | "about";

/** The words of a language. All are stems, see `keyOf`. */
export type SubjectWords = {
  /** What a phrase names; null if it is only a figure of speech or a thing without a subject. */
  readonly phrases: ReadonlyMap<string, { readonly id: string; readonly certainty: Certainty } | null>;
  /** Subjects whose names are often names of companies, or metaphors. */
  readonly figurative: ReadonlySet<string>;
  /** Nouns after which the thing before them stays the subject: "bike shop". */
  readonly places: ReadonlySet<string>;
  /** Nouns that make another thing of the one before them: "coffee table". */
  readonly others: ReadonlySet<string>;
  /** Words that begin what is said about the subject: "for", "under", "which". */
  readonly after: ReadonlySet<string>;
  /** Words between a thing and what describes it: "of". */
  readonly link: ReadonlySet<string>;
  readonly not: ReadonlySet<string>;
  /** Verbs whose object is what is sold. */
  readonly makes: ReadonlySet<string>;
  /** Words that only a noun follows. */
  readonly articles: ReadonlySet<string>;
};

/** The drawn subjects, and the words for them. */
export type SubjectLibrary = {
  /** Undefined for a language without words. */
  words(language: string): Promise<SubjectWords | undefined>;
  /** The whole `<svg>` of a subject. */
  svg(id: string): Promise<string | undefined>;
};

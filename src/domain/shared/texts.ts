/** Controls, marks that overrule the reading direction, private code points: nothing that a person would write. */
const unseen = /[\p{Cc}\p{Co}\p{Cs}\u200b\u202a-\u202e\u2066-\u2069\ufeff]/gu;

const characters = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** A text of a model as one tidy line of at most this many characters, cut between words where it can be. */
export function cleanText(text: string, maxCharacters: number): string {
  // what is far too long is cut before it is looked at
  const line = text
    .slice(0, maxCharacters * 16)
    .replace(/\s+/gu, " ")
    .replace(unseen, "")
    .trim();
  const pieces = [...characters.segment(line)];
  if (pieces.length <= maxCharacters) return line;
  const cut = line.slice(0, pieces[maxCharacters - 1]!.index); // safe because there are more pieces than that
  const lastSpace = cut.lastIndexOf(" ");
  return `${(lastSpace > cut.length * 0.6 ? cut.slice(0, lastSpace) : cut).trimEnd()}…`;
}

const nothingSaid = /^(null|none|nil|n\/?a|no text|-+|–|—|\.)?$/i;

/** The same for a text that may be missing, however a model writes that. */
export function textOrNull(text: string | null | undefined, maxCharacters: number): string | null {
  const line = cleanText(text ?? "", maxCharacters);
  return nothingSaid.test(line) ? null : line;
}

/** A text of one or more lines: only what cannot be seen is gone. */
export const cleanLines = (text: string): string =>
  text
    .replace(/\r\n?|\p{Zl}|\p{Zp}/gu, "\n")
    .split("\n")
    .map((line) => line.replace(/\t/g, " ").replace(unseen, "").trimEnd())
    .join("\n")
    .trim();

/** How many words a text has, also where no spaces stand between them. */
export const countWords = (text: string): number => {
  const words = new Intl.Segmenter(undefined, { granularity: "word" });
  return [...words.segment(text)].filter(({ isWordLike }) => isWordLike).length;
};

/** The sentences of a text, each as one line. */
export const sentencesOf = (text: string): readonly string[] => {
  const sentences = new Intl.Segmenter(undefined, { granularity: "sentence" });
  // a pattern that begins with many spaces would look at each run of them once for each space in it
  const spaced = cleanLines(text).replace(/[^\S\n]+/gu, " ");
  const lines = spaced.split(/\n+|(?<=[。！？])| [•·] |^[-*•·] /mu);
  return lines
    .flatMap((line) => [...sentences.segment(line)])
    .map(({ segment }) => segment.trim())
    .filter((sentence) => /\p{L}/u.test(sentence));
};

import { cleanLines } from "../../platform/texts.ts";

/** Some models act out a tag such as `<laugh>` instead of saying it. */
const tag = /<\/?\p{L}[^<>]{0,80}>/gu;

/** The speakable part of a text: no markup and no invisible characters. Empty if nothing is left. */
export function spokenText(text: string): string {
  const spoken = cleanLines(text.replace(tag, " ").replace(/[<>]/g, " ")).replace(/\s+/gu, " ").trim();
  return /[\p{L}\p{N}]/u.test(spoken) ? spoken : "";
}

const sentences = new Intl.Segmenter(undefined, { granularity: "sentence" });
const words = new Intl.Segmenter(undefined, { granularity: "word" });

/** Parts of at most `maxCharacters`, each ending with a sentence, or with a word of a longer sentence. */
export function splitText(text: string, maxCharacters: number): readonly string[] {
  const parts: string[] = [];
  let part = "";
  for (const piece of piecesOf(text, maxCharacters)) {
    if ((part + piece).trim().length > maxCharacters && part.trim() !== "") {
      parts.push(part);
      part = "";
    }
    part += piece;
  }
  return [...parts, part].map((text) => text.trim()).filter(isSpoken);
}

function piecesOf(text: string, maxCharacters: number): readonly string[] {
  const found = [...sentences.segment(text)].map(({ segment }) => segment);
  return found.flatMap((sentence) =>
    sentence.length <= maxCharacters ? [sentence] : [...words.segment(sentence)].map(({ segment }) => segment),
  );
}

const isSpoken = (text: string) => /[\p{L}\p{N}]/u.test(text);

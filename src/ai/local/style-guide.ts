import type { StyleGuideOutput } from "../../domain/ai/output-schemas.ts";
import { cleanLines, cleanText, countWords, sentencesOf } from "../../domain/shared/texts.ts";
import { findColors } from "./colors.ts";
import words from "./content/style-guide.json" with { type: "json" };
import { anyOf } from "./content.ts";

// the rest of a long page adds little
const maxCharacters = 60_000;

/** Extracts a style guide by rules: words of the lists in style-guide.json, and the manner of the writing. */
export function styleGuideByRules(text: string): StyleGuideOutput {
  const lines = cleanLines(text).slice(0, maxCharacters);
  const sentences = sentencesOf(removeLabels(lines));
  return {
    style_guide: {
      tone: findTone(lines),
      color_palette: [...findColors(lines)],
      tempo: findTempo(lines, sentences),
      camera_style: cleanText(sentences.find((sentence) => cameraWord.test(sentence)) ?? "", 240),
      brand_voice: describeVoice(sentences),
      must_include: [...listAfter(lines, mustInclude)],
      must_avoid: [...listAfter(lines, mustAvoid)],
    },
    product: findProduct(lines, sentences),
  };
}

const wordPattern = (list: string, flags: string) => new RegExp(`\\b${anyOf(list)}\\b`, flags);

/** The labels that `pageText` puts before the metadata of a web page. */
const labels = /^(title|site|description|colors):[ \t]*(.*)$/gim;

const removeLabels = (lines: string): string =>
  lines.replace(labels, (_, label: string, rest: string) => (label.toLowerCase() === "colors" ? "" : rest));

const labelled = (lines: string, name: string): string =>
  [...lines.matchAll(labels)].find(([, label]) => label?.toLowerCase() === name)?.[2]?.trim() ?? "";

const toneWord = wordPattern(words.tones, "giu");

/** The four most frequent tone words. */
const findTone = (lines: string): string =>
  byFrequency(lines.match(toneWord) ?? [])
    .slice(0, 4)
    .join(", ");

function byFrequency(found: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const word of found.map((each) => each.toLowerCase())) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].sort(([, first], [, second]) => second - first).map(([word]) => word);
}

const tempoWord = wordPattern(words.tempo, "i");
const fastWord = wordPattern(words.fast, "i");
const slowWord = wordPattern(words.slow, "i");
const cameraWord = wordPattern(words.camera, "i");

/** The first sentence about tempo decides, else all words; without any, the mean sentence length. */
function findTempo(lines: string, sentences: readonly string[]): string {
  const aboutTempo = sentences.find((sentence) => tempoWord.test(sentence)) ?? lines;
  if (fastWord.test(aboutTempo)) return "fast";
  if (slowWord.test(aboutTempo)) return "slow";
  if (sentences.length < 3) return "";
  const wordsPerSentence = countWords(sentences.join(" ")) / sentences.length;
  return wordsPerSentence < 8 ? "fast" : wordsPerSentence > 20 ? "slow" : "medium";
}

const voiceWord = wordPattern(words.voice, "i");

const formsOfAddress = [
  { pattern: wordPattern(words.address.neutral, "i"), description: "addresses the reader directly" },
  { pattern: wordPattern(words.address.informal, "i"), description: "addresses the reader informally" },
  // case-sensitive: German "Sie" is formal, "sie" is not
  { pattern: wordPattern(words.address.formal, ""), description: "addresses the reader formally" },
];

/** The first sentence about the voice, else a description of the writing itself. */
function describeVoice(sentences: readonly string[]): string {
  const aboutVoice = sentences.find((sentence) => voiceWord.test(sentence));
  if (aboutVoice) return cleanText(aboutVoice, 240);
  if (sentences.length < 2) return "";
  const text = sentences.join(" ");
  const wordsPerSentence = countWords(text) / sentences.length;
  const manner =
    wordsPerSentence < 9
      ? "Short, plain sentences"
      : wordsPerSentence > 20
        ? "Long, explaining sentences"
        : "Plain sentences";
  const address = formsOfAddress.find(({ pattern }) => pattern.test(text));
  return `${manner}${address ? `; ${address.description}` : ""}.`;
}

const listPattern = (introductions: string) =>
  new RegExp(`\\b${anyOf(introductions)}\\b:?\\s*([^.!?\\n]{2,300})`, "giu");

const mustInclude = listPattern(words.mustInclude);
const mustAvoid = listPattern(words.mustAvoid);

const maxListItems = 6;

/** The items of the comma-separated lists that follow the pattern. */
const listAfter = (lines: string, pattern: RegExp): readonly string[] =>
  [...lines.matchAll(pattern)]
    .flatMap(([, list = ""]) => list.split(/\s*[,;]\s*(?:(?:and|or|und|oder|et|y|e)\s+)?|\s+(?:or|oder|ou)\s+/u))
    .map((item) => cleanText(item.replace(/^(?:and|or|und|the|any)\s+/iu, ""), 80))
    .filter((item) => item !== "" && countWords(item) <= 8)
    .slice(0, maxListItems);

const madeFor = new RegExp(`\\b${anyOf(words.made)} ${anyOf(words.for)} ([^.!?,;:\\n]{3,60})`, "iu");

function findProduct(lines: string, sentences: readonly string[]): StyleGuideOutput["product"] {
  const title = labelled(lines, "title") || labelled(lines, "site") || (lines.split("\n")[0] ?? "");
  // a page title often continues with the shop's name or a claim
  const name = cleanText(title.split(/\s[-–—|·:]\s/u)[0] ?? "", 80);
  if (!name || countWords(name) > 8) return null;
  const longSentences = sentences.filter((sentence) => countWords(sentence) >= 5 && sentence !== title);
  const description = cleanText(labelled(lines, "description") || longSentences.slice(0, 2).join(" "), 500);
  return { name, description, target_audience: madeFor.exec(lines)?.[1]?.trim() ?? null };
}

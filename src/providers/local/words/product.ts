import type { StyleGuideOutput } from "../../../domain/ai/output-schemas.ts";
import { cleanText, countWords, sentencesOf } from "../../../platform/texts.ts";
import words from "./content/product.json" with { type: "json" };
import { anyOf } from "./content.ts";

/** The labels that `pageText` puts before the metadata of a web page. */
const labels = /^(title|site|description|colors):[ \t]*(.*)$/gim;

const removeLabels = (lines: string): string =>
  lines.replace(labels, (_, label: string, rest: string) => (label.toLowerCase() === "colors" ? "" : rest));

const labelled = (lines: string, name: string): string =>
  [...lines.matchAll(labels)].find(([, label]) => label?.toLowerCase() === name)?.[2]?.trim() ?? "";

const madeFor = new RegExp(`\\b${anyOf(words.made)} ${anyOf(words.for)} ([^.!?,;:\\n]{3,60})`, "iu");

/** The product in a text; null if nothing names one. */
export function findProduct(lines: string): StyleGuideOutput["product"] {
  const title = labelled(lines, "title") || labelled(lines, "site") || (lines.split("\n")[0] ?? "");
  // a page title often continues with the shop's name or a claim
  const name = cleanText(title.split(/\s[-–—|·:]\s/u)[0] ?? "", 80);
  if (!name || countWords(name) > 8) return null;
  const sentences = sentencesOf(removeLabels(lines));
  const longSentences = sentences.filter((sentence) => countWords(sentence) >= 5 && sentence !== title);
  const description = cleanText(labelled(lines, "description") || longSentences.slice(0, 2).join(" "), 500);
  return { name, description, target_audience: madeFor.exec(lines)?.[1]?.trim() ?? null };
}

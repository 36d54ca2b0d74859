import type { StyleGuideDraft } from "../../domain/ai/output-schemas.ts";
import { cleanLines, cleanText, countWords, sentencesOf } from "../../domain/shared/texts.ts";
import { colorsWritten } from "./colors.ts";

/** What rules can find in a text on a brand: what it names, and how it is written. */
export function styleGuideByRules(text: string): StyleGuideDraft {
  const lines = cleanLines(text).slice(0, maxCharacters);
  const sentences = sentencesOf(withoutLabels(lines));
  return {
    style_guide: {
      tone: toneOf(lines),
      color_palette: [...colorsWritten(lines)],
      tempo: tempoOf(lines, sentences),
      camera_style: cleanText(sentences.find((sentence) => aboutCamera.test(sentence)) ?? "", 240),
      brand_voice: voiceOf(sentences),
      must_include: [...listed(lines, wanted)],
      must_avoid: [...listed(lines, unwanted)],
    },
    product: productOf(lines, sentences),
  };
}

/** Rules find little more in the rest of a long page. */
const maxCharacters = 60_000;

const labels = /^(title|site|description|colors):[ \t]*(.*)$/gim;

const withoutLabels = (lines: string): string =>
  lines.replace(labels, (_, label: string, rest: string) => (label.toLowerCase() === "colors" ? "" : rest));

const labelled = (lines: string, wantedLabel: string): string =>
  [...lines.matchAll(labels)].find(([, label]) => label?.toLowerCase() === wantedLabel)?.[2]?.trim() ?? "";

const toneWords =
  /\b(warm|friendly|playful|bold|calm|minimal|elegant|luxurious|premium|modern|honest|natural|fresh|energetic|vibrant|serious|professional|trustworthy|witty|dry|cozy|cosy|nostalgic|rebellious|confident|gentle|quiet|joyful|optimistic|raw|authentic|sleek|precise|technical|dramatic|moody|romantic|youthful|timeless|rustic|handmade|sustainable|inspiring|humorous|freundlich|verspielt|mutig|ruhig|elegant|ehrlich|natürlich|frisch|modern|herzlich|chaleureux|ludique|audacieux|élégant|naturel|cálido|atrevido|elegante|caldo|giocoso|moderno|honesto|sincero)\b/giu;

const toneOf = (lines: string): string =>
  mostUsed(lines.match(toneWords) ?? [])
    .slice(0, 4)
    .join(", ");

function mostUsed(words: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const word of words.map((one) => one.toLowerCase())) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one).map(([word]) => word);
}

const aboutTempo = /\b(tempo|pace|rhythm|cuts?|editing|schnitt|rythme|ritmo)\b/i;
const aboutCamera = /\b(camera|shots?|close-?ups?|handheld|tripod|drone|lens|framing|kamera|caméra|cámara)\b/i;

/** What is said of it; else the writing tells: short sentences drive. */
function tempoOf(lines: string, sentences: readonly string[]): string {
  const said = sentences.find((sentence) => aboutTempo.test(sentence)) ?? lines;
  if (/\b(fast|quick(?:ly)?|rapid(?:ly)?|snappy|high-energy|schnell|rapide|rápido|veloce)\b/i.test(said)) return "fast";
  if (/\b(slow(?:ly)?|unhurried|leisurely|langsam|lent|lento)\b/i.test(said)) return "slow";
  if (sentences.length < 3) return "";
  const words = countWords(sentences.join(" ")) / sentences.length;
  return words < 8 ? "fast" : words > 20 ? "slow" : "medium";
}

const aboutVoice = /\b(voice|we speak|we sound|tone of voice|wording|sprache|sprechen|ansprache|ton de|voz|voce)\b/i;
const address: readonly (readonly [RegExp, string])[] = [
  [/\b(you|your|you're)\b/i, "addresses the reader directly"],
  [/\b(du|dein|deine|dir|tu|tes|ton|tuyo|tus)\b/i, "addresses the reader informally"],
  [/\b(Sie|Ihr|Ihre|Ihnen|vous|votre|vos|usted)\b/, "addresses the reader formally"],
];

/** What is said of it; else how the text itself speaks. */
function voiceOf(sentences: readonly string[]): string {
  const said = sentences.find((sentence) => aboutVoice.test(sentence));
  if (said) return cleanText(said, 240);
  if (sentences.length < 2) return "";
  const text = sentences.join(" ");
  const words = countWords(text) / sentences.length;
  const manner = words < 9 ? "Short, plain sentences" : words > 20 ? "Long, explaining sentences" : "Plain sentences";
  const addressed = address.find(([pattern]) => pattern.test(text))?.[1];
  return `${manner}${addressed ? `; ${addressed}` : ""}.`;
}

const wanted =
  /\b(?:must include|always (?:show|use|include|mention|end with)|include|be sure to show|immer zeigen|toujours montrer|siempre mostrar)\b:?\s*([^.!?\n]{2,300})/giu;
const unwanted =
  /\b(?:must avoid|must not (?:show|use)|avoid|never(?: (?:show|use|say|mention))?|do not (?:show|use|say)|don't (?:show|use|say)|niemals|nie zeigen|vermeide[nt]?|éviter|jamais|evitar|nunca)\b:?\s*([^.!?\n]{2,300})/giu;

const mostListed = 6;

/** The things that stand behind such words, with commas between. */
const listed = (lines: string, pattern: RegExp): readonly string[] =>
  [...lines.matchAll(pattern)]
    .flatMap(([, things = ""]) => things.split(/\s*[,;]\s*(?:(?:and|or|und|oder|et|y|e)\s+)?|\s+(?:or|oder|ou)\s+/u))
    .map((thing) => cleanText(thing.replace(/^(?:and|or|und|the|any)\s+/iu, ""), 80))
    .filter((thing) => thing !== "" && countWords(thing) <= 8)
    .slice(0, mostListed);

const madeFor =
  /\b(?:made|built|designed|perfect|ideal|crafted|created|gemacht|gedacht|conçue?s?|pensado|ideale?|hecho) (?:for|für|pour|para|per) ([^.!?,;:\n]{3,60})/iu;

function productOf(lines: string, sentences: readonly string[]): StyleGuideDraft["product"] {
  const title = labelled(lines, "title") || labelled(lines, "site") || (lines.split("\n")[0] ?? "");
  // a page's title often goes on with the shop's name or a claim
  const name = cleanText(title.split(/\s[-–—|·:]\s/u)[0] ?? "", 80);
  const described = labelled(lines, "description");
  const told = sentences.filter((sentence) => countWords(sentence) >= 5 && sentence !== title).slice(0, 2);
  const description = cleanText(described || told.join(" "), 500);
  if (!name || countWords(name) > 8) return null;
  return { name, description, target_audience: madeFor.exec(lines)?.[1]?.trim() ?? null };
}

import type { StyleGuideOutput } from "../../../domain/ai/output-schemas.ts";
import { tempos } from "../../../engine/ports.ts";
import { cleanLines, cleanText, countWords, sentencesOf } from "../../../platform/texts.ts";
import { colorName, findColors, notesColor } from "./colors.ts";
import productWords from "./content/product.json" with { type: "json" };
import words from "./content/style-guide.json" with { type: "json" };
import { anyOf } from "./content.ts";

const fields = ["tone", "tempo", "colors", "camera", "voice", "include", "avoid"] as const;
type Field = (typeof fields)[number];

type Finding = { readonly field: Field; readonly value: string; readonly isLabelled?: boolean };

/** A sentence or an entry of a list, with its label or heading. */
type Statement = { readonly text: string; readonly field: Field | undefined };

// the rest of a long page adds little, and the rules run on the thread that answers requests
const maxCharacters = 30_000;
const maxStatements = 2000;
const maxSentenceCharacters = 2000;
const maxQuoteCharacters = 240;

/** Reads texts under labels and headings, colors, and plain sentences. The words are in content/style-guide.json. */
export function styleGuideByRules(text: string): StyleGuideOutput {
  // collapses spaces, over which patterns would backtrack
  const lines = cleanLines(text)
    .slice(0, maxCharacters)
    .normalize("NFC")
    .replaceAll("’", "'")
    .replaceAll(/[^\S\n]+/g, " ");
  const findings = aboutFilms(statementsOf(lines).slice(0, maxStatements).map(read));
  return {
    style_guide: {
      tone: unique(preferred(findings, "tone")).slice(0, 4).join(", "),
      color_palette: unique(valuesOf(findings, "colors")),
      tempo: tempoOf(preferred(findings, "tempo")),
      camera_style: cleanText(preferred(findings, "camera").slice(0, 2).join(" "), maxQuoteCharacters),
      brand_voice: cleanText(preferred(findings, "voice").slice(0, 2).join(" "), maxQuoteCharacters),
      must_include: valuesOf(findings, "include"),
      must_avoid: valuesOf(findings, "avoid"),
    },
    product: findProduct(lines),
  };
}

const valuesOf = (findings: readonly Finding[], name: Field) =>
  findings.filter(({ field }) => field === name).map(({ value }) => value);

/** Texts under a label have priority over prose. */
function preferred(findings: readonly Finding[], name: Field): string[] {
  const ofField = findings.filter(({ field }) => field === name);
  const labelled = ofField.filter(({ isLabelled }) => isLabelled);
  return (labelled.length > 0 ? labelled : ofField).map(({ value }) => value);
}

/** Omits "Avoid contact with water" in a manual, which is no advice for a film. */
function aboutFilms(readings: readonly (readonly Finding[])[]): readonly Finding[] {
  const findings = readings.flat();
  const isAboutStyle = ({ field, isLabelled }: Finding) => isLabelled || !/^(?:include|avoid|colors)$/.test(field);
  const isWhole = findings.some(isAboutStyle) || readings.every((found) => found.length > 0);
  return isWhole ? findings : findings.filter(({ field }) => field === "colors");
}

const unique = (values: readonly string[]): string[] => [...new Set(values)];

/** The common tempo: the middle if both ends are named, or one is only denied. */
function tempoOf(values: readonly string[]): string {
  const said = unique(values.filter((value) => !value.startsWith("not ")));
  if (said.length === 1) return said[0]!;
  return values.length === 0 ? "" : "medium";
}

// --- statements

const word = (list: string, flags = "iu") => new RegExp(`(?<![\\p{L}\\p{N}])${anyOf(list)}(?![\\p{L}\\p{N}])`, flags);

const label = `(?:(?:our|the|brand|video|film) )?(?:${fields.map((field) => `(?<${field}>${anyOf(words.labels[field])})`).join("|")})`;
const labelled = new RegExp(`^${label}\\s*(?:[:=;]|\\s[-–—]\\s)\\s*(?<value>.*)$`, "iu");
const heading = new RegExp(`^${label}\\s*[:.!]*$`, "iu");
const inlineLabel = new RegExp(`(?<=[,;|/•·.!?]\\s+)(?=${label.replaceAll(/\?<\w+>/g, "?:")}\\s*[:=])`, "giu");

const bullet = /^\s*(?:[-*•·–—]|\d{1,2}[.)])\s+/u;
const checkMark = /^[\s\-*•]*[✅✔☑✓]\uFE0F?\s*/u;
const crossMark = /^[\s\-*•]*[❌✖✗✘]\uFE0F?\s*/u;
const markdown = /^\s*#+\s*|\*\*|__|`/gu;

/** The lines that `pageText` puts before a page; they name a product and no style. */
const pageField = /^(?:title|site|description):/i;

/** A label counts for its line; alone on its line it counts for the paragraph or the list that follows. */
function statementsOf(lines: string): readonly Statement[] {
  let under: Field | undefined;
  let isFilled = false;
  return lines
    .split("\n")
    .filter((line) => !pageField.test(line))
    .flatMap((line) => line.split(inlineLabel))
    .flatMap((line): readonly Statement[] => {
      const marked = checkMark.test(line) ? "include" : crossMark.test(line) ? "avoid" : undefined;
      const isItem = marked !== undefined || bullet.test(line);
      const bare = line.replace(checkMark, "").replace(crossMark, "").replace(markdown, "").replace(bullet, "").trim();
      const { value = "", ...groups } = (labelled.exec(bare) ?? heading.exec(bare))?.groups ?? {};
      const field = fields.find((name) => groups[name] !== undefined);
      if (field !== undefined && value === "") {
        under = field;
        isFilled = false;
        return [];
      }
      if (bare === "") {
        if (isFilled) under = undefined;
        return [];
      }
      isFilled = true;
      if (!isItem && field !== undefined) under = undefined;
      if (field !== undefined) return splitLabelled(field, value);
      if (isItem) return [{ field: marked ?? under, text: bare }];
      if (bare.endsWith(":")) under = undefined;
      const statements = sentencesOf(bare).map((text) => ({ field: under, text }));
      return statements.length > 0 ? statements : [{ field: under, text: bare }];
    });
}

/** The label applies only to its first sentence. */
function splitLabelled(field: Field, value: string): readonly Statement[] {
  const [first = value, ...others] = sentencesOf(value);
  return [{ field, text: /\p{L}/u.test(value) ? first : value }, ...others.map((text) => ({ field: undefined, text }))];
}

// --- readings

const read = ({ text, field }: Statement): readonly Finding[] => {
  const sentence = text.slice(0, maxSentenceCharacters);
  return field === undefined ? readSentence(sentence) : readField(field, sentence).map(asLabelled);
};

const asLabelled = (finding: Finding): Finding => ({ ...finding, isLabelled: true });

const tempoWords = tempos.map((tempo) => ({ tempo, pattern: word(words[tempo], "giu") }));
const refusal = word(words.refuse);
const startsWithRefusal = new RegExp(`^(?:(?:but|and|please|pls|aber|bitte|pero|y) )*${anyOf(words.refuse)}\\s+`, "iu");
const startsWithOrder = new RegExp(`^(?:(?:but|and|please|pls) )*${anyOf(words.show)}\\s+`, "iu");
const isRequired = new RegExp(`^(?<what>.+?) ${anyOf(words.required)}(?<where>.*)$`, "iu");
const colorNoun = word(words.colorNouns);
const tempoNoun = word(words.tempoNouns);
const toneNoun = word(words.toneNouns);
const cameraNoun = word(words.cameraNouns);
const voiceNoun = word(words.voiceNouns);
const tone = word(words.tones, "giu");
const degree = word(words.degree, "giu");
const finiteVerb = word("is, are, was, has, have, ist, sind, hat, es, son, tiene");
const endsList = new RegExp(`^${anyOf(words.ends)}(?![\\p{L}])`, "iu");

const separator =
  /\s*[,;:…!?](?![\d/])(?![^()]*\))\s*|\.\s+|\s+[-–—/+&]\s+|,?\s+(?:but|aber|pero|sino)\s+|\s+(?:and\s+|y\s+)?(?=(?:never|not too|without being|nunca)\s)/iu;

const clausesOf = (text: string) => text.split(separator).filter(Boolean);

/** The entries of a list: "paper bag, logo and claim". */
const itemsOf = (text: string) =>
  text.split(/\s*[,;](?!\d)\s*|\s+(?:and|or|und|oder|y|o|ni|et|ou)\s+/iu).flatMap(itemIn);

function itemIn(text: string): readonly string[] {
  const item = text
    .replace(/^[\s*_"'“«]+|[\s*_.!,;:"'”»]+$/gu, "")
    .replace(startsWithRefusal, "")
    .replace(/^(?:the|any|der|die|das|el|la|los|las|to|show|use) /iu, "");
  const isNone = item === "" || item.includes("#") || /^(?:it|them|this|that|es|lo)$/iu.test(item);
  return isNone || item.split(" ").length > 10 ? [] : [item];
}

function readField(field: Field, text: string): readonly Finding[] {
  if (field === "tempo") return temposIn(text);
  if (field === "colors") return colorsIn(text);
  if (field === "avoid" || field === "include") {
    const kind = startsWithRefusal.test(text) ? "avoid" : field;
    return itemsOf(text).map((value) => ({ field: kind, value }));
  }
  const clauses = clausesOf(text);
  const denied = clauses.filter((clause) => startsWithRefusal.test(clause));
  const kept = clauses.filter((clause) => !denied.includes(clause));
  // unchanged if nothing is denied
  const value = (denied.length === 0 ? text : kept.join(", ")).replaceAll(/\s+,\s*/g, ", ");
  return [...(value === "" ? [] : [{ field, value: value.replace(/[.!]+$/u, "") }]), ...denied.map(avoided)];
}

const avoided = (text: string): Finding => ({ field: "avoid", value: itemIn(text)[0] ?? text });

const colorsIn = (text: string): readonly Finding[] => findColors(text).map((value) => ({ field: "colors", value }));

const temposIn = (text: string): readonly Finding[] =>
  tempoWords.flatMap(({ tempo, pattern }) =>
    [...text.matchAll(pattern)].map(({ index }): Finding => {
      const isDenied = refusal.test(text.slice(0, index));
      return { field: "tempo", value: isDenied ? `not ${tempo}` : tempo };
    }),
  );

/** Each clause gives one kind of finding; an instruction also applies to the items after it. */
function readSentence(sentence: string): readonly Finding[] {
  // a question asks for nothing: "Don't have an account?"
  if (sentence.endsWith("?")) return [];
  const clauses = clausesOf(sentence);
  const findings: Finding[] = [];
  let list: "include" | "avoid" | undefined;
  for (const clause of clauses) {
    const found = readClause(clause, sentence, list);
    list = found.list;
    findings.push(...found.findings);
  }
  const isAboutColors = colorNoun.test(sentence) || notesColor(sentence);
  const colors = isAboutColors
    ? colorsIn(sentence)
    : clauses.filter((clause) => isOnly(clause, colorName)).flatMap(colorsIn);
  const quoted: readonly Finding[] = cameraNoun.test(sentence)
    ? [{ field: "camera", value: sentence }]
    : voiceNoun.test(sentence)
      ? [{ field: "voice", value: sentence }]
      : [];
  return [...findings, ...colors, ...quoted];
}

type ClauseReading = { readonly findings: readonly Finding[]; readonly list?: "include" | "avoid" | undefined };

function readClause(clause: string, sentence: string, list: "include" | "avoid" | undefined): ClauseReading {
  const speeds = cameraNoun.test(clause) ? [] : temposIn(clause);
  if (speeds.length > 0 && (tempoNoun.test(sentence) || tempoWords.some(({ pattern }) => isOnly(clause, pattern)))) {
    return { findings: speeds };
  }
  const { what, where = "" } = isRequired.exec(clause)?.groups ?? {};
  if (what !== undefined) return { findings: readField("include", `${what}${where}`) };
  const continues = !endsList.test(clause) && clause.split(" ").length <= 5;
  const order = startsWithOrder.test(clause)
    ? "include"
    : startsWithRefusal.test(clause)
      ? "avoid"
      : continues
        ? list
        : undefined;
  if (order) return { list: order, findings: readField(order, clause.replace(startsWithOrder, "")) };
  const tones = clause.match(tone) ?? [];
  const isTone = toneNoun.test(sentence) || (!finiteVerb.test(sentence) && isOnly(clause, tone));
  return { findings: isTone ? tones.map((value) => ({ field: "tone", value: value.toLowerCase() })) : [] };
}

/** True if a clause has matches of the pattern, and otherwise only words such as "not too". */
const isOnly = (clause: string, pattern: RegExp): boolean =>
  clause.replace(degree, "").replace(refusal, "").replace(pattern, "").trim() === "";

/** The labels that `pageText` puts before the metadata of a web page. */
const pageLabels = /^(title|site|description|colors):[ \t]*(.*)$/gim;

const removeLabels = (lines: string): string =>
  lines.replace(pageLabels, (_, label: string, rest: string) => (label.toLowerCase() === "colors" ? "" : rest));

const labelledText = (lines: string, name: string): string =>
  [...lines.matchAll(pageLabels)].find(([, label]) => label?.toLowerCase() === name)?.[2]?.trim() ?? "";

const madeFor = new RegExp(`\\b${anyOf(productWords.made)} ${anyOf(productWords.for)} ([^.!?,;:\\n]{3,60})`, "iu");

/** The product in a text; null if nothing names one. */
function findProduct(lines: string): StyleGuideOutput["product"] {
  const title = labelledText(lines, "title") || labelledText(lines, "site") || (lines.split("\n")[0] ?? "");
  // a page title often continues with the shop's name or a claim
  const name = cleanText(title.split(/\s[-–—|·:]\s/u)[0] ?? "", 80);
  if (!name || countWords(name) > 8) return null;
  const sentences = sentencesOf(removeLabels(lines));
  const longSentences = sentences.filter((sentence) => countWords(sentence) >= 5 && sentence !== title);
  const description = cleanText(labelledText(lines, "description") || longSentences.slice(0, 2).join(" "), 500);
  return { name, description, target_audience: madeFor.exec(lines)?.[1]?.trim() ?? null };
}

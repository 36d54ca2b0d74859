import type { StyleGuideOutput } from "../../../domain/ai/output-schemas.ts";
import { cleanLines, cleanText } from "../../../domain/shared/texts.ts";
import { colorRule, colorsByFrequency } from "./colors.ts";
import { instructionRule } from "./instructions.ts";
import { itemFindings } from "./items.ts";
import { readLabelled } from "./labelled.ts";
import { findProduct } from "./product.ts";
import { cameraRule, voiceRule } from "./quotes.ts";
import { type Finding, parseSentence, type Rule } from "./sentence.ts";
import { type Statement, statementsOf } from "./statements.ts";
import { type InstructionFinder, instructionFinderFor } from "./templates.ts";
import { resolveTempo, tempoRule } from "./tempo.ts";
import { joinTones, toneRule } from "./tone.ts";
import { anyOf, type Field, wholeWord } from "./vocabulary.ts";

// the rest of a long page adds little
const maxCharacters = 30_000;
// the rules take up to 0.1 ms for each, on the thread that answers requests
const maxLines = 2000;
const maxStatements = 2000;
// a longer sentence is a list without end
const maxSentenceCharacters = 2000;
const maxQuoteCharacters = 240;

/** Extracts a style guide by rules. It holds only what the text says; the words are in content/style-guide. */
export function styleGuideByRules(text: string): StyleGuideOutput {
  const lines = cleanLines(text).slice(0, maxCharacters).split("\n").slice(0, maxLines).join("\n");
  const findInstruction = instructionFinderFor(lines);
  const statements = statementsOf(lines).slice(0, maxStatements);
  const readings = statements.map((statement) => read(statement, findInstruction));
  const findings = isAboutStyle(lines, readings) ? readings.flat() : readings.flat().filter(isNoAdvice);
  const valuesOf = (field: Field) => preferLabelled(findings, field).map(({ value }) => value);
  return {
    style_guide: {
      tone: toneOf(preferLabelled(findings, "tone")),
      color_palette: [...colorsByFrequency(all(findings, "colors"))],
      tempo: resolveTempo(preferLabelled(findings, "tempo")),
      camera_style: quote(valuesOf("camera")),
      brand_voice: quote(valuesOf("voice")),
      must_include: [...all(findings, "include")],
      must_avoid: [...all(findings, "avoid")],
    },
    product: findProduct(lines),
  };
}

const filmWord = wholeWord(anyOf("filmWords"));

const isNoAdvice = ({ field }: Finding) => field !== "include" && field !== "avoid";

/** False for a text such as a manual, whose "avoid contact with water" is no advice for a film. */
const isAboutStyle = (text: string, readings: readonly (readonly Finding[])[]): boolean =>
  filmWord.test(text) ||
  readings.flat().some((finding) => finding.isLabelled || (isNoAdvice(finding) && finding.field !== "colors")) ||
  readings.every((findings) => findings.length > 0);

/** In order: each reads what those before it left. */
const rules: readonly Rule[] = [tempoRule, instructionRule, colorRule, toneRule, voiceRule, cameraRule];

/** A label that is no field of a style guide: "Music: none". */
const otherLabel = /^(?<name>[\p{L}-]{2,20}(?: [\p{L}-]{2,20})?):\s+(?<value>.*)$/u;
const none = new RegExp(`^${anyOf("none")}[.!]*$`, "iu");
const styleSubject = wholeWord(anyOf("toneSubjects", "tempoNouns"));

function read(statement: Statement, findInstruction: InstructionFinder): readonly Finding[] {
  const text = statement.text.slice(0, maxSentenceCharacters);
  const { field } = statement;
  if (field !== undefined) return readLabelled({ ...statement, text, field }, findInstruction);
  // a question asks for nothing: "Don't have an account?"
  if (text.endsWith("?")) return [];
  const { name = "", value = "" } = otherLabel.exec(text)?.groups ?? {};
  if (none.test(value)) return itemFindings("avoid", [name]);
  // "Light: natural" is no mood of the film
  const isOther = name !== "" && !styleSubject.test(text);
  return readSentence(
    text,
    isOther ? rules.filter((rule) => rule !== toneRule && rule !== tempoRule) : rules,
    findInstruction,
  );
}

function readSentence(text: string, applied: readonly Rule[], findInstruction: InstructionFinder): readonly Finding[] {
  const sentence = parseSentence(text, findInstruction);
  let open = sentence.parts;
  return applied.flatMap((rule) => {
    const { findings, used } = rule(sentence, open);
    open = open.filter((part) => !used.includes(part));
    return findings;
  });
}

const all = (findings: readonly Finding[], name: Field) =>
  findings.filter(({ field }) => field === name).map(({ value }) => value);

/** What stands under a label counts more than what prose says. */
function preferLabelled(findings: readonly Finding[], name: Field): readonly Finding[] {
  const ofField = findings.filter(({ field }) => field === name);
  const labelled = ofField.filter(({ isLabelled }) => isLabelled);
  return labelled.length > 0 ? labelled : ofField;
}

const toneOf = (findings: readonly Finding[]): string =>
  findings.some(({ isLabelled }) => isLabelled) ? findings.map(({ value }) => value).join(", ") : joinTones(findings);

const maxQuotes = 2;

const quote = (values: readonly string[]): string =>
  cleanText(values.slice(0, maxQuotes).join(" "), maxQuoteCharacters);

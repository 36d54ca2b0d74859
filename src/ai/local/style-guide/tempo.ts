import { type Tempo, tempos } from "../../../domain/ai/video-metrics.ts";
import { consistsOf, type Finding, isNegatedBefore, type Part, type Rule } from "./sentence.ts";
import { anyOf, wholeWord } from "./vocabulary.ts";

const tempoNoun = wholeWord(anyOf("tempoNouns"));
const cameraWord = wholeWord(anyOf("camera"));

const always: Record<Tempo, RegExp> = {
  fast: wholeWord(anyOf("fast"), "giu"),
  medium: wholeWord(anyOf("medium"), "giu"),
  slow: wholeWord(anyOf("slow"), "giu"),
};

/** Also words that mean a tempo only of cuts or a rhythm, such as "calm". */
const ofCuts: Record<Tempo, RegExp> = {
  fast: wholeWord(anyOf("fast", "fastWithNoun"), "giu"),
  medium: always.medium,
  slow: wholeWord(anyOf("slow", "slowWithNoun"), "giu"),
};

/** "something fast for TikTok" */
const forWhom = new RegExp(`\\s${anyOf("forWhom")}\\s.*$`, "iu");

const onlyTempo = wholeWord(anyOf("fast", "medium", "slow", "toneNouns"), "giu");

/** What a text under the label of the tempo says. */
export const readTempo = (text: string): readonly Finding[] => temposIn(text, ofCuts, false);

/** Reads clauses about cuts and rhythm, and clauses that are only a tempo. */
export const tempoRule: Rule = ({ isAboutStyle }, open) => {
  let previous: Part | undefined;
  const read = open.flatMap((part) => {
    const follows = previous?.index === part.index - 1;
    const isBare =
      consistsOf(part.text.replace(forWhom, ""), onlyTempo) && (follows || part.isFragment || isAboutStyle);
    const isOfCuts = tempoNoun.test(part.text);
    if ((!isBare && !isOfCuts) || cameraWord.test(part.text)) return [];
    const isDenied = part.isDenied || (part.joint === "or" && follows && isNegatedBefore(previous!.text, Infinity));
    const findings = temposIn(part.text, isOfCuts || follows ? ofCuts : always, isDenied);
    if (findings.length > 0) previous = part;
    return findings.length === 0 ? [] : [{ part, isBare, findings }];
  });
  return {
    findings: read.flatMap(({ findings }) => findings),
    // "no fast cuts" is also something to avoid
    used: read.flatMap(({ part, isBare, findings }) => (isBare || !findings.some(isDenial) ? part : [])),
  };
};

/** What an item to show or to avoid says about the tempo of the cuts. */
export const temposOfCuts = (item: string, isDenied: boolean): readonly Finding[] =>
  tempoNoun.test(item) ? temposIn(item, ofCuts, isDenied) : [];

const isDenial = ({ isDenied }: Finding) => isDenied === true;

const temposIn = (text: string, words: Record<Tempo, RegExp>, isDenied: boolean): readonly Finding[] =>
  tempos.flatMap((tempo) =>
    [...text.matchAll(words[tempo])].map(
      ({ index }): Finding => ({ field: "tempo", value: tempo, isDenied: isDenied || isNegatedBefore(text, index) }),
    ),
  );

/** The tempo that the findings agree on: the middle if they name both ends, or only deny one. */
export function resolveTempo(findings: readonly Finding[]): string {
  const said = new Set(findings.filter((finding) => !isDenial(finding)).map(({ value }) => value));
  if (said.size === 1) return [...said][0]!;
  return findings.length === 0 ? "" : "medium";
}

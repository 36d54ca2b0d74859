import { clausesOf, runsOf, withoutEndPunctuation } from "./clauses.ts";
import { colorsIn } from "./colors.ts";
import { itemFindings } from "./items.ts";
import type { Finding } from "./sentence.ts";
import type { Statement } from "./statements.ts";
import type { InstructionFinder } from "./templates.ts";
import { readTempo, temposOfCuts } from "./tempo.ts";
import { anyOf, anyRole, type Field, wholeWord } from "./vocabulary.ts";

type Labelled = Statement & { readonly field: Field };

/** Reads what stands under a label or heading. */
export function readLabelled(statement: Labelled, findInstruction: InstructionFinder): readonly Finding[] {
  return readField(statement, findInstruction).map((finding) => ({ ...finding, isLabelled: true }));
}

function readField({ field, text, isListItem }: Labelled, findInstruction: InstructionFinder): readonly Finding[] {
  if (field === "tempo") return readTempo(text);
  if (field !== "include" && field !== "avoid") return readValue(field, text, findInstruction);
  // "milk and sugar" in a list may be one thing
  const items = isListItem ? text.split(/[,;](?!\d)/u) : clausesOf(text).map((clause) => clause.text);
  return items.flatMap((item) => readItem(field, withoutEndPunctuation(item), findInstruction));
}

const verbAtStart = new RegExp(`^${anyRole("show", "showOrder")}\\s+(?=\\S)`, "iu");

function readItem(field: "include" | "avoid", text: string, findInstruction: InstructionFinder): readonly Finding[] {
  const instruction = findInstruction(text);
  const kind = field === "avoid" ? "avoid" : (instruction?.kind ?? "include");
  const object = instruction?.object ?? text.replace(verbAtStart, "");
  return [...itemFindings(kind, [object]), ...temposOfCuts(object, kind === "avoid")];
}

const negation = wholeWord(anyOf("negation"));

/** The value without what it denies, which is to be avoided. */
function readValue(field: Field, text: string, findInstruction: InstructionFinder): readonly Finding[] {
  const clauses = clausesOf(text).map((clause) => ({ ...clause, denied: deniedIn(clause.text, findInstruction) }));
  const kept = clauses.filter(({ denied }) => denied === undefined);
  const avoided = clauses.flatMap(({ denied }) => denied ?? []);
  const runs = runsOf(kept).map((run) => text.slice(run[0]!.start, run.at(-1)!.end));
  const value = withoutEndPunctuation(runs.join(", ")).replace(/\s*,\s*/gu, ", ");
  const values = field === "colors" ? kept.flatMap((clause) => colorsIn(clause.text)) : value ? [{ field, value }] : [];
  return [...values, ...itemFindings("avoid", avoided)];
}

/** What a clause of a value denies. */
function deniedIn(text: string, findInstruction: InstructionFinder): string | undefined {
  const instruction = findInstruction(text);
  if (instruction) return instruction.kind === "avoid" ? instruction.object : undefined;
  const found = negation.exec(text);
  return found ? text.slice(found.index + found[0].length).trim() : undefined;
}

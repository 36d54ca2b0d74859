import type { BatchOrder, BatchReport, ExportRequest, Target, Work } from "../api.ts";

/** A text of the films that a column can fill. */
export type Slot = {
  readonly id: string;
  /** The placeholder, or the film's current text. */
  readonly label: string;
  readonly kind: "placeholder" | "text";
};

type Texts = NonNullable<ExportRequest["texts"]>;

/** The texts of the saved editor, as an export has them. */
function textsOf({ editorState }: Work): Texts {
  const { editorData, textOverlays = {} } = editorState ?? {};
  // safe because the service accepts a saved overlay as a text of an export
  return (editorData?.textTrack ?? []).flatMap(({ id, start, end }) =>
    textOverlays[id] ? [{ ...textOverlays[id], position: start, end }] : [],
  ) as unknown as Texts;
}

/** Adjacent lines, which are one text for people. */
type Block = { readonly text: string; readonly lines: Texts };

function blocksOf(work: Work): readonly Block[] {
  const blocks: Block[] = [];
  for (const line of textsOf(work)) {
    const { text = "" } = line;
    const last = blocks.at(-1);
    const above = last?.lines.at(-1);
    const isSame = line.group && above?.group === line.group && above.fontSize === line.fontSize && line.maxHeight;
    if (last && isSame) blocks.splice(-1, 1, { text: `${last.text} ${text}`, lines: [...last.lines, line] });
    else blocks.push({ text, lines: [line] });
  }
  return blocks;
}

/** One text in the space of all lines, which shrinks a long one. */
function filledBlock({ lines }: Block, text: string): Texts[number] {
  const [first, last] = [lines[0]!, lines.at(-1)!]; // safe because a block has a line
  if (lines.length === 1) return { ...first, text };
  const maxHeight = lines.reduce((sum, line) => sum + (line.maxHeight ?? 0), 0);
  return { ...first, text, maxHeight, centerY: ((first.centerY ?? 0) + (last.centerY ?? 0)) / 2 };
}

/** False for texts that nobody changes, such as dots and initials. */
const isPlain = (text: string): boolean => /[\p{L}\p{N}].*[\p{L}\p{N}]/su.test(text) && !text.includes("{{");

/** The placeholders of a base, and its texts without any: equal texts are one slot. */
export function slotsOf(placeholders: readonly string[], work: Work | undefined): readonly Slot[] {
  const plain = (work ? blocksOf(work) : []).map(({ text }) => text).filter(isPlain);
  return [
    ...placeholders.map((label) => ({ id: `{{${label}}}`, label, kind: "placeholder" as const })),
    ...[...new Set(plain)].map((label) => ({ id: label, label, kind: "text" as const })),
  ];
}

const suffix = /_([a-z]{2,3}(?:-[A-Za-z]{2,4})?)$/;

/** The languages with their own columns for a text, such as name_de and name_en; for `alone`, one is enough. */
export function languagesIn(columns: readonly string[], alone: readonly string[] = []): readonly string[] {
  const tagged = columns.flatMap((column) => {
    const [ending, tag] = suffix.exec(column) ?? [];
    return ending && tag ? [{ stem: column.slice(0, -ending.length), tag }] : [];
  });
  const isFamily = (stem: string) => tagged.filter((other) => other.stem === stem).length > 1;
  return [...new Set(tagged.filter(({ stem, tag }) => isFamily(stem) || alone.includes(tag)).map(({ tag }) => tag))];
}

/** Columns by placeholder: name reads both name_de and name_en. */
export function familiesOf(columns: readonly string[], languages: readonly string[]): ReadonlyMap<string, string[]> {
  const families = new Map<string, string[]>();
  for (const column of columns) {
    const language = languages.find((tag) => column.endsWith(`_${tag}`));
    const family = language ? column.slice(0, -language.length - 1) : column;
    families.set(family, [...(families.get(family) ?? []), column]);
  }
  return families;
}

/** True for names that shops give to the column that identifies a row. */
export const isKey = (column: string): boolean => /^(sku|id|key|ean|gtin)$/i.test(column);

/** The preset of each slot: a column with its name; without any, the first text shows the first column. */
export function firstChoice(slots: readonly Slot[], families: readonly string[]): Readonly<Record<string, string>> {
  const same = slots.flatMap(({ id, label }): [string, string][] => {
    const family = families.find((name) => name.toLowerCase() === label.toLowerCase());
    return family ? [[id, family]] : [];
  });
  const [first] = slots;
  if (same.length > 0 || first?.kind !== "text") return Object.fromEntries(same);
  const shown = families.find((name) => !isKey(name)) ?? families[0];
  return shown === undefined ? {} : { [first.id]: shown };
}

export type Choices = {
  /** Without it, each row becomes a separate film from this order. */
  readonly work: Work | undefined;
  readonly film?: BatchOrder["base"]["film"];
  /** The budget of the films, and the model that translates them. */
  readonly spending?: Pick<BatchOrder, "budget" | "models">;
  readonly slots: readonly Slot[];
  /** Families of columns by slot. */
  readonly chosen: Readonly<Record<string, string>>;
  readonly report: Pick<BatchReport, "columns">;
  readonly name: string;
  readonly templateId: string;
  readonly keyColumn: string;
  readonly languages: readonly string[];
  readonly targets: readonly Target[];
  readonly stopsAtPreview: boolean;
};

/** The order of a batch, with the column names of the table. */
export function orderOf({ work, slots, chosen, report, templateId, keyColumn, ...choices }: Choices): BatchOrder {
  const { languages, targets, name, stopsAtPreview, film, spending } = choices;
  const families = familiesOf(report.columns, languages);
  const mapping: Record<string, string> = {};
  const nameOf: Record<string, string> = {};
  for (const { id, label, kind } of slots) {
    const family = chosen[id];
    if (kind !== "placeholder" || family === undefined) continue;
    nameOf[family] = label;
    for (const column of families.get(family) ?? []) mapping[column] = label + column.slice(family.length);
  }
  // an unused column must not have the name of a used one
  const taken = new Set(Object.values(mapping));
  for (const column of report.columns) if (!mapping[column] && taken.has(column)) mapping[column] = `_${column}`;

  const blocks = work ? blocksOf(work) : [];
  const familyOf = ({ text }: Block) => (templateId ? undefined : chosen[text]);
  const texts = blocks.flatMap((block) => {
    const family = familyOf(block);
    return family === undefined ? block.lines : [filledBlock(block, `{{${nameOf[family] ?? family}}}`)];
  });
  return {
    base: work
      ? {
          workId: work.id,
          ...(templateId && { templateId }),
          ...(blocks.some((block) => familyOf(block) !== undefined) && { export: { texts } }),
        }
      : { film },
    ...spending,
    ...(name && { name }),
    ...(Object.keys(mapping).length > 0 && { mapping }),
    ...(keyColumn && { keyColumn: mapping[keyColumn] ?? keyColumn }),
    ...(languages.length > 0 && { languages: [...languages] }),
    ...(targets.length > 0 && { targets: [...targets] }),
    ...(stopsAtPreview && { stopAt: ["preview" as const] }),
  };
}

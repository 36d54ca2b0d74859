import { plainText } from "../../../platform/plain-text.ts";
import { hasWords } from "../../ai/translation/translate.ts";
import { fillPlaceholders, placeholderFields, savedValues } from "../../templates/placeholders.ts";
import type { Finding, TableCode } from "../findings.ts";
import { type Cells, cellOf, columnsOf, maxCellCharacters, type TableRow } from "../rows.ts";
import type { Validation } from "./context.ts";
import { translationHash, type WantedText } from "./translations.ts";

/** The translations by the hash of their texts. */
export type KnownTranslations = ReadonlyMap<string, string>;

/**
 * Finds the texts for the placeholders. An empty cell is an empty text; only an absent column is missing, if the work keeps no
 * value for it.
 */
export function valuesOf(context: Validation, tableRow: TableRow, language: string, known: KnownTranslations) {
  const { row, key, cells } = tableRow;
  const { translation } = context;
  const { fields, texts = {} } = context.baseOf(language);
  const kept = savedValues(context.work?.editorState);
  const values = new Map<string, string>();
  const errors: Finding[] = [];
  const wanted: WantedText[] = [];

  const translated = (text: string): string => {
    if (!translation || !hasWords(text)) return text;
    const { model } = translation;
    const found = model && known.get(translationHash(model, { text, language }));
    if (found === undefined) wanted.push({ text, language });
    return found ?? text;
  };
  const miss = (name: string, path: string, code: TableCode, message: string) =>
    void errors.push({ row, key, column: name, path, ...(language !== "" && { language }), code, message });
  const textFor = (name: string, path: string, template: string | undefined): string | undefined => {
    const cell = cellOf(cells, name, language);
    if (cell !== undefined) return plainText(cell);
    if (Object.hasOwn(kept, name)) return kept[name];
    const columns = columnsOf(name, language).map((column) => JSON.stringify(column));
    const other = (translation && template) ?? cellElsewhere(context, cells, name);
    if (other === undefined) {
      const message = `Row ${row} has no column ${columns.at(-1)}, which ${path} shows: add it, with an empty cell to show nothing.`;
      return miss(name, path, "missing_column", message);
    }
    if (!translation) {
      const message = `Row ${row} has no text for ${JSON.stringify(name)} in ${language}: add the column ${columns[0]}.`;
      return miss(name, path, "translation_missing", message);
    }
    const before = wanted.length;
    const text = translated(other);
    if (translation.isOver && wanted.length > before) {
      const why = translation.failure ?? "The model has not translated it, or its answer is unknown.";
      const again = translation.model ? "Retry the batch to ask the model again" : "Order the table with another model";
      const message = `Row ${row} has no text for ${JSON.stringify(name)} in ${language}. ${why} ${again}, or add the column ${columns[0]}.`;
      return miss(name, path, "translation_missing", message);
    }
    // the template's text shows columns itself
    const shown = template === undefined ? [] : placeholderFields(text).flatMap(({ keys }) => keys);
    const inner = shown.map((inside) => [inside, textFor(inside, path, undefined) ?? ""]);
    return shown.length > 0 ? fillPlaceholders(text, Object.fromEntries(inner), maxCellCharacters).text : text;
  };
  for (const { path, keys } of fields) {
    for (const name of keys) {
      if (values.has(name) || errors.some(({ column }) => column === name)) continue;
      const value = textFor(name, path, Object.hasOwn(texts, name) ? texts[name] : undefined);
      if (value !== undefined) values.set(name, value);
    }
  }
  return { values: Object.fromEntries(values), errors, wanted };
}

/** The cell of another language of the batch; if a model translates, of any language. */
function cellElsewhere({ order, translation }: Validation, cells: Cells, name: string): string | undefined {
  const found = order.languages.map((other) => cellOf(cells, name, other)).find((cell) => cell !== undefined);
  if (found !== undefined || !translation) return found;
  const column = Object.keys(cells).find(
    (candidate) =>
      candidate.startsWith(`${name}_`) && /^[a-z]{2}(-[A-Za-z0-9]+)*$/.test(candidate.slice(name.length + 1)),
  );
  return column === undefined ? undefined : cells[column];
}

import { concurrencyLimit } from "../../platform/concurrency-limit.ts";
import { hasWords } from "../ai/translation/translate.ts";
import type { Asset } from "../assets/assets.ts";
import { type CompleteRequest, fillRow, isPictureUrl } from "../exports/fill-from-editor.ts";
import { ExportRequest } from "../exports/schema.ts";
import type { VideoTarget } from "../exports/targets.ts";
import { ErrorCollector } from "../exports/validation/error-collector.ts";
import { layOutRequest, requestWarnings } from "../exports/validation/validate.ts";
import { newId } from "../shared/ids.ts";
import { issuesOf, parseInput } from "../shared/validation.ts";
import { requireFound } from "../shared/versioned.ts";
import {
  fillPlaceholders,
  type PlaceholderField,
  type PlaceholderValues,
  placeholderFields,
} from "../templates/placeholders.ts";
import type { BatchBase, CheckedItem, ModelCosts, SameFilm } from "./batch.ts";
import type { Check, CheckedFilm, CheckedValues, CheckPorts, FilledRow, PlainFinding } from "./checking.ts";
import { fileNameOf } from "./file-names.ts";
import { checkFilmOfRow } from "./film-rows.ts";
import type { Finding, TableCode } from "./findings.ts";
import { identitiesOf } from "./identity.ts";
import { withPictures } from "./pictures.ts";
import { type Cells, cellOf, columnsOf, maxCellCharacters, type TableRow } from "./rows.ts";
import { translationHash, type WantedText } from "./translations.ts";

type CheckInput = Omit<Check, "baseOf"> & {
  readonly bases: readonly BatchBase[];
};

export function startCheck({ ports, bases, ...input }: CheckInput): Check {
  const byLanguage = new Map(
    bases.map(({ language, request, texts }) => [
      language,
      { request, ...(texts && { texts }), fields: placeholderFields("film" in request ? request.film : request) },
    ]),
  );
  // safe because there is a base for each language, or one for all
  const baseOf = (language: string) => (byLanguage.get(language) ?? byLanguage.get(""))!;
  return { ...input, ports: remembering(ports), baseOf };
}

/** Reads the project, templates, the media of the work, and each asset, once for the whole table. */
function remembering(ports: CheckPorts): CheckPorts {
  const media = new Map<string, ReturnType<CheckPorts["workMedia"]["list"]>>();
  const known = new Map<string, Asset | undefined>();
  const list: CheckPorts["workMedia"]["list"] = (workId) => {
    const found = media.get(workId) ?? ports.workMedia.list(workId);
    media.set(workId, found);
    return found;
  };
  return {
    ...ports,
    projects: { ...ports.projects, find: once(ports.projects.find) },
    templates: { ...ports.templates, find: once(ports.templates.find) },
    workMedia: {
      ...ports.workMedia,
      list,
      find: async (id, slot) => (await list(id)).find((each) => each.slot === slot),
    },
    assets: {
      ...ports.assets,
      async findMany(projectId, ids) {
        const unknown = ids.filter((id) => !known.has(id));
        if (unknown.length > 0) {
          const found = new Map((await ports.assets.findMany(projectId, unknown)).map((asset) => [asset.id, asset]));
          for (const id of unknown) known.set(id, found.get(id));
        }
        return ids.flatMap((id) => known.get(id) ?? []);
      },
    },
  };
}

/** Asks once for each pair of ids. */
function once<Found>(find: (of: string, id: string) => Promise<Found>): (of: string, id: string) => Promise<Found> {
  const found = new Map<string, Promise<Found>>();
  return (of, id) => {
    const name = `${of} ${id}`;
    const asked = found.get(name) ?? find(of, id);
    found.set(name, asked);
    return asked;
  };
}

/** A row in a language: what its films show, or why they cannot be made. */
type RowInLanguage = {
  readonly row: TableRow;
  readonly language: string;
  readonly values: PlaceholderValues;
  readonly errors: readonly Finding[];
  /** Texts that are to be translated: until then the row shows those of another language. */
  readonly wanted: readonly WantedText[];
  readonly film?: CheckedFilm;
};

/** A film of a row, with what the models ask for it. */
type CheckedRow = { readonly item: CheckedItem; readonly costs?: ModelCosts | undefined };

/** Their pictures are fetched side by side. */
const rowsAtOnce = 4;

/** The films of checked rows, and the texts that they want translated. */
export type CheckedRows = { readonly films: readonly CheckedRow[]; readonly wanted: readonly WantedText[] };

/** Checks rows in all languages and targets. Renders and pays nothing. */
export async function checkRows(check: Check, rows: readonly TableRow[]): Promise<CheckedRows> {
  const { order, project, ports } = check;
  const known = await knownTranslations(check, rows);
  const atOnce = concurrencyLimit({ concurrency: rowsAtOnce });
  const laidOut = await Promise.all(
    rows.flatMap((row) => order.languages.map((language) => atOnce(() => layOutRow(check, row, language, known)))),
  );
  const identities = laidOut.flatMap(({ film }) => film?.identities ?? []);
  const same = order.force ? new Map<string, SameFilm>() : await ports.batches.findSame(project.id, identities);
  const films: CheckedRow[] = [];
  for (const row of laidOut) films.push(...(await filmsOf(check, row, same)));
  return { films, wanted: laidOut.flatMap(({ wanted, errors }) => (errors.length > 0 ? [] : wanted)) };
}

type KnownTranslations = ReadonlyMap<string, string>;

/** All texts that rows have in other languages only. */
export const textsOf = (check: Check, rows: readonly TableRow[]): readonly WantedText[] =>
  rows.flatMap((row) => check.order.languages.flatMap((language) => valuesOf(check, row, language, new Map()).wanted));

async function knownTranslations(check: Check, rows: readonly TableRow[]): Promise<KnownTranslations> {
  const { translation, project, ports } = check;
  const model = translation?.model;
  if (!model) return new Map();
  const hashes = textsOf(check, rows).map((text) => translationHash(model, text));
  return await ports.batches.findTranslations(project.id, hashes);
}

async function layOutRow(
  check: Check,
  row: TableRow,
  language: string,
  known: KnownTranslations,
): Promise<RowInLanguage> {
  const { request: base, fields } = check.baseOf(language);
  const { values, errors: missing, wanted } = valuesOf(check, row, language, known);
  if (missing.length > 0) return { row, language, values, errors: missing, wanted };
  const found = (error: PlainFinding) => findingOf(row, language, fields, error, row.cells);
  const checked =
    "film" in base
      ? await checkFilmOfRow(check, base.film, { language, values, fields })
      : await layOutOverWork(check, base, { language, values, fields });
  const { film } = checked;
  return {
    ...{ row, language, wanted, values: checked.values },
    errors: checked.errors.map(found),
    ...(film && checked.errors.length === 0 && { film: wanted.length > 0 ? { ...film, identities: [] } : film }),
  };
}

async function layOutOverWork(
  check: Check,
  base: CompleteRequest,
  { language, values: cells, fields }: FilledRow,
): Promise<CheckedValues> {
  const { ports, caller, order } = check;
  const work = requireFound(check.work);
  const { targets } = order;
  const options = { ...base.options, ...(targets[0] !== "" && { targets: targetsIn(targets) }) };
  const errors = new ErrorCollector();
  const { values, later } = await withPictures(check.pictures, base, fields, cells, errors);
  const filled = fillRow(base, values, options);
  const images = filled.images?.filter(({ assetId }) => !later.has(assetId.trim()));
  const request = { ...filled, ...(images && { images }) };
  if (!errors.isEmpty) return { values, errors: errors.list };
  const parsed = fields.length > 0 ? parseInput(ExportRequest, request) : undefined;
  if (parsed?.error) {
    return { values, errors: issuesOf(parsed.error).map((issue) => ({ ...issue, code: "validation_error" as const })) };
  }
  const laidOut = await layOutRequest({ ports, caller, work, errors }, request);
  if (!errors.isEmpty) return { values, errors: errors.list };
  // what is not fetched yet may have changed
  const seed = later.size > 0 ? [...later].join(" ") : undefined;
  const identities = identitiesOf({ request, ...laidOut, language, seed }, targets);
  const frames = laidOut.layout.timeline.track.frames;
  return { values, errors: [], film: { identities, frames, laidOut: { ...laidOut, request } } };
}

const targetsIn = (targets: readonly VideoTarget[]) => targets.flatMap((target) => (target === "" ? [] : [target]));

/** The texts that the placeholders stand for. An empty cell is an empty text; only an absent column is missing. */
function valuesOf(check: Check, tableRow: TableRow, language: string, known: KnownTranslations) {
  const { row, key, cells } = tableRow;
  const { translation } = check;
  const { fields, texts = {} } = check.baseOf(language);
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
    if (cell !== undefined) return cell;
    const columns = columnsOf(name, language).map((column) => JSON.stringify(column));
    const other = (translation && template) ?? cellElsewhere(check, cells, name);
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
      const why = translation.failure ?? "The model has not translated it, or nobody knows whether it has.";
      const again = translation.model ? "Retry the batch to ask the model again" : "Order the table with another model";
      const message = `Row ${row} has no text for ${JSON.stringify(name)} in ${language}. ${why} ${again}, or add the column ${columns[0]}.`;
      return miss(name, path, "translation_missing", message);
    }
    // the text of a template shows columns itself
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

/** The cell of another language of the batch; where a model translates, of any language. */
function cellElsewhere({ order, translation }: Check, cells: Cells, name: string): string | undefined {
  const found = order.languages.map((other) => cellOf(cells, name, other)).find((cell) => cell !== undefined);
  if (found !== undefined || !translation) return found;
  const column = Object.keys(cells).find(
    (candidate) =>
      candidate.startsWith(`${name}_`) && /^[a-z]{2}(-[A-Za-z0-9]+)*$/.test(candidate.slice(name.length + 1)),
  );
  return column === undefined ? undefined : cells[column];
}

/** With the column that the field shows. */
function findingOf(
  { row, key }: TableRow,
  language: string,
  fields: readonly PlaceholderField[],
  { path, code, message, targets }: PlainFinding,
  cells: Cells,
): Finding {
  const item = itemPath(path);
  const names = fields.find((field) => itemPath(field.path) === item)?.keys ?? [];
  const column = names
    .flatMap((name) => columnsOf(name, language))
    .find((candidate) => Object.hasOwn(cells, candidate));
  return {
    ...{ row, key, path, code, message },
    ...(column !== undefined && { column }),
    ...(language !== "" && { language }),
    ...(targets && targets.length > 0 && { targets }),
  };
}

/** Such as `texts.2` of `texts.2.text`, and `audio` of `audio.audioUrl`. */
function itemPath(path: string): string {
  const [list = "", at = ""] = path.split(".");
  return /^\d+$/.test(at) ? `${list}.${at}` : list;
}

async function filmsOf(
  check: Check,
  { row, language, values, errors, film, wanted }: RowInLanguage,
  same: ReadonlyMap<string, SameFilm>,
): Promise<readonly CheckedRow[]> {
  const { order } = check;
  const isWanted = wanted.length > 0;
  const found = order.targets.map((_, at) => (film && !isWanted ? same.get(film.identities[at]!) : undefined));
  const isNew = !isWanted && found.some((film) => film === undefined);
  // texts of another language say nothing of how theirs fit
  const warned = film && isNew ? await warningsOf(check, row, language, film) : { warnings: [], errors: [] };
  const failed = [...errors, ...warned.errors];
  return order.targets.map((target, at): CheckedRow => {
    const isInvalid = failed.length > 0;
    const known = isInvalid ? undefined : found[at];
    const concerns = ({ targets }: Finding) => !targets || target === "" || targets.includes(target);
    const place =
      ((row.row - 1) * order.languages.length + order.languages.indexOf(language)) * order.targets.length + at;
    const identity = isInvalid || isWanted ? undefined : film?.identities[at];
    const item: CheckedItem = {
      ...{ id: newId("item"), place, row: row.row, key: row.key, language, target, values },
      fileName: fileNameOf(order.fileName, row, { language, target }),
      status: isInvalid ? "invalid" : known ? "unchanged" : "waiting",
      ...(identity !== undefined && { identity }),
      textLength: Object.entries(values).reduce((sum, [name, text]) => sum + (isPictureUrl(name) ? 0 : text.length), 0),
      frames: film?.frames ?? 0,
      isPreview: false,
      ...(known && { exportId: known.exportId, sha256: known.sha256, sizeBytes: known.sizeBytes }),
      warnings: known ? known.warnings : warned.warnings.filter(concerns),
      errors: failed.filter(concerns),
    };
    // one film from a brief has all targets
    const isPaid = item.status === "waiting" && at === 0;
    return { item, costs: isPaid ? film?.costs : undefined };
  });
}

/** Texts that do not fit are warnings, a font that cannot be used is an error. */
async function warningsOf(check: Check, row: TableRow, language: string, { laidOut }: CheckedFilm) {
  const { ports, caller, work } = check;
  if (!laidOut || !work) return { warnings: [], errors: [] };
  const { fields } = check.baseOf(language);
  const errors = new ErrorCollector();
  const warnings = await requestWarnings({ ports, caller, work, errors }, laidOut.request, laidOut);
  const toFinding = (finding: PlainFinding) => findingOf(row, language, fields, finding, row.cells);
  return { warnings: warnings.map(toFinding), errors: errors.list.map(toFinding) };
}

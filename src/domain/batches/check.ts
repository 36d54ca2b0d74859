import { concurrencyLimit } from "../../platform/concurrency-limit.ts";
import type { Caller } from "../accounts/caller.ts";
import type { Asset } from "../assets/assets.ts";
import { type CompleteRequest, fillRow, isPictureUrl } from "../exports/fill-from-editor.ts";
import { ExportRequest } from "../exports/schema.ts";
import type { VideoTarget } from "../exports/targets.ts";
import { ErrorCollector } from "../exports/validation/error-collector.ts";
import { type CheckRequestPorts, layOutRequest, requestWarnings } from "../exports/validation/validate.ts";
import { newId } from "../shared/ids.ts";
import { issuesOf, parseInput } from "../shared/validation.ts";
import { type PlaceholderField, type PlaceholderValues, placeholderFields } from "../templates/placeholders.ts";
import type { Work } from "../works/works.ts";
import type { Batch, BatchBase, BatchStore, CheckedItem, SameFilm } from "./batch.ts";
import { fileNameOf } from "./file-names.ts";
import type { Finding } from "./findings.ts";
import { identitiesOf } from "./identity.ts";
import { type Pictures, withPictures } from "./pictures.ts";
import { type Cells, cellOf, columnsOf, type TableRow } from "./rows.ts";

export type CheckPorts = CheckRequestPorts & { readonly batches: Pick<BatchStore, "findSame"> };

type BaseOfLanguage = { readonly request: CompleteRequest; readonly fields: readonly PlaceholderField[] };

/** What the check of a table needs to know, once for all rows. */
export type Check = {
  readonly ports: CheckPorts;
  readonly caller: Caller;
  readonly work: Work;
  readonly order: Batch["order"];
  readonly pictures: Pictures;
  baseOf(language: string): BaseOfLanguage;
};

type CheckInput = Pick<Check, "ports" | "caller" | "work" | "order" | "pictures"> & {
  readonly bases: readonly BatchBase[];
};

export function startCheck({ ports, bases, ...input }: CheckInput): Check {
  const byLanguage = new Map(
    bases.map(({ language, request }) => [language, { request, fields: placeholderFields(request) }]),
  );
  // safe because there is a base for each language, or one for all
  const baseOf = (language: string) => (byLanguage.get(language) ?? byLanguage.get(""))!;
  return { ...input, ports: remembering(ports), baseOf };
}

/** Reads the media of the work, and each asset, once for the whole table. */
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

/** A row in a language: what its films show, or why they cannot be made. */
type RowInLanguage = {
  readonly row: TableRow;
  readonly language: string;
  readonly values: PlaceholderValues;
  readonly errors: readonly Finding[];
  readonly film?: LaidOutFilm;
};

type LaidOutFilm = Awaited<ReturnType<typeof layOutRequest>> & {
  readonly request: CompleteRequest;
  readonly identities: readonly string[];
};

/** Their pictures are fetched side by side. */
const rowsAtOnce = 4;

/** Checks rows in all languages and targets. Renders and pays nothing. */
export async function checkRows(check: Check, rows: readonly TableRow[]): Promise<readonly CheckedItem[]> {
  const { order, work, ports } = check;
  const atOnce = concurrencyLimit({ concurrency: rowsAtOnce });
  const laidOut = await Promise.all(
    rows.flatMap((row) => order.languages.map((language) => atOnce(() => layOutRow(check, row, language)))),
  );
  const identities = laidOut.flatMap(({ film }) => film?.identities ?? []);
  const same = order.force ? new Map<string, SameFilm>() : await ports.batches.findSame(work.projectId, identities);
  const items: CheckedItem[] = [];
  for (const row of laidOut) items.push(...(await itemsOf(check, row, same)));
  return items;
}

async function layOutRow(check: Check, row: TableRow, language: string): Promise<RowInLanguage> {
  const { ports, caller, work, order } = check;
  const { request: base, fields } = check.baseOf(language);
  const { values: cells, errors: missing } = valuesOf(check, row, language, fields);
  if (missing.length > 0) return { row, language, values: cells, errors: missing };

  const { targets } = order;
  const options = { ...base.options, ...(targets[0] !== "" && { targets: targetsIn(targets) }) };
  const errors = new ErrorCollector();
  const { values, later } = await withPictures(check.pictures, base, fields, cells, errors);
  const filled = fillRow(base, values, options);
  const images = filled.images?.filter(({ assetId }) => !later.has(assetId.trim()));
  const request = { ...filled, ...(images && { images }) };
  const found = (): readonly Finding[] =>
    errors.list.map((error) => findingOf(row, language, fields, error, row.cells));
  if (!errors.isEmpty) return { row, language, values, errors: found() };
  const parsed = fields.length > 0 ? parseInput(ExportRequest, request) : undefined;
  if (parsed?.error) {
    const issues = issuesOf(parsed.error).map((issue) => ({ ...issue, code: "validation_error" as const }));
    return { row, language, values, errors: issues.map((issue) => findingOf(row, language, fields, issue, row.cells)) };
  }
  const laidOut = await layOutRequest({ ports, caller, work, errors }, request);
  if (!errors.isEmpty) return { row, language, values, errors: found() };
  // what is not fetched yet may have changed
  const seed = later.size > 0 ? [...later].join(" ") : undefined;
  const identities = identitiesOf({ request, ...laidOut, language, seed }, targets);
  return { row, language, values, errors: [], film: { ...laidOut, request, identities } };
}

const targetsIn = (targets: readonly VideoTarget[]) => targets.flatMap((target) => (target === "" ? [] : [target]));

/** The cells that the placeholders stand for. An empty cell is an empty text; only an absent column is missing. */
function valuesOf(
  { order }: Check,
  { row, key, cells }: TableRow,
  language: string,
  fields: readonly PlaceholderField[],
) {
  const values = new Map<string, string>();
  const errors: Finding[] = [];
  for (const { path, keys } of fields) {
    for (const name of keys) {
      if (values.has(name) || errors.some(({ column }) => column === name)) continue;
      const cell = cellOf(cells, name, language);
      if (cell !== undefined) {
        values.set(name, cell);
        continue;
      }
      const isElsewhere = order.languages.some((other) => cellOf(cells, name, other) !== undefined);
      const wanted = columnsOf(name, language).map((column) => JSON.stringify(column));
      errors.push({
        ...{ row, key, column: name, path, ...(language !== "" && { language }) },
        ...(isElsewhere
          ? {
              code: "translation_missing" as const,
              message: `Row ${row} has no text for ${JSON.stringify(name)} in ${language}: add the column ${wanted[0]}.`,
            }
          : {
              code: "missing_column" as const,
              message: `Row ${row} has no column ${wanted.at(-1)}, which ${path} shows: add it, with an empty cell to show nothing.`,
            }),
      });
    }
  }
  return { values: Object.fromEntries(values), errors };
}

type PlainFinding = Pick<Finding, "path" | "code" | "message" | "targets">;

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

async function itemsOf(
  check: Check,
  { row, language, values, errors, film }: RowInLanguage,
  same: ReadonlyMap<string, SameFilm>,
): Promise<readonly CheckedItem[]> {
  const { order } = check;
  const found = order.targets.map((_, at) => film && same.get(film.identities[at]!));
  const isNew = film !== undefined && found.some((film) => film === undefined);
  const warned = isNew ? await warningsOf(check, row, language, film) : { warnings: [], errors: [] };
  const failed = [...errors, ...warned.errors];
  return order.targets.map((target, at): CheckedItem => {
    const known = failed.length > 0 ? undefined : found[at];
    const concerns = ({ targets }: Finding) => !targets || target === "" || targets.includes(target);
    const place =
      ((row.row - 1) * order.languages.length + order.languages.indexOf(language)) * order.targets.length + at;
    return {
      ...{ id: newId("item"), place, row: row.row, key: row.key, language, target, values },
      fileName: fileNameOf(order.fileName, row, { language, target }),
      status: failed.length > 0 ? "invalid" : known ? "unchanged" : "waiting",
      ...(film && failed.length === 0 && { identity: film.identities[at]! }),
      textLength: Object.entries(values).reduce((sum, [name, text]) => sum + (isPictureUrl(name) ? 0 : text.length), 0),
      frames: film?.layout.timeline.track.frames ?? 0,
      isPreview: false,
      ...(known && { exportId: known.exportId, sha256: known.sha256, sizeBytes: known.sizeBytes }),
      warnings: known ? known.warnings : warned.warnings.filter(concerns),
      errors: failed.filter(concerns),
    };
  });
}

/** Texts that do not fit are warnings, a font that cannot be used is an error. */
async function warningsOf({ ports, caller, work, baseOf }: Check, row: TableRow, language: string, film: LaidOutFilm) {
  const { fields } = baseOf(language);
  const errors = new ErrorCollector();
  const warnings = await requestWarnings({ ports, caller, work, errors }, film.request, film);
  const toFinding = (finding: PlainFinding) => findingOf(row, language, fields, finding, row.cells);
  return { warnings: warnings.map(toFinding), errors: errors.list.map(toFinding) };
}

import { oncePer } from "../../../platform/async.ts";
import { concurrencyLimit } from "../../../platform/limits/concurrency-limit.ts";
import { sum } from "../../../platform/values.ts";
import type { Asset } from "../../assets/assets.ts";
import { type CompleteRequest, fillRow, isPictureUrl } from "../../exports/request/fill-from-editor.ts";
import type { LayerRequest } from "../../exports/request/layers/schema.ts";
import { ExportRequest } from "../../exports/request/schema.ts";
import type { VideoTarget } from "../../exports/request/targets.ts";
import { ErrorCollector } from "../../exports/request/validation/error-collector.ts";
import { layOutRequest, requestWarnings } from "../../exports/request/validation/validate.ts";
import { filmName, withoutPlaceholders } from "../../films/order/order.ts";
import { orderWarnings } from "../../films/order/warnings.ts";
import { newId } from "../../shared/ids.ts";
import { issuesOf, parseInput } from "../../shared/validation.ts";
import { requireFound } from "../../shared/versioned.ts";
import { type PlaceholderField, type PlaceholderValues, placeholderFields } from "../../templates/placeholders.ts";
import type { BatchBase, CheckedItem, ModelCosts, SameFilm } from "../batch.ts";
import { fileNameOf } from "../file-names.ts";
import type { Finding } from "../findings.ts";
import { columnsOf, type TableRow } from "../rows.ts";
import { type KnownTranslations, valuesOf } from "./cell-values.ts";
import type {
  FilledRow,
  PlainFinding,
  ValidatedFilm,
  ValidatedValues,
  Validation,
  ValidationPorts,
} from "./context.ts";
import { validateFilmOfRow } from "./film-rows.ts";
import { identitiesOf } from "./identity.ts";
import { withPictures } from "./pictures.ts";
import { translationHash, type WantedText } from "./translations.ts";

type ValidationInput = Omit<Validation, "baseOf"> & { readonly bases: readonly BatchBase[] };

export function startValidation({ ports, bases, ...input }: ValidationInput): Validation {
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

/** A row in a language: the content of its films, or the errors that prevent them. */
type RowInLanguage = {
  readonly row: TableRow;
  readonly language: string;
  readonly values: PlaceholderValues;
  readonly errors: readonly Finding[];
  /** Texts to translate: until then the row shows those of another language. */
  readonly wanted: readonly WantedText[];
  readonly film?: ValidatedFilm;
};

/** A film of a row, with the costs of its models. */
type ValidatedRow = { readonly item: CheckedItem; readonly costs?: ModelCosts | undefined };

export const rowsAtOnce = 25;

/** The pictures of these languages are fetched concurrently. */
const languagesAtOnce = 4;

export type ValidatedRows = { readonly films: readonly ValidatedRow[]; readonly wanted: readonly WantedText[] };

/** Validates rows in all languages and targets. Renders and pays nothing. */
export async function validateRows(context: Validation, rows: readonly TableRow[]): Promise<ValidatedRows> {
  const { order, project, ports } = context;
  const known = await knownTranslations(context, rows);
  const atOnce = concurrencyLimit({ concurrency: languagesAtOnce });
  const laidOut = await Promise.all(
    rows.flatMap((row) => order.languages.map((language) => atOnce(() => layOutRow(context, row, language, known)))),
  );
  const identities = laidOut.flatMap(({ film }) => film?.identities ?? []);
  const same = order.force ? new Map<string, SameFilm>() : await ports.batches.findSame(project.id, identities);
  const films: ValidatedRow[] = [];
  for (const row of laidOut) films.push(...(await filmsOf(context, row, same)));
  return { films, wanted: laidOut.flatMap(({ wanted, errors }) => (errors.length > 0 ? [] : wanted)) };
}

/** All texts that rows have in other languages only. */
export const textsOf = (context: Validation, rows: readonly TableRow[]): readonly WantedText[] =>
  rows.flatMap((row) =>
    context.order.languages.flatMap((language) => valuesOf(context, row, language, new Map()).wanted),
  );

async function knownTranslations(context: Validation, rows: readonly TableRow[]): Promise<KnownTranslations> {
  const { translation, project, ports } = context;
  const model = translation?.model;
  if (!model) return new Map();
  const hashes = textsOf(context, rows).map((text) => translationHash(model, text));
  return await ports.batches.findTranslations(project.id, hashes);
}

async function layOutRow(
  context: Validation,
  row: TableRow,
  language: string,
  known: KnownTranslations,
): Promise<RowInLanguage> {
  const { request: base, fields } = context.baseOf(language);
  const { values, errors: missing, wanted } = valuesOf(context, row, language, known);
  if (missing.length > 0) return { row, language, values, errors: missing, wanted };
  const checked =
    "film" in base
      ? await validateFilmOfRow(context, base.film, { language, values, fields })
      : await layOutOverWork(context, base, { language, values, fields });
  const { film } = checked;
  return {
    ...{ row, language, wanted, values: checked.values },
    errors: findingsOf(row, language, fields, checked.errors),
    ...(film && checked.errors.length === 0 && { film: wanted.length > 0 ? { ...film, identities: [] } : film }),
  };
}

async function layOutOverWork(
  context: Validation,
  base: CompleteRequest,
  { language, values: cells, fields }: FilledRow,
): Promise<ValidatedValues> {
  const { ports, caller, order } = context;
  const work = requireFound(context.work);
  const { targets } = order;
  const options = { ...base.options, ...(targets[0] !== "" && { targets: targetsIn(targets) }) };
  const errors = new ErrorCollector();
  const { values, later } = await withPictures(context.pictures, base, fields, cells, errors);
  const filled = fillRow(base, values, options);
  const images = filled.images?.filter(({ assetId }) => !later.has(assetId.trim()));
  const layers = filled.layers && withoutPictures(filled.layers, later);
  const request = { ...filled, ...(images && { images }), ...(layers && { layers }) };
  if (!errors.isEmpty) return { values, errors: errors.list };
  const parsed = fields.length > 0 ? parseInput(ExportRequest, request) : undefined;
  if (parsed?.error) {
    return { values, errors: issuesOf(parsed.error).map((issue) => ({ ...issue, code: "validation_error" as const })) };
  }
  const laidOut = await layOutRequest({ ports, caller, work, errors }, request);
  if (!errors.isEmpty) return { values, errors: errors.list };
  // content that is not fetched yet may have changed
  const seed = later.size > 0 ? [...later].join(" ") : undefined;
  const identities = identitiesOf({ request, ...laidOut, language, seed }, targets);
  const frames = laidOut.layout.timeline.track.frames;
  return { values, errors: [], film: { identities, frames, laidOut: { ...laidOut, request } } };
}

/** Removes the layers whose pictures, or masks, are not fetched yet. */
const withoutPictures = (layers: readonly LayerRequest[], later: ReadonlySet<string>): LayerRequest[] =>
  layers.flatMap((layer): LayerRequest[] => {
    const ids = [layer.type === "image" ? layer.assetId : undefined, layer.mask?.assetId];
    if (ids.some((id) => id !== undefined && later.has(id.trim()))) return [];
    return layer.type === "group" ? [{ ...layer, layers: withoutPictures(layer.layers, later) }] : [layer];
  });

const targetsIn = (targets: readonly VideoTarget[]) => targets.flatMap((target) => (target === "" ? [] : [target]));

/** Adds the columns that the fields show. */
function findingsOf(
  { row, key, cells }: TableRow,
  language: string,
  fields: readonly PlaceholderField[],
  found: readonly PlainFinding[],
): readonly Finding[] {
  return found.map(({ path, code, message, targets }) => {
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
  });
}

/** Returns `texts.2` for `texts.2.text`, and `audio` for `audio.audioUrl`. */
function itemPath(path: string): string {
  const [list = "", at = ""] = path.split(".");
  return /^\d+$/.test(at) ? `${list}.${at}` : list;
}

async function filmsOf(
  context: Validation,
  { row, language, values, errors, film, wanted }: RowInLanguage,
  same: ReadonlyMap<string, SameFilm>,
): Promise<readonly ValidatedRow[]> {
  const { order } = context;
  const isWanted = wanted.length > 0;
  const found = order.targets.map((_, at) => (film && !isWanted ? same.get(film.identities[at]!) : undefined));
  const isNew = !isWanted && found.some((film) => film === undefined);
  // the fit of texts in another language says nothing about the translations
  const warned = film && isNew ? await warningsOf(context, row, language, film) : { warnings: [], errors: [] };
  const failed = [...errors, ...warned.errors];
  return order.targets.map((target, at): ValidatedRow => {
    const isInvalid = failed.length > 0;
    const known = isInvalid ? undefined : found[at];
    const concerns = ({ targets }: Finding) => !targets || target === "" || targets.includes(target);
    const place =
      ((row.row - 1) * order.languages.length + order.languages.indexOf(language)) * order.targets.length + at;
    const identity = isInvalid || isWanted ? undefined : film?.identities[at];
    const item: CheckedItem = {
      ...{ id: newId("item"), place, row: row.row, key: row.key, language, target, values },
      fileName: fileNameOf(order, row, { language, target }),
      status: isInvalid ? "invalid" : known ? "unchanged" : "waiting",
      ...(identity !== undefined && { identity }),
      textLength: sum(Object.entries(values).map(([name, text]) => (isPictureUrl(name) ? 0 : text.length))),
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

/** Reports texts that do not fit and parts of a brief that are not shown as warnings; an unusable font is an error. */
async function warningsOf(context: Validation, row: TableRow, language: string, { laidOut, ordered }: ValidatedFilm) {
  const { ports, caller, project, work } = context;
  const { fields } = context.baseOf(language);
  const errors = new ErrorCollector();
  const ofBrief = async ({ order: sent, name }: NonNullable<typeof ordered>) => {
    const { order, warnings, ...plain } = withoutPlaceholders(sent, name);
    return [...warnings, ...(await orderWarnings(ports, { caller, project }, order, filmName({ ...plain, order })))];
  };
  const warnings =
    laidOut && work
      ? await requestWarnings({ ports, caller, work, errors }, laidOut.request, laidOut)
      : ordered && (await errors.capture(() => ofBrief(ordered)));
  return {
    warnings: findingsOf(row, language, fields, warnings ?? []),
    errors: findingsOf(row, language, fields, errors.list),
  };
}

/** Caches the project, templates, the media of the work, and each asset for the whole table. */
function remembering(ports: ValidationPorts): ValidationPorts {
  const known = new Map<string, Asset | undefined>();
  const list = oncePer((workId) => workId, ports.workMedia.list);
  return {
    ...ports,
    projects: { ...ports.projects, find: oncePer(idsOf, ports.projects.find) },
    templates: { ...ports.templates, find: oncePer(idsOf, ports.templates.find) },
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

const idsOf = (owner: string, id: string): string => `${owner} ${id}`;

import { z } from "zod";
import { approvals, batchStops, itemStatuses } from "../../domain/batches/batch.ts";
import type { BatchRequest } from "../../domain/batches/order/order.ts";
import { maxRows, readRows, tableTypes } from "../../domain/batches/rows.ts";
import { Destinations } from "../../domain/destinations/schema.ts";
import { AsyncExportRequest } from "../../domain/exports/request/schema.ts";
import { WebhookRequest } from "../../domain/exports/webhooks/schema.ts";
import { aspectRatios, LanguageTag, named, namedObject, optional } from "../../domain/shared/schemas.ts";
import { placeholderFields } from "../../domain/templates/placeholders.ts";
import { DomainError, type Issue, invalid, isDomainError } from "../../errors.ts";
import { withoutUndefined } from "../../platform/values.ts";
import { Budget, FilmModels, readFilmOrder, toModels } from "../films/schemas.ts";
import { Id, isDistinct, Name, PageQuery, textUpTo } from "../schemas/common.ts";
import { jsonUpTo, mapOf, openObject } from "../schemas/objects.ts";

const maxLanguages = 50;

const Texts = z.union([textUpTo(10_000), mapOf(textUpTo(10_000), maxLanguages)], {
  error: "Must be a text, or an object with a text for each language.",
});

const Base = named(
  "BatchBase",
  z
    .object({
      film: optional(jsonUpTo(256, openObject({}), { field: "base.film" })).describe(
        "Instead of a work: an order as for `POST …/films`, for each row. Each text in it can contain `{{column}}`, and `brief.assetIds` can contain URLs of pictures. The `languages` and `targets` of the batch apply to its films.",
      ),
      workId: optional(Id).describe("The work whose saved editor each film shows."),
      export: optional(
        named(
          "BatchExport",
          AsyncExportRequest.omit({ projectId: true, workId: true, webhook: true, destinations: true }),
        ),
      ).describe("Fields that replace those of the saved editor, as in an export."),
      templateId: optional(Id).describe("A template to apply over the work."),
      values: optional(mapOf(Texts, 1000)).describe(
        "A text for each of the template's placeholders, or one for each language; texts can contain `{{column}}`. A key without a text reads the column of its name.",
      ),
    })
    .superRefine(({ film, workId, ...ofWork }, { addIssue }) => {
      const miss = (path: string, message: string) => addIssue({ code: "custom", path: [path], message });
      if (!film && workId == null) miss("workId", "Is required, or a film instead.");
      const other = film && (workId == null ? Object.keys(ofWork).find((name) => name in ofWork) : "workId");
      if (other) miss(other, "Must be absent if there is a film.");
    }),
  {
    description:
      "Texts, ids of images and URLs of sounds in it can contain `{{column}}`. Instead of an image's id, the cell can have the URL of a picture, which becomes an asset of the project.",
  },
);

const Stops = z.array(z.enum(batchStops)).max(batchStops.length);

const common = {
  name: optional(Name).describe("By default, the name of the work."),
  base: Base,
  mapping: optional(mapOf(z.string().min(1).max(200), 200)).describe(
    'Other names for columns: `{ "column": "placeholder" }`.',
  ),
  keyColumn: optional(z.string().max(200)).describe("The column that names a row; by default, the number of the row."),
  languages: optional(
    z.array(LanguageTag).min(1).max(maxLanguages).refine(isDistinct, "Must name no language twice."),
  ).describe("Makes each row once in each language: `{{text}}` reads the column `text_de` for `de`, else `text`."),
  targets: optional(
    z.array(z.enum(aspectRatios)).min(1).max(4).refine(isDistinct, "Must name no target twice."),
  ).describe("Makes each row once in each aspect ratio; by default, in those of the base."),
  fileName: optional(z.string().min(1).max(2000)).describe(
    "The names of the files, such as `{{sku}}_{{language}}_{{target}}`; `{{key}}` and `{{row}}` name the row.",
  ),
  stopAt: optional(Stops).describe(
    "Waits for an approval: `translations` before films are made with new translations, `preview` after three films.",
  ),
  onError: optional(z.enum(["continue", "stop"])).describe("`stop`: starts no more films after one has failed."),
  concurrency: optional(z.int().min(1).max(8)).describe("How many films are made at once; 4 by default."),
  force: optional(z.boolean()).describe("Also renders films that did not change."),
  budget: optional(Budget).describe("What models may cost for the whole table. The batch waits when it is used up."),
  models: optional(FilmModels).describe(
    "`llm` translates texts that a row or a template has only in another language. The others make films from briefs, where `base.film.models` names none.",
  ),
  webhook: optional(WebhookRequest),
  destinations: optional(Destinations).describe(
    "Where each finished video is sent. `{{column}}` in a key, a title, a description or a tag is the cell of its row.",
  ),
};

const Cell = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** `readRows` checks the rows, with a path for each cell. */
const Rows = z
  .array(z.unknown())
  .min(1)
  .describe("1 to 5,000 rows, each an object with a text for each column.")
  .meta({ items: z.toJSONSchema(z.record(z.string(), Cell)) });

export const BatchBody = namedObject("NewBatch", { ...common, rows: Rows });

type Body = z.output<typeof BatchBody>;

/** Converts the body to a request of the domain. Throws validation_error for its rows, below `path`. */
export async function toBatchRequest(body: Body, projectId: string, path = "rows"): Promise<BatchRequest> {
  const { rows, mapping, keyColumn, base, models, budget, ...order } = body;
  const { film, workId, ...ofWork } = base;
  if (film?.destinations != null) throw invalid("base.film.destinations", "Must be sent beside the base.");
  if (film) requireFilmOrder(film, projectId);
  const own = film ? toModels(parseModels(film.models)) : {};
  return {
    ...withoutUndefined(order),
    // safe because a base without a film has a work
    base: film ? { film } : { workId: workId!, ...withoutUndefined(ofWork) },
    models: { ...toModels(models), ...own },
    ...(budget && { maxSpend: budget.limit }),
    table: await readRows(rows, { mapping, keyColumn }, path),
  };
}

const inFilm = (path: string) => `base.film.${path}`;

function parseModels(models: unknown): z.output<typeof FilmModels> | undefined {
  const parsed = optional(FilmModels).safeParse(models);
  if (parsed.success) return parsed.data ?? undefined;
  throw invalid("base.film.models", "Must be as in the order of a film, without placeholders.");
}

/** Throws errors of the order that are the same in every row; placeholders are validated with their rows. */
function requireFilmOrder(order: object, projectId: string): void {
  const filled = new Set(placeholderFields(order).map(({ path }) => path));
  const touches = (path: string) => [...filled].some((field) => `${field}.`.startsWith(`${path}.`));
  const issues = issuesOfFilm(order, projectId).filter(({ path }) => !touches(path));
  if (issues.length === 0) return;
  throw new DomainError("validation_error", {
    issues: issues.map(({ path, message }) => ({ path: inFilm(path), message })),
  });
}

function issuesOfFilm(order: object, projectId: string): readonly Issue[] {
  try {
    readFilmOrder(order, projectId);
    return [];
  } catch (error) {
    if (isDomainError(error) && "issues" in error.facts) return error.facts.issues;
    throw error;
  }
}

/** The order that accompanies a table in a file. */
export const BatchFormBody = namedObject("NewBatchOfFile", { ...common, tableType: optional(z.enum(tableTypes)) });

export const ValidateQuery = z.object({
  checkRows: z.coerce
    .number<string>()
    .pipe(z.int().min(0).max(maxRows))
    .optional()
    .describe("Validates only the first rows, up to this number; 0 only reads the table. By default, all."),
});

export const ItemQuery = PageQuery.extend({
  status: z.enum(itemStatuses).optional().describe("Only films with this status."),
  approval: z.enum(approvals).optional().describe("Only films with this mark."),
});

export const BatchChangesBody = namedObject("BatchChanges", {
  name: optional(Name),
  budget: optional(Budget),
  stopAt: optional(Stops),
});

export const RetryBatchBody = namedObject("BatchRetry", { only: optional(z.literal("failed")) });

export const MarkBody = namedObject("BatchFilmMark", { note: optional(textUpTo(2000)) });

export const ManifestQuery = z.object({
  approval: z.enum(approvals).optional().describe("Only films with this mark."),
});

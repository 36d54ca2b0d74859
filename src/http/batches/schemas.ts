import { z } from "zod";
import { approvals, batchStops, itemStatuses } from "../../domain/batches/batch.ts";
import type { BatchRequest } from "../../domain/batches/order.ts";
import { readRows, tableTypes } from "../../domain/batches/rows.ts";
import { AsyncExportRequest, aspectRatios } from "../../domain/exports/schema.ts";
import { WebhookRequest } from "../../domain/exports/webhooks/schema.ts";
import { LanguageTag, named, optional } from "../../domain/shared/schemas.ts";
import { Id, Name, PageQuery, textUpTo } from "../schemas/common.ts";
import { mapOf } from "../schemas/objects.ts";

const maxLanguages = 50;

const Texts = z.union([textUpTo(10_000), mapOf(textUpTo(10_000), maxLanguages)], {
  error: "Must be a text, or an object with a text for each language.",
});

/** Accepted silently, it would be taken for granted. */
const notYet = (what: string) => z.undefined(`${what} not supported yet.`).optional();

const Base = named(
  "BatchBase",
  z.object({
    film: notYet("Films from a brief are"),
    workId: Id.describe("The work whose saved editor each film shows."),
    export: optional(
      named("BatchExport", AsyncExportRequest.omit({ projectId: true, workId: true, webhook: true })),
    ).describe("What differs from the saved editor, as in an export."),
    templateId: optional(Id).describe("A template that is laid over the work."),
    values: optional(mapOf(Texts, 1000)).describe(
      "Texts for the template's placeholders, each with placeholders of columns, or one for each language. A key without one reads the column of its name.",
    ),
  }),
  {
    description:
      "Texts, ids of images and URLs of sounds in it can contain `{{column}}`. In the place of an image's id the cell can have the URL of a picture, which becomes an asset of the project.",
  },
);

const distinct = (names: readonly unknown[]) => new Set(names).size === names.length;

const common = {
  name: optional(Name).describe("By default that of the work."),
  base: Base,
  mapping: optional(mapOf(z.string().min(1).max(200), 200)).describe(
    'Other names for columns: `{ "column": "placeholder" }`.',
  ),
  keyColumn: optional(z.string().max(200)).describe("The column that names a row; by default the number of the row."),
  languages: optional(
    z.array(LanguageTag).min(1).max(maxLanguages).refine(distinct, "Must name no language twice."),
  ).describe("Each row once in each language: `{{text}}` reads the column `text_de` for `de`, then `text`."),
  targets: optional(
    z.array(z.enum(aspectRatios)).min(1).max(4).refine(distinct, "Must name no target twice."),
  ).describe("Each row once in each aspect ratio; by default those of the base."),
  fileName: optional(z.string().min(1).max(2000)).describe(
    "The names of the files, such as `{{sku}}_{{language}}_{{target}}`; `{{key}}` and `{{row}}` name the row.",
  ),
  stopAt: optional(z.array(z.enum(batchStops)).max(batchStops.length)).describe(
    "`preview`: makes three films, and waits for an approval.",
  ),
  onError: optional(z.enum(["continue", "stop"])).describe("`stop`: begins no film after a failed one."),
  concurrency: optional(z.int().min(1).max(8)).describe("Films at once; 4 by default."),
  force: optional(z.boolean()).describe("Renders films that did not change, too."),
  budget: notYet("Budgets of batches are"),
  models: notYet("Models for translations are"),
  webhook: optional(WebhookRequest),
};

const Cell = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** `readRows` checks the rows, with a path for each cell. */
const Rows = z
  .array(z.unknown())
  .min(1)
  .describe("1 to 5,000 rows, each an object with a text for each column.")
  .meta({ items: z.toJSONSchema(z.record(z.string(), Cell)) });

export const BatchBody = named("NewBatch", z.object({ ...common, rows: Rows }));

type Body = z.output<typeof BatchBody>;

/** The order as the domain takes it. Throws validation_error for its rows, whose path is that of the field. */
export function toBatchRequest({ rows, mapping, keyColumn, base, ...body }: Body, path = "rows"): BatchRequest {
  return { ...withoutUndefined(body), base, table: readRows(rows, { mapping, keyColumn }, path) };
}

/** Beside a table in a file. */
export const BatchFormBody = named("NewBatchOfFile", z.object({ ...common, tableType: optional(z.enum(tableTypes)) }));

const withoutUndefined = <Fields extends object>(fields: Fields) =>
  // safe because only absent fields are removed
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]: Exclude<Fields[Name], undefined>;
  };

export const ItemQuery = PageQuery.extend({
  status: z.enum(itemStatuses).optional().describe("Only films with this status."),
  approval: z.enum(approvals).optional().describe("Only films with this mark."),
});

export const RetryBatchBody = named("BatchRetry", z.object({ only: optional(z.literal("failed")) }));

export const MarkBody = named("BatchFilmMark", z.object({ note: optional(textUpTo(2000)) }));

export const ManifestQuery = z.object({
  approval: z.enum(approvals).optional().describe("Only films with this mark."),
});

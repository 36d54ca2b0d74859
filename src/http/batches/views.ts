import { z } from "zod";
import { approvals, batchStatuses, batchStops, batchWaits, itemStatuses } from "../../domain/batches/batch.ts";
import { batchEventTypes, batchFilmEventTypes } from "../../domain/batches/webhook-events.ts";
import { waits } from "../../domain/films/film.ts";
import { aspectRatios } from "../../domain/shared/schemas.ts";
import { SentTo } from "../destinations/views.ts";
import { Amount, Currency } from "../ledger/views.ts";
import { Id, named, namedObject, Timestamp } from "../schemas/responses.ts";

const count = z.int().min(0);

const Target = z.enum(aspectRatios);

const finding = {
  row: z.int().min(1).describe("From 1, the header not counted."),
  key: z.string().describe("The row's key."),
  column: z.string().optional(),
  language: z.string().optional(),
  targets: z.array(Target).optional().describe("Absent if it applies to every target."),
  path: z.string().describe("The field of the film's request, such as texts.0."),
  code: z.string(),
  message: z.string().describe("What to change."),
};

const TableFinding = namedObject("TableFinding", finding);

const BatchEstimate = namedObject("BatchEstimate", {
  films: count.describe("Films to render."),
  renderSeconds: z.number().min(0).describe("The total duration of these films, in seconds."),
  low: Amount,
  high: Amount,
  currency: Currency,
});

const counts = { rows: count, films: count, valid: count, invalid: count, unchanged: count };

export const BatchReport = namedObject("BatchReport", {
  ok: z.boolean().describe("No film is invalid."),
  counts: named("TableCounts", z.object(counts), {
    description:
      "Numbers of films; only `rows` counts rows. `valid`, `invalid` and `unchanged` count the films of validated rows.",
  }),
  placeholders: z.array(z.string()).describe("The columns that the base uses."),
  columns: z.array(z.string()).describe("The names after `mapping`."),
  sample: z
    .array(z.record(z.string(), z.string()))
    .describe("The first three rows as read; texts are cut after 200 characters."),
  estimate: BatchEstimate,
  errors: z.array(TableFinding).describe("At most 1,000."),
  warnings: z.array(TableFinding).describe("At most 1,000."),
  truncated: z.boolean().describe("There are more errors or warnings."),
});

export const Batch = namedObject("Batch", {
  id: Id,
  projectId: Id,
  workId: Id.optional().describe("Absent for films from briefs, which have works of their own."),
  name: z.string(),
  status: z.enum(batchStatuses),
  waitingFor: z.enum(batchWaits).optional(),
  waitingReason: z.string().optional().describe("What to do, in a sentence."),
  waitingAt: z.enum(batchStops).optional(),
  counts: named(
    "BatchCounts",
    z.object({ ...counts, waiting: count, running: count, done: count, error: count, cancelled: count }),
    {
      description:
        "Numbers of films; only `rows` counts rows. `valid` counts all validated films that are not invalid.",
    },
  ),
  checkedRows: count,
  estimate: BatchEstimate,
  spent: namedObject("BatchSpending", { amount: Amount, currency: Currency }),
  unknown: namedObject("BatchUnknown", { amount: Amount, currency: Currency })
    .optional()
    .describe("The estimates of calls that may or may not have been paid: budgets count them as spent."),
  budget: namedObject("BatchLimit", { limit: Amount, currency: Currency }).optional(),
  translations: z
    .array(namedObject("Translation", { language: z.string(), text: z.string(), translation: z.string() }))
    .optional()
    .describe("Texts that a model has translated, at most 1,000. Lists and events leave them out."),
  languages: z.array(z.string()),
  targets: z.array(Target),
  fileName: z.string(),
  stopAt: z.array(z.enum(batchStops)),
  onError: z.enum(["continue", "stop"]),
  concurrency: count,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  endedAt: Timestamp.optional(),
});

export const BatchList = namedObject("BatchList", { batches: z.array(Batch) });

const { code, message, ...where } = finding;
const anywhere = z.object(where).partial().shape;

export const BatchFilm = namedObject("BatchFilm", {
  id: Id,
  key: finding.key,
  row: finding.row,
  language: z.string().optional(),
  target: Target.optional(),
  status: z.enum(itemStatuses),
  fileName: z.string(),
  waitingFor: z.enum(waits).optional(),
  waitingReason: z.string().optional().describe("What the film waits for, and what to do."),
  exportId: Id.optional(),
  filmId: Id.optional().describe("Only for a film from a brief. All targets of a row are one film."),
  url: z.string().optional().describe("The relative URL of the video, once it exists."),
  sha256: z.string().optional().describe("The SHA-256 hash of the video."),
  size: count.optional().describe("Bytes of the video."),
  deliveries: SentTo,
  warnings: z.array(TableFinding),
  error: namedObject("BatchFilmError", {
    ...anywhere,
    code,
    message,
    errors: z.array(TableFinding).optional(),
  }).optional(),
  cost: Amount,
  approval: z.enum(approvals),
  note: z.string().optional(),
});

const happened = z.string().meta({ description: "When it happened, in ISO 8601.", format: "date-time" });

export const BatchEvent = namedObject("BatchEvent", {
  type: z.enum(batchEventTypes),
  timestamp: happened,
  data: Batch,
});

export const BatchFilmEvent = namedObject("BatchFilmEvent", {
  type: z.enum(batchFilmEventTypes),
  timestamp: happened,
  data: namedObject("BatchFilmOfBatch", { projectId: Id, batchId: Id, ...BatchFilm.shape }),
});

export const BatchFilms = namedObject("BatchFilms", { films: z.array(BatchFilm) });

export const BatchManifest = namedObject("BatchManifest", { batchId: Id, films: z.array(BatchFilm) });

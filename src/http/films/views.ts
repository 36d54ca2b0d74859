import { z } from "zod";
import { filmStatuses, waits } from "../../domain/films/film.ts";
import { stepKinds, stepStatuses, stops } from "../../domain/films/plan.ts";
import { filmEventTypes } from "../../domain/films/webhook-events.ts";
import { aspectRatios } from "../../domain/shared/schemas.ts";
import { SentTo } from "../destinations/views.ts";
import { ExportWarning } from "../exports/views.ts";
import { Amount, Currency } from "../ledger/views.ts";
import { Id, namedObject, Timestamp } from "../schemas/responses.ts";
import { ScenarioScene } from "../works/views.ts";

const planned = {
  id: z.string().describe("Such as `scene-2-video`."),
  kind: z.enum(stepKinds),
  scene: z.int().min(0).optional().describe("The index of the scene, from 0."),
  dependsOn: z.array(z.string()),
  estimate: Amount.describe("The maximum cost."),
};

const FilmStepAttempt = namedObject("FilmStepAttempt", {
  state: z.enum(["running", "done", "error", "unknown"]),
  startedAt: Timestamp,
  endedAt: Timestamp.optional(),
  provider: z.string().optional(),
  model: z.string().optional(),
  cost: Amount,
  error: namedObject("FilmStepError", { code: z.string(), message: z.string() }).optional(),
});

const FilmStep = namedObject("FilmStep", {
  ...planned,
  status: z.enum(stepStatuses),
  attempts: z.array(FilmStepAttempt),
  cost: Amount.describe("The amount paid."),
});

const FilmEstimate = namedObject("FilmEstimate", {
  low: Amount,
  high: Amount,
  currency: Currency,
  unpriced: z.array(z.string()).describe("Models without a price."),
});

export const EstimatedFilm = namedObject("EstimatedFilm", {
  steps: z.array(namedObject("EstimatedFilmStep", planned)),
  estimate: FilmEstimate,
  warnings: z
    .array(ExportWarning)
    .describe("Texts of the template that do not fit, and parts of the brief that the film leaves out."),
  scenario: z
    .array(ScenarioScene)
    .optional()
    .describe(
      "The scenes that `local` writes from the text of the brief. Send them as `scenario` of the order to change them.",
    ),
});

const state = {
  id: Id,
  projectId: Id,
  workId: Id.describe("The work that holds the film's scenes; an ordinary work."),
  name: z.string(),
  status: z.enum(filmStatuses),
  waitingFor: z.enum(waits).optional(),
  waitingReason: z.string().optional().describe("What to do, in a sentence."),
  waitingAt: z.enum(stops).optional(),
  steps: z.array(FilmStep),
  estimate: FilmEstimate,
  spent: namedObject("FilmSpending", { amount: Amount, currency: Currency }),
  unknown: namedObject("FilmUnknown", { amount: Amount, currency: Currency })
    .optional()
    .describe("The estimates of calls that may or may not have been paid: budgets count them as spent."),
  budget: namedObject("FilmLimit", { limit: Amount, currency: Currency }).optional(),
  exportId: Id.optional(),
  files: z.array(namedObject("FilmFile", { target: z.enum(aspectRatios), url: z.string() })),
  deliveries: SentTo,
  warnings: z.array(ExportWarning),
  sound: namedObject("FilmSound", {
    music: z.enum(["bed", "own", "generated", "none"]),
    bed: z.string().optional().describe("The name of the bed, once it is chosen: see GET /api/beds."),
    voice: z.boolean(),
    effects: z.boolean(),
  }).describe("What lies under and over the clips. A film without any sound has the warning `silent_result`."),
  stopAt: z.array(z.enum(stops)),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  endedAt: Timestamp.optional(),
  error: z.string().optional(),
  code: z.string().optional(),
};

export const Film = namedObject("Film", state);

export const FilmEvent = namedObject("FilmEvent", {
  type: z.enum(filmEventTypes),
  timestamp: z.string().meta({ description: "When it happened, in ISO 8601.", format: "date-time" }),
  data: Film,
});

export const FilmList = namedObject("FilmList", { films: z.array(Film) });

import { type Context, Hono } from "hono";
import { hasEnded, type Batch as OrderedBatch, requireBatch } from "../../domain/batches/batch.ts";
import {
  approveBatch,
  cancelBatch,
  changeBatch,
  removeBatch,
  retryBatch,
  setBatchKeys,
} from "../../domain/batches/changes.ts";
import { orderBatch } from "../../domain/batches/order/order.ts";
import { validateBatch } from "../../domain/batches/order/validate.ts";
import { type BatchState, followBatch } from "../../domain/batches/states.ts";
import { batchView, reportView } from "../../domain/batches/view.ts";
import { DomainError, type ErrorCode } from "../../errors.ts";
import type { SlotLimit } from "../../platform/limits/slot-limit.ts";
import type { Services } from "../../services.ts";
import { withKeysOfAccount } from "../ai/kept-keys.ts";
import { json, noContent, page as pageOf, resource, versioned } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { clientSignal } from "../client-signal.ts";
import { FilmKeys, givenKeys } from "../films/schemas.ts";
import { idempotent } from "../middleware/idempotency.ts";
import { loadProject, loads } from "../middleware/load-resource.ts";
import { noIdleTimeout } from "../middleware/no-idle-timeout.ts";
import { allowQueryToken, requireScopes } from "../middleware/require-scopes.ts";
import { requireStorageRoom } from "../middleware/storage-room.ts";
import { operationsOf } from "../openapi.ts";
import { pageRequest, withNextLink } from "../request/paging.ts";
import { validate, validateOptionalJson } from "../request/validate.ts";
import { expectedRevision, withEtag } from "../response/etag.ts";
import { type EventSource, eventAnswers, sendEvents } from "../response/event-stream.ts";
import { PageQuery } from "../schemas/common.ts";
import { batchFilmRoutes } from "./film-routes.ts";
import { batchInput } from "./input.ts";
import { BatchChangesBody, RetryBatchBody, ValidateQuery } from "./schemas.ts";
import { Batch, BatchList, BatchReport } from "./views.ts";

const tableErrors: readonly ErrorCode[] = [
  ...(["not_found", "nothing_to_export", "no_duration"] as const),
  ...(["unknown_provider", "unsupported_capability", "provider_model_unavailable", "price_unknown"] as const),
  "provider_key_required",
];

/** The most that a person reads at once. */
const maxTranslations = 1_000;

/** Many films from a table: rows × languages × targets, over one base. */
export const batchRoutes = (services: Services, takeStreamSlot: SlotLimit) => {
  const { batches, ledger } = services;
  const canRead = requireScopes("works:read");
  const canMake = requireScopes("works:write", "works:read", "projects:read");
  const documented = operationsOf("Batches", loadProject(services));
  const streams = { takeSlot: takeStreamSlot, recheckMs: services.settings.credentialRecheckMs };

  const found = (c: Context<AppEnv>) => requireBatch(batches, c.var.project.id, c.req.param("batchId") ?? "");
  const state = async (c: Context<AppEnv>) => {
    const batch = await found(c);
    const [counts, spend] = await Promise.all([batches.counts([batch.id]), ledger.spendOf("batch", [batch.id])]);
    return { ...batch, counts: counts.get(batch.id), spend: spend.get(batch.id) };
  };
  const requireGenerate = (c: Context<AppEnv>, hasModels: boolean) => {
    const { scopes } = c.var.caller;
    if (!hasModels || scopes.includes("ai:generate")) return;
    throw new DomainError("insufficient_scope", { required: ["ai:generate"], granted: scopes });
  };
  /** Sets `batch`, for callers who may pay for it, before its body is read. */
  const loadToPay = loads(async (c, next) => {
    const batch = await found(c);
    requireGenerate(c, Object.keys(batch.order.models ?? {}).length > 0);
    c.set("batch", batch);
    await next();
  });
  const view = async (c: Context<AppEnv>, batch: OrderedBatch) => {
    const [counts, spend, translations] = await Promise.all([
      batches.counts([batch.id]),
      ledger.spendOf("batch", [batch.id]),
      batches.listTranslations(batch.id, maxTranslations),
    ]);
    const shown = batchView(batch, counts.get(batch.id), spend.get(batch.id));
    const translated = translations.map(({ hash: _, ...translation }) => translation);
    return withEtag(c, {
      ...{ ...shown, revision: batch.revision },
      ...(translated.length > 0 && { translations: translated }),
    });
  };

  return new Hono<AppEnv>()
    .post(
      "/validate",
      documented(canRead, {
        id: "validateBatch",
        summary: "Validate a table of films",
        about:
          "Validates every row of a table in all languages and targets, as the batch would, and counts films that have not changed since an earlier batch. Nothing is stored, rendered or paid.",
        answers: { 200: json(BatchReport, "The report.") },
        errors: tableErrors,
      }),
      validate("header", FilmKeys),
      validate("query", ValidateQuery),
      batchInput(services),
      async (c) => {
        const { caller, project } = c.var;
        const orderer = {
          caller,
          project,
          keys: await withKeysOfAccount(c, services, givenKeys(c.req.valid("header"))),
        };
        const options = { rows: c.req.valid("query").checkRows, signal: clientSignal(c) };
        return c.json(reportView(await validateBatch(services, orderer, c.req.valid("json"), options)), 200);
      },
    )
    .post(
      "/",
      documented(canMake, {
        id: "orderBatch",
        summary: "Order films from a table",
        about:
          "Makes a film from each row in each language and target. The whole table is validated first; valid rows are then rendered a few at a time. A film that an earlier batch of the project made with the same content keeps its file. Models that translate, or make films from briefs, need the scope ai:generate and their keys in headers such as x-llm-api-key.",
        answers: { 202: json(Batch, "The batch is ordered.", ["Location", "ETag"]) },
        errors: [...tableErrors, "limit_reached", "url_not_allowed", "url_unreachable"],
      }),
      validate("header", FilmKeys),
      batchInput(services),
      idempotent(services),
      requireStorageRoom(services),
      async (c) => {
        const { caller, project, checkpoints } = c.var;
        const orderer = {
          caller,
          project,
          checkpoints,
          keys: await withKeysOfAccount(c, services, givenKeys(c.req.valid("header"))),
        };
        const request = c.req.valid("json");
        requireGenerate(c, "film" in request.base || request.models?.llm !== undefined);
        const batch = await orderBatch(services, orderer, request);
        return c.json(await view(c, batch), 202, { Location: `/api/projects/${project.id}/batches/${batch.id}` });
      },
    )
    .get(
      "/",
      documented(canRead, {
        id: "listBatches",
        summary: "List the batches",
        about: "Returns the batches of the project, newest first.",
        answers: { 200: pageOf(BatchList, "The batches.") },
      }),
      validate("query", PageQuery),
      async (c) => {
        const page = await batches.list(c.var.project.id, pageRequest(c.req.valid("query")));
        const ids = page.items.map(({ id }) => id);
        const [counts, spend] = await Promise.all([batches.counts(ids), ledger.spendOf("batch", ids)]);
        const views = withNextLink(c, page, (batch) => batchView(batch, counts.get(batch.id), spend.get(batch.id)));
        return c.json({ batches: views }, 200);
      },
    )
    .get(
      "/:batchId",
      documented(canRead, {
        id: "getBatch",
        summary: "Read a batch",
        about: "Returns the batch with the counts of its films, and what it waits for.",
        answers: versioned(Batch, "The batch."),
        errors: ["not_found"],
      }),
      async (c) => c.json(await view(c, await found(c)), 200),
    )
    .put(
      "/:batchId",
      documented(canMake, {
        id: "updateBatch",
        summary: "Change a batch",
        about:
          "Changes the name, the budget or the stops. A batch that waits for its budget resumes with a higher one.",
        answers: { 200: resource(Batch, "The batch.") },
        errors: ["not_found", "not_waiting", "precondition_failed"],
      }),
      loadToPay,
      validate("json", BatchChangesBody),
      async (c) => {
        const { name, budget, stopAt } = c.req.valid("json");
        const changes = { name, maxSpend: budget?.limit, stopAt };
        return c.json(await view(c, await changeBatch(services, c.var.batch, changes, expectedRevision(c))), 200);
      },
    )
    .delete(
      "/:batchId",
      documented(canMake, {
        id: "deleteBatch",
        summary: "Delete a batch",
        about:
          "Cancels running films, and removes the batch with its files, except for files that another batch has too.",
        answers: noContent("The batch is removed."),
        errors: ["not_found"],
      }),
      async (c) => {
        await removeBatch(services, await found(c));
        return c.body(null, 204);
      },
    )
    .get(
      "/:batchId/events",
      allowQueryToken,
      documented(canRead, {
        id: "followBatch",
        summary: "Follow a batch",
        about:
          "Sends server-sent events, each with the whole batch: `snapshot`, `item` when films have changed, `waiting` when the batch waits for something, then `done`, `partial`, `error` or `cancelled`.",
        answers: eventAnswers,
        errors: ["not_found"],
      }),
      noIdleTimeout,
      async (c) =>
        sendEvents(
          c,
          batchEvents(services, () => state(c)),
          streams,
        ),
    )
    .post(
      "/:batchId/approve",
      documented(canMake, {
        id: "approveBatch",
        summary: "Resume a batch after a stop",
        about: "Passes the stop: makes the films after the translations were read, or the rest after the preview.",
        answers: { 200: resource(Batch, "The batch.") },
        errors: ["not_found", "not_waiting"],
      }),
      async (c) => c.json(await view(c, await approveBatch(services, await found(c))), 200),
    )
    .post(
      "/:batchId/retry",
      documented(canMake, {
        id: "retryBatch",
        summary: "Retry the failed films",
        about:
          "Validates the rows of failed and invalid films again, and makes those that are valid. If the batch waits for a step of its films, the failed steps are retried. Texts that a model has not translated are requested, and perhaps paid, again: send the model's key once more.",
        answers: { 200: resource(Batch, "The batch.") },
        errors: ["not_found", "not_waiting", "provider_key_required"],
      }),
      loadToPay,
      validateOptionalJson(RetryBatchBody),
      validate("header", FilmKeys),
      async (c) => {
        const given = await withKeysOfAccount(c, services, givenKeys(c.req.valid("header")));
        return c.json(await view(c, await retryBatch(services, c.var.batch, given)), 200);
      },
    )
    .post(
      "/:batchId/keys",
      documented(canMake, {
        id: "setBatchKeys",
        summary: "Replace the keys of a batch",
        about: "Resumes with the keys of the headers, if the batch or one of its films waits for a key.",
        answers: { 200: resource(Batch, "The batch.") },
        errors: ["not_found", "not_waiting", "provider_key_required"],
      }),
      loadToPay,
      validate("header", FilmKeys),
      async (c) => {
        const given = await withKeysOfAccount(c, services, givenKeys(c.req.valid("header")));
        return c.json(await view(c, await setBatchKeys(services, c.var.batch, given)), 200);
      },
    )
    .post(
      "/:batchId/cancel",
      documented(canMake, {
        id: "cancelBatch",
        summary: "Cancel a batch",
        about: "Cancels running films. Finished films stay.",
        answers: { 200: resource(Batch, "The batch.") },
        errors: ["not_found"],
      }),
      async (c) => c.json(await view(c, await cancelBatch(services, await found(c))), 200),
    )
    .route("/", batchFilmRoutes(services));
};

/** Sends a snapshot, then the whole batch when films change, when it waits, and when it ends. */
const batchEvents = (services: Services, load: () => Promise<BatchState>): EventSource<BatchState> => ({
  load,
  hasEnded,
  follow: (current, signal) => followBatch(services, current, signal),
  events: (batch, seen) => {
    const data = batchView(batch, batch.counts, batch.spend);
    const isResting = hasEnded(batch) || batch.status === "waiting";
    const hasChanged = seen?.status !== batch.status || seen.waitingFor !== batch.waitingFor;
    const rest = isResting && hasChanged ? [{ event: batch.status, data }] : [];
    if (!seen) return [{ event: "snapshot", data }, ...rest];
    return rest.length > 0 ? rest : [{ event: "item", data }];
  },
});

import { type Context, Hono } from "hono";
import { type Batch as BatchState, requireBatch, requireItem } from "../../domain/batches/batch.ts";
import { approveBatch, cancelBatch, markItem, removeBatch, retryBatch } from "../../domain/batches/changes.ts";
import { manifestCsv, manifestJson } from "../../domain/batches/manifest.ts";
import { orderBatch, validateBatch } from "../../domain/batches/order.ts";
import { batchView, itemView, reportView } from "../../domain/batches/view.ts";
import type { Services } from "../../domain/services.ts";
import type { ErrorCode } from "../../errors.ts";
import type { SlotLimit } from "../../platform/slot-limit.ts";
import { download, json, noContent, page as pageOf, resource, versioned } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { clientSignal } from "../client-signal.ts";
import { idempotent } from "../middleware/idempotency.ts";
import { loadProject } from "../middleware/load-resource.ts";
import { noIdleTimeout } from "../middleware/no-idle-timeout.ts";
import { allowQueryToken, requireScopes } from "../middleware/require-scopes.ts";
import { requireStorageRoom } from "../middleware/storage-room.ts";
import { operationsOf } from "../openapi.ts";
import { pageRequest, withNextLink } from "../request/paging.ts";
import { validate, validateOptionalJson } from "../request/validate.ts";
import { withEtag } from "../response/etag.ts";
import { eventAnswers, sendEvents } from "../response/event-stream.ts";
import { PageQuery } from "../schemas/common.ts";
import { sendArchive, sendText } from "./archive.ts";
import { batchEvents } from "./events.ts";
import { batchInput } from "./input.ts";
import { ItemQuery, ManifestQuery, MarkBody, RetryBatchBody } from "./schemas.ts";
import { Batch, BatchFilm, BatchFilms, BatchList, BatchManifest, BatchReport } from "./views.ts";

const documented = operationsOf("Batches");

const tableErrors: readonly ErrorCode[] = ["not_found", "nothing_to_export", "no_duration"];

/** Many films from a table: rows × languages × targets, over one base. */
export const batchRoutes = (services: Services, takeStreamPlace: SlotLimit) => {
  const { batches, internalUrls } = services;
  const canRead = requireScopes("works:read");
  const canMake = requireScopes("works:write", "works:read", "projects:read");
  const withProject = loadProject(services);
  const streams = { takePlace: takeStreamPlace, recheckMs: services.settings.credentialRecheckMs };

  const found = (c: Context<AppEnv>) => requireBatch(batches, c.var.project.id, c.req.param("batchId") ?? "");
  const foundItem = async (c: Context<AppEnv>) =>
    requireItem(batches, (await found(c)).id, c.req.param("itemId") ?? "");
  const state = async (c: Context<AppEnv>) => {
    const batch = await found(c);
    return { ...batch, counts: (await batches.counts([batch.id])).get(batch.id) };
  };
  const view = async (c: Context<AppEnv>, batch: BatchState) => {
    const counts = (await batches.counts([batch.id])).get(batch.id);
    return withEtag(c, { ...batchView(batch, counts), revision: batch.revision });
  };

  return new Hono<AppEnv>()
    .post(
      "/validate",
      documented(canRead, {
        id: "validateBatch",
        summary: "Check a table of films",
        about:
          "Checks every row of a table in all languages and targets, as the batch would, and counts what has not changed since an earlier batch. Nothing is stored, rendered or paid.",
        answers: { 200: json(BatchReport, "The report.") },
        errors: tableErrors,
      }),
      withProject,
      batchInput(services),
      async (c) => {
        const { caller, project } = c.var;
        const request = c.req.valid("json");
        return c.json(reportView(await validateBatch(services, { caller, project }, request, clientSignal(c))), 200);
      },
    )
    .post(
      "/",
      documented(canMake, {
        id: "orderBatch",
        summary: "Order films from a table",
        about:
          "Makes a film of each row in each language and target. The whole table is checked first; valid rows are then rendered a few at a time, and a film that an earlier batch of the project has made with the same content keeps its file.",
        answers: { 202: json(Batch, "The batch is ordered.", ["Location", "ETag"]) },
        errors: [...tableErrors, "limit_reached", "url_not_allowed", "url_unreachable"],
      }),
      withProject,
      batchInput(services),
      idempotent(services),
      requireStorageRoom(services),
      async (c) => {
        const { caller, project, checkpoints } = c.var;
        const request = c.req.valid("json");
        const batch = await orderBatch(services, { caller, project, checkpoints }, request);
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
      withProject,
      validate("query", PageQuery),
      async (c) => {
        const page = await batches.list(c.var.project.id, pageRequest(c.req.valid("query")));
        const counts = await batches.counts(page.items.map(({ id }) => id));
        return c.json({ batches: withNextLink(c, page, (batch) => batchView(batch, counts.get(batch.id))) }, 200);
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
      withProject,
      async (c) => c.json(await view(c, await found(c)), 200),
    )
    .delete(
      "/:batchId",
      documented(canMake, {
        id: "deleteBatch",
        summary: "Delete a batch",
        about: "Cancels what runs, and removes the batch with its files, except for those that another batch has, too.",
        answers: noContent("The batch is removed."),
        errors: ["not_found"],
      }),
      withProject,
      async (c) => {
        await removeBatch(services, await found(c));
        return c.body(null, 204);
      },
    )
    .get(
      "/:batchId/films",
      documented(canRead, {
        id: "listBatchFilms",
        summary: "List the films of a batch",
        about: "Returns the films in the order of the table, each with its file, or with what is wrong with its row.",
        answers: { 200: pageOf(BatchFilms, "The films.") },
        errors: ["not_found"],
      }),
      withProject,
      validate("query", ItemQuery),
      async (c) => {
        const { status, approval, ...page } = c.req.valid("query");
        const items = await batches.listItems((await found(c)).id, { status, approval }, pageRequest(page));
        return c.json({ films: withNextLink(c, items, (item) => itemView(item, internalUrls)) }, 200);
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
      withProject,
      noIdleTimeout,
      async (c) =>
        sendEvents(
          c,
          batchEvents(services, () => state(c)),
          streams,
        ),
    )
    .get(
      "/:batchId/manifest.json",
      allowQueryToken,
      documented(canRead, {
        id: "getBatchManifest",
        summary: "Read the manifest of a batch",
        about: "Returns all films of the batch, as the list of its films shows them, in one document.",
        answers: { 200: json(BatchManifest, "The films.") },
        errors: ["not_found"],
      }),
      withProject,
      validate("query", ManifestQuery),
      async (c) => {
        const { id: batchId } = await found(c);
        const manifest = manifestJson(services, { batchId, approval: c.req.valid("query").approval });
        return sendText(c, "application/json", manifest);
      },
    )
    .get(
      "/:batchId/manifest.csv",
      allowQueryToken,
      documented(canRead, {
        id: "getBatchManifestCsv",
        summary: "Read the manifest of a batch as CSV",
        about:
          "Returns a line for each film of the batch. Cells that a spreadsheet would take for formulas get an apostrophe.",
        answers: { 200: download(["text/csv"], "The films.") },
        errors: ["not_found"],
      }),
      withProject,
      validate("query", ManifestQuery),
      async (c) => {
        const { id: batchId } = await found(c);
        const manifest = manifestCsv(services, { batchId, approval: c.req.valid("query").approval });
        c.header("Content-Disposition", "attachment; filename=manifest.csv");
        return sendText(c, "text/csv; charset=utf-8", manifest);
      },
    )
    .get(
      "/:batchId/archive.zip",
      allowQueryToken,
      documented(canRead, {
        id: "downloadBatch",
        summary: "Download the films of a batch",
        about:
          "Sends the videos of a batch that has ended, with its manifests, as a zip file. Who breaks off takes the rest by the URLs of the manifest.",
        answers: { 200: download(["application/zip"], "The videos.") },
        errors: ["not_found", "not_ready"],
      }),
      withProject,
      noIdleTimeout,
      validate("query", ManifestQuery),
      async (c) => sendArchive(c, services, await found(c), c.req.valid("query").approval),
    )
    .post(
      "/:batchId/films/:itemId/approve",
      documented(canMake, {
        id: "approveBatchFilm",
        summary: "Approve a film of a batch",
        about: "Marks the film. The mark filters the manifest and the archive, and renders nothing.",
        answers: { 200: json(BatchFilm, "The film.") },
        errors: ["not_found"],
      }),
      withProject,
      validateOptionalJson(MarkBody),
      async (c) => {
        const marked = await markItem(services, await foundItem(c), "approved", c.req.valid("json").note);
        return c.json(itemView(marked, internalUrls), 200);
      },
    )
    .post(
      "/:batchId/films/:itemId/reject",
      documented(canMake, {
        id: "rejectBatchFilm",
        summary: "Reject a film of a batch",
        about: "Marks the film. The mark filters the manifest and the archive, and removes nothing.",
        answers: { 200: json(BatchFilm, "The film.") },
        errors: ["not_found"],
      }),
      withProject,
      validateOptionalJson(MarkBody),
      async (c) => {
        const marked = await markItem(services, await foundItem(c), "rejected", c.req.valid("json").note);
        return c.json(itemView(marked, internalUrls), 200);
      },
    )
    .post(
      "/:batchId/approve",
      documented(canMake, {
        id: "approveBatch",
        summary: "Let a batch go on",
        about: "Makes the other films of a batch that waits after its preview.",
        answers: { 200: resource(Batch, "The batch.") },
        errors: ["not_found", "not_waiting"],
      }),
      withProject,
      async (c) => c.json(await view(c, await approveBatch(services, await found(c))), 200),
    )
    .post(
      "/:batchId/retry",
      documented(canMake, {
        id: "retryBatch",
        summary: "Make the failed films again",
        about: "Checks the rows of the failed and the invalid films again, and makes those that are valid.",
        answers: { 200: resource(Batch, "The batch.") },
        errors: ["not_found", "not_waiting"],
      }),
      withProject,
      validateOptionalJson(RetryBatchBody),
      async (c) => c.json(await view(c, await retryBatch(services, await found(c))), 200),
    )
    .post(
      "/:batchId/cancel",
      documented(canMake, {
        id: "cancelBatch",
        summary: "Cancel a batch",
        about: "Cancels what runs. The films that are made stay.",
        answers: { 200: resource(Batch, "The batch.") },
        errors: ["not_found"],
      }),
      withProject,
      async (c) => c.json(await view(c, await cancelBatch(services, await found(c))), 200),
    );
};

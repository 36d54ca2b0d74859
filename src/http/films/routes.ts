import { type Context, Hono } from "hono";
import { sentView } from "../../domain/destinations/deliveries.ts";
import { requireExportState } from "../../domain/exports/lifecycle/jobs.ts";
import {
  approveFilm,
  cancelFilm,
  changeFilm,
  removeFilm,
  replaceStep,
  requireStep,
  retryStep,
  setKeys,
} from "../../domain/films/changes.ts";
import { chosenModels } from "../../domain/films/chosen-models.ts";
import { type FilmOrder, hasEnded, type Film as OrderedFilm, requireFilm } from "../../domain/films/film.ts";
import { keysFor, sealKeys } from "../../domain/films/keys.ts";
import { copyOf, type FilmRequest, filmName, orderFilm, withoutPlaceholders } from "../../domain/films/order/order.ts";
import { orderWarnings, plannedWork } from "../../domain/films/order/warnings.ts";
import { type FilmState, followFilm } from "../../domain/films/states.ts";
import { estimateFilm, filmView } from "../../domain/films/view.ts";
import { DomainError, type ErrorCode } from "../../errors.ts";
import type { SlotLimit } from "../../platform/limits/slot-limit.ts";
import type { Services } from "../../services.ts";
import { withKeysOfAccount } from "../ai/kept-keys.ts";
import { json, noContent, page as pageOf, resource, storedFile, versioned } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { sendExport } from "../exports/send-export.ts";
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
import {
  ApprovalBody,
  FileQuery,
  FilmChangesBody,
  FilmCopyBody,
  FilmHeaders,
  FilmKeys,
  FilmOrderBody,
  givenKeys,
  ReplacementBody,
  RetryBody,
  toFilmRequest,
} from "./schemas.ts";
import { EstimatedFilm, Film, FilmList } from "./views.ts";

const orderErrors: readonly ErrorCode[] = [
  "unknown_provider",
  "unsupported_capability",
  "provider_model_unavailable",
  "provider_key_required",
  "provider_key_rejected",
  "price_unknown",
  "asset_missing",
  "asset_wrong_type",
  "url_not_allowed",
  "url_unreachable",
];

/** Films: ordered from a brief, made in steps. */
export const filmRoutes = (services: Services, takeStreamSlot: SlotLimit) => {
  const { films, ledger, models } = services;
  const canRead = requireScopes("works:read");
  const canMake = requireScopes("ai:generate", "works:write", "projects:read");
  const documented = operationsOf("Films", loadProject(services));
  const streams = { takeSlot: takeStreamSlot, recheckMs: services.settings.credentialRecheckMs };

  const found = (c: Context<AppEnv>) => requireFilm(films, c.var.project.id, c.req.param("filmId") ?? "");
  /** Sets `film` before its body is read. */
  const loadFilm = loads(async (c, next) => {
    const film = await found(c);
    const stepId = c.req.param("stepId");
    if (stepId !== undefined) requireStep(film, stepId);
    c.set("film", film);
    await next();
  });
  const state = async (c: Context<AppEnv>) => {
    const film = await found(c);
    return { ...film, spend: await ledger.filmSpend(film.id) };
  };
  const view = async (c: Context<AppEnv>, film: OrderedFilm) => {
    const { exportId, revision } = film;
    const sent = exportId === undefined ? [] : await services.deliveries.list(exportId);
    const deliveries = sent.length > 0 && { deliveries: sent.map(sentView) };
    return withEtag(c, { ...filmView(services, film, await ledger.filmSpend(film.id)), ...deliveries, revision });
  };
  const orderOf = (
    { models: _, name: __, maxSpend: ___, webhook: ____, destinations: _____, ...request }: FilmRequest,
    chosen: FilmOrder["models"],
  ) => ({ ...request, models: chosen });

  return new Hono<AppEnv>()
    .post(
      "/",
      documented(canMake, {
        id: "orderFilm",
        summary: "Order a film from a brief",
        about:
          "Makes a film of a product in one call: the scenario, the pictures, the videos, the voices and the export. It runs automatically, also across restarts, and pays nothing twice; where it cannot continue, it waits and says for what. Send provider keys in headers such as x-image-api-key.",
        answers: { 202: json(Film, "The film is ordered.", ["Location", "ETag"]) },
        errors: orderErrors,
      }),
      validate("json", FilmOrderBody),
      validate("header", FilmHeaders),
      idempotent(services),
      requireStorageRoom(services),
      async (c) => {
        const { project, caller, checkpoints } = c.var;
        const request = toFilmRequest(c.req.valid("json"), project.id);
        const given = await withKeysOfAccount(c, services, givenKeys(c.req.valid("header")));
        const order = orderOf(request, chosenModels(models, request, given));
        const keys = keysFor(models, order, given);
        const film = await orderFilm(services, { caller, project, checkpoints }, request, order, keys);
        return c.json(await view(c, film), 202, { Location: `/api/projects/${project.id}/films/${film.id}` });
      },
    )
    .post(
      "/estimate",
      documented(canRead, {
        id: "estimateFilm",
        summary: "Estimate what a film costs",
        about:
          "Returns the steps of an order with the maximum cost of each, and its scenario if `local` writes it. Nothing is stored, and nothing is paid.",
        answers: { 200: json(EstimatedFilm, "The steps.") },
        errors: [
          ...(["unknown_provider", "unsupported_capability", "provider_model_unavailable"] as const),
          "provider_key_required",
        ],
      }),
      validate("json", FilmOrderBody),
      validate("header", FilmHeaders),
      async (c) => {
        const request = toFilmRequest(c.req.valid("json"), c.var.project.id);
        const order = orderOf(request, chosenModels(models, request, givenKeys(c.req.valid("header"))));
        const plain = withoutPlaceholders(order, request.name);
        const warned = await orderWarnings(services, c.var, plain.order, filmName(plain));
        const warnings = [...plain.warnings, ...warned];
        const scenario = plannedWork(services, c.var.project, plain.order, filmName(plain))?.scenes;
        return c.json(estimateFilm(services, order, { warnings, scenario }), 200);
      },
    )
    .get(
      "/",
      documented(canRead, {
        id: "listFilms",
        summary: "List the films",
        about: "Returns the films of the project, newest first.",
        answers: { 200: pageOf(FilmList, "The films.") },
      }),
      validate("query", PageQuery),
      async (c) => {
        const page = await films.list(c.var.project.id, pageRequest(c.req.valid("query")));
        const spend = await ledger.filmSpends(page.items.map(({ id }) => id));
        const views = withNextLink(c, page, (film) => filmView(services, film, spend.get(film.id) ?? new Map()));
        return c.json({ films: views }, 200);
      },
    )
    .get(
      "/:filmId",
      documented(canRead, {
        id: "getFilm",
        summary: "Read a film",
        about: "Returns the film with its steps, what it has cost, and what it waits for.",
        answers: versioned(Film, "The film."),
        errors: ["not_found"],
      }),
      async (c) => c.json(await view(c, await found(c)), 200),
    )
    .put(
      "/:filmId",
      documented(canMake, {
        id: "updateFilm",
        summary: "Change a film",
        about: "Changes the name, the budget or the stops. A film that waits for its budget resumes with a higher one.",
        answers: { 200: resource(Film, "The film.") },
        errors: ["not_found", "not_waiting", "precondition_failed"],
      }),
      loadFilm,
      validate("json", FilmChangesBody),
      async (c) => {
        const { film } = c.var;
        const { name, budget, stopAt } = c.req.valid("json");
        const changes = { name, maxSpend: budget?.limit, stopAt };
        return c.json(await view(c, await changeFilm(services, film, changes, expectedRevision(c))), 200);
      },
    )
    .delete(
      "/:filmId",
      documented(canMake, {
        id: "deleteFilm",
        summary: "Cancel and remove a film",
        about: "Cancels running steps, and removes the film with its videos. Its work stays.",
        answers: noContent("The film is deleted."),
        errors: ["not_found"],
      }),
      async (c) => {
        await removeFilm(services, await found(c));
        return c.body(null, 204);
      },
    )
    .post(
      "/:filmId/copy",
      documented(canMake, {
        id: "copyFilm",
        summary: "Order a film again, in another look or other colors",
        about:
          "Orders a second film from the order of this one, with another look or other colors if they are named. Parts that the project's films have made from the same inputs are reused and not paid again. What was changed in the work of the first film stays there. Send the keys of its providers again.",
        answers: { 202: json(Film, "The film is ordered.", ["Location", "ETag"]) },
        errors: orderErrors,
      }),
      loadFilm,
      validateOptionalJson(FilmCopyBody),
      validate("header", FilmHeaders),
      idempotent(services),
      requireStorageRoom(services),
      async (c) => {
        const { project, caller, checkpoints, film: copied } = c.var;
        const { name, look, palette } = c.req.valid("json");
        const order = copyOf(copied.order, { look: look ?? undefined, palette: palette ?? undefined });
        const keys = keysFor(models, order, await withKeysOfAccount(c, services, givenKeys(c.req.valid("header"))));
        const { maxSpend } = copied;
        const request = { name: name ?? copied.name, ...(maxSpend !== undefined && { maxSpend }) };
        const film = await orderFilm(services, { caller, project, checkpoints }, request, order, keys);
        return c.json(await view(c, film), 202, { Location: `/api/projects/${project.id}/films/${film.id}` });
      },
    )
    .post(
      "/:filmId/approve",
      documented(canMake, {
        id: "approveFilm",
        summary: "Resume a film after a stop",
        about:
          "Passes the stop that the film waits at, with an edited scenario if one is sent; or, with `step`, skips a step that could not be made.",
        answers: { 200: resource(Film, "The film.") },
        errors: ["not_found", "not_waiting"],
      }),
      loadFilm,
      validateOptionalJson(ApprovalBody),
      async (c) => {
        const approval = c.req.valid("json");
        return c.json(await view(c, await approveFilm(services, c.var.film, approval)), 200);
      },
    )
    .post(
      "/:filmId/steps/:stepId/retry",
      documented(canMake, {
        id: "retryFilmStep",
        summary: "Retry a step",
        about: "Makes one step again, then the steps that depend on it. They are paid again.",
        answers: { 200: resource(Film, "The film.") },
        errors: ["not_found", "not_waiting", "provider_model_unavailable", "price_unknown"],
      }),
      loadFilm,
      validateOptionalJson(RetryBody),
      async (c) => {
        const wish = c.req.valid("json");
        return c.json(await view(c, await retryStep(services, c.var.film, c.req.param("stepId"), wish)), 200);
      },
    )
    .put(
      "/:filmId/steps/:stepId",
      documented(canMake, {
        id: "replaceFilmStep",
        summary: "Replace a generated file",
        about: "Replaces a generated picture or clip by an asset of the project.",
        answers: { 200: resource(Film, "The film.") },
        errors: ["not_found", "not_waiting", "asset_missing", "asset_wrong_type"],
      }),
      loadFilm,
      validate("json", ReplacementBody),
      async (c) => {
        const { assetId } = c.req.valid("json");
        return c.json(await view(c, await replaceStep(services, c.var.film, c.req.param("stepId"), assetId)), 200);
      },
    )
    .post(
      "/:filmId/keys",
      documented(canMake, {
        id: "setFilmKeys",
        summary: "Replace the keys of a film",
        about: "Resumes with the keys of the headers, if the film waits for a key.",
        answers: { 200: resource(Film, "The film.") },
        errors: ["not_found", "not_waiting", "provider_key_required"],
      }),
      loadFilm,
      validate("header", FilmKeys),
      async (c) => {
        const { film } = c.var;
        const keys = keysFor(
          models,
          film.order,
          await withKeysOfAccount(c, services, givenKeys(c.req.valid("header"))),
        );
        const sealed = sealKeys(services.filmKeyBox, film.id, keys);
        return c.json(await view(c, await setKeys(services, film, sealed)), 200);
      },
    )
    .post(
      "/:filmId/cancel",
      documented(canMake, {
        id: "cancelFilm",
        summary: "Cancel a film",
        about: "Cancels running steps. Finished parts stay in the work.",
        answers: { 200: resource(Film, "The film.") },
        errors: ["not_found"],
      }),
      async (c) => c.json(await view(c, await cancelFilm(services, await found(c))), 200),
    )
    .get(
      "/:filmId/events",
      allowQueryToken,
      documented(canRead, {
        id: "followFilm",
        summary: "Follow a film",
        about:
          "Sends server-sent events: `snapshot` with the whole film, `step` with the film and, as `step`, only the step that has changed, `waiting` when it waits for something, then `done`, `error` or `cancelled`. A client that reconnects gets what it has missed as a snapshot.",
        answers: eventAnswers,
        errors: ["not_found"],
      }),
      noIdleTimeout,
      async (c) =>
        sendEvents(
          c,
          filmEvents(services, () => state(c)),
          streams,
        ),
    )
    .get(
      "/:filmId/file",
      allowQueryToken,
      documented(canRead, {
        id: "downloadFilm",
        summary: "Download a film",
        about: "Sends the video of the first target, or of the target in the query, once the film is done.",
        answers: storedFile(["video/mp4"], "The video.", ["X-Export-Warnings"]),
        errors: ["not_found", "not_ready", "range_not_satisfiable", "source_unreadable"],
      }),
      validate("query", FileQuery),
      async (c) => {
        const { exportId, status, userId } = await found(c);
        if (exportId === undefined || status !== "done") throw new DomainError("not_ready", { what: "film" });
        const job = await requireExportState(services.exports, userId, exportId);
        return await sendExport(c, services.files, job, { disposition: "inline", target: c.req.valid("query").target });
      },
    );
};

type FilmView = ReturnType<typeof filmView>;

/** Sends a snapshot with the whole film, then each changed step, and an event when the film waits or ends. */
const filmEvents = (services: Services, load: () => Promise<FilmState>): EventSource<FilmState> => {
  const view = (film: FilmState) => filmView(services, film, film.spend);
  return {
    load,
    hasEnded,
    follow: (current, signal) => followFilm(services, current, signal),
    events: (film, seen) => (seen ? changesOf(view(seen), view(film)) : [snapshot(view(film)), ...restOf(view(film))]),
  };
};

const snapshot = (film: FilmView) => ({ event: "snapshot", data: film });

/** The event of a film that waits or has ended. */
const restOf = (film: FilmView) =>
  film.status === "waiting" || hasEnded(film) ? [{ event: film.status, data: film }] : [];

/** One event for each changed step, with the state of the film; for any other change, a snapshot. */
function changesOf(seen: FilmView, film: FilmView) {
  const { steps, warnings: _, ...state } = film;
  const known = new Map(seen.steps.map((step) => [step.id, JSON.stringify(step)]));
  const isPlanned = steps.length !== known.size || steps.some(({ id }) => !known.has(id));
  const changed = steps.filter((step) => known.has(step.id) && known.get(step.id) !== JSON.stringify(step));
  const events = [
    ...changed.map((step) => ({ event: "step", data: { ...state, step } })),
    ...(isPlanned ? [snapshot(film)] : []),
  ];
  const hasRested =
    seen.status !== film.status || seen.waitingFor !== film.waitingFor || seen.waitingAt !== film.waitingAt;
  const all = [...events, ...(hasRested ? restOf(film) : [])];
  return all.length > 0 ? all : [snapshot(film)];
}

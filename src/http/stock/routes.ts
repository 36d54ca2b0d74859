import { Hono } from "hono";
import { addStockAsset, searchStock } from "../../domain/stock/stock.ts";
import type { ErrorCode } from "../../errors.ts";
import type { Services } from "../../services.ts";
import { modelErrors } from "../ai/errors.ts";
import { providerCallFor, toModelChoice } from "../ai/model-choice.ts";
import { json, resource } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { assetView } from "../assets/to-view.ts";
import { Asset } from "../assets/views.ts";
import { idempotent } from "../middleware/idempotency.ts";
import { loadProject } from "../middleware/load-resource.ts";
import { noIdleTimeout } from "../middleware/no-idle-timeout.ts";
import { requireScopes } from "../middleware/require-scopes.ts";
import { requireStorageRoom } from "../middleware/storage-room.ts";
import { operationsOf } from "../openapi.ts";
import { respondAsync } from "../operations/respond-async.ts";
import { validate } from "../request/validate.ts";
import { withEtag } from "../response/etag.ts";
import { StockAssetRequest, StockHeaders, StockKeyHeader, StockQuery } from "./schemas.ts";
import { StockPage } from "./views.ts";

const documented = operationsOf("Assets");

const neverHere: readonly ErrorCode[] = ["budget_exceeded", "price_unknown", "content_refused", "media_too_large"];
const stockErrors = modelErrors.filter((code) => !neverHere.includes(code));

export const stockRoutes = (services: Services) =>
  new Hono<AppEnv>().get(
    "/",
    documented(requireScopes("projects:read"), {
      id: "searchStock",
      summary: "Search stock media",
      about:
        "Searches the images or videos of Pexels or Pixabay, with your key for it. Repeated searches are answered from a cache for 24 hours.",
      answers: { 200: json(StockPage, "A page of results.") },
      errors: stockErrors,
    }),
    noIdleTimeout,
    validate("header", StockHeaders),
    validate("query", StockQuery),
    async (c) => {
      const { "x-stock-provider": provider, "x-api-key": apiKey } = c.req.valid("header");
      const library = services.models.stock(toModelChoice({ provider, apiKey }));
      const call = providerCallFor(c, services);
      const options = { ...call.taskOptions, signal: call.deadlineSignal() };
      const { results, next } = await searchStock(services, library, c.req.valid("query"), options);
      return c.json({ results: [...results], ...(next !== undefined && { next }) }, 200);
    },
  );

export const stockAssetRoutes = (services: Services) =>
  new Hono<AppEnv>().post(
    "/from-stock",
    documented(requireScopes("projects:write"), {
      id: "addStockAsset",
      summary: "Add an asset from stock media",
      about:
        "Stores an image or a video that a search found as an asset of the project. Its `source` names the author and the licence.",
      answers: { 201: resource(Asset, "The asset.") },
      errors: [...stockErrors, "asset_missing"],
    }),
    loadProject(services),
    noIdleTimeout,
    validate("header", StockKeyHeader),
    validate("json", StockAssetRequest),
    idempotent(services),
    requireStorageRoom(services),
    respondAsync(services),
    async (c) => {
      const { provider, id } = c.req.valid("json");
      const library = services.models.stock(toModelChoice({ provider, apiKey: c.req.valid("header")["x-api-key"] }));
      const call = providerCallFor(c, services);
      const options = { ...call.taskOptions, fetchSignal: call.deadlineSignal() };
      const added = await addStockAsset(services, library, { projectId: c.var.project.id, id }, options);
      return c.json(assetView(withEtag(c, added)), 201);
    },
  );

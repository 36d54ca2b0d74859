import { Hono } from "hono";
import { z } from "zod";
import { addStockAsset, searchStock, stockKinds, stockOrientations } from "../../domain/stock/stock.ts";
import type { ErrorCode } from "../../errors.ts";
import type { Services } from "../../services.ts";
import { modelErrors } from "../ai/errors.ts";
import { withKeptKey } from "../ai/kept-keys.ts";
import { providerCallFor, toModelChoice } from "../ai/model-choice.ts";
import { ModelHeader } from "../ai/model-headers.ts";
import { json, resource } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { Asset, assetView } from "../assets/views.ts";
import { idempotent } from "../middleware/idempotency.ts";
import { loadProject } from "../middleware/load-resource.ts";
import { noIdleTimeout } from "../middleware/no-idle-timeout.ts";
import { requireScopes } from "../middleware/require-scopes.ts";
import { requireStorageRoom } from "../middleware/storage-room.ts";
import { operationsOf } from "../openapi.ts";
import { respondAsync } from "../operations/respond-async.ts";
import { validate } from "../request/validate.ts";
import { withEtag } from "../response/etag.ts";
import { Id, namedObject, Seconds } from "../schemas/responses.ts";

const StockHeaders = z.object({
  "x-stock-provider": ModelHeader.describe("`pexels` or `pixabay`."),
  "x-api-key": ModelHeader,
});

const StockKeyHeader = z.object({ "x-api-key": ModelHeader });

const StockQuery = z.object({
  query: z.string().trim().min(1).max(100).describe("Words, at most 100 characters."),
  kind: z.enum(stockKinds).default("image").describe("`image` by default."),
  orientation: z.enum(stockOrientations).optional().describe("By default, any."),
  page: z.coerce.number().pipe(z.int().min(1).max(500)).default(1).describe("From 1."),
});

const StockAssetRequest = namedObject("StockAssetRequest", {
  provider: z.string().max(4096).describe("`pexels` or `pixabay`."),
  id: z.union([z.string().max(100), z.int().transform(String)]).describe("The id from the search result."),
});

const StockPage = namedObject("StockPage", {
  results: z.array(
    namedObject("StockItem", {
      provider: z.string(),
      id: Id,
      kind: z.enum(stockKinds),
      previewUrl: z.string().describe("A small image, to be shown with the results."),
      width: z.int().describe("Pixels of the largest file."),
      height: z.int(),
      duration: Seconds.optional(),
      author: z.string(),
      authorUrl: z.string(),
      pageUrl: z.string().describe("Both archives require a link to it."),
      licence: z.string(),
    }),
  ),
  next: z.int().optional().describe("The next page, if there is one."),
});

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
      const library = services.models.stock(
        await withKeptKey(c, services, "stock", toModelChoice({ provider, apiKey })),
      );
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
      const choice = toModelChoice({ provider, apiKey: c.req.valid("header")["x-api-key"] });
      const library = services.models.stock(await withKeptKey(c, services, "stock", choice));
      const call = providerCallFor(c, services);
      const options = { ...call.taskOptions, fetchSignal: call.deadlineSignal() };
      const added = await addStockAsset(services, library, { projectId: c.var.project.id, id }, options);
      return c.json(assetView(withEtag(c, added)), 201);
    },
  );

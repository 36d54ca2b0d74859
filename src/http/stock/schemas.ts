import { z } from "zod";
import { namedObject } from "../../domain/shared/schemas.ts";
import { stockKinds, stockOrientations } from "../../domain/stock/stock.ts";
import { ModelHeader } from "../ai/model-headers.ts";

export const StockHeaders = z.object({
  "x-stock-provider": ModelHeader.describe("`pexels` or `pixabay`."),
  "x-api-key": ModelHeader,
});

export const StockKeyHeader = z.object({ "x-api-key": ModelHeader });

export const StockQuery = z.object({
  query: z.string().trim().min(1).max(100).describe("Words, at most 100 characters."),
  kind: z.enum(stockKinds).default("image").describe("`image` by default."),
  orientation: z.enum(stockOrientations).optional().describe("By default, any."),
  page: z.coerce.number().pipe(z.int().min(1).max(500)).default(1).describe("From 1."),
});

export const StockAssetRequest = namedObject("StockAssetRequest", {
  provider: z.string().max(4096).describe("`pexels` or `pixabay`."),
  id: z.union([z.string().max(100), z.int().transform(String)]).describe("The id from the search result."),
});

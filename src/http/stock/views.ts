import { z } from "zod";
import { stockKinds } from "../../domain/stock/stock.ts";
import { Id, namedObject, Seconds } from "../schemas/responses.ts";

export const StockPage = namedObject("StockPage", {
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

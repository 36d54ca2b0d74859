import { z } from "zod";
import { Id, namedObject, Timestamp } from "../schemas/responses.ts";

export const Operation = namedObject("Operation", {
  id: Id,
  status: z.enum(["running", "done", "error"]),
  responseStatus: z
    .int()
    .min(200)
    .max(599)
    .optional()
    .describe("The HTTP status that the request would have received; absent while it runs."),
  cost: z.string().optional().describe("The cost of the request, as in the header X-Cost."),
  warnings: z
    .array(namedObject("OperationWarning", { code: z.enum(["model_replaced"]), message: z.string() }))
    .optional(),
  response: z.unknown().optional().describe("The JSON that the request would have received."),
  error: z.unknown().optional().describe("The error that the request would have received."),
  createdAt: Timestamp,
  endedAt: Timestamp.optional(),
});

import { z } from "zod";
import { Id, named, Timestamp } from "./common.ts";

export const Operation = named(
  "Operation",
  z.object({
    id: Id,
    status: z.enum(["running", "done", "error"]),
    responseStatus: z
      .int()
      .min(200)
      .max(599)
      .optional()
      .meta({ description: "The HTTP status that the request would have received; absent while it runs." }),
    response: z.unknown().optional().meta({ description: "The JSON that the request would have received." }),
    error: z.unknown().optional().meta({ description: "The error that the request would have received." }),
    createdAt: Timestamp,
    endedAt: Timestamp.optional(),
  }),
);

import type { Logger } from "pino";
import { internalError } from "./error-response.ts";
import { describeError } from "./log.ts";

/** For what breaks outside the app, such as a stored file that is gone when it is to be sent: nothing else tells of it. */
export const brokenAnswer =
  (log: Logger) =>
  (error: unknown): Response => {
    const requestId = crypto.randomUUID();
    log.error({ requestId, error: describeError(error) }, "answer broke");
    return Response.json(internalError(requestId), { status: 500, headers: { "x-request-id": requestId } });
  };

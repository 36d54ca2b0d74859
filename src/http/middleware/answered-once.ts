import { createMiddleware } from "hono/factory";
import { forgetfulSteps } from "../../domain/provider-calls.ts";
import type { Services } from "../../domain/services.ts";
import type { AppEnv } from "../app-env.ts";

/** Last before the handler: a request with an Idempotency-Key that was answered gets the same answer again. */
export const answeredOnce = (_: Pick<Services, "keptAnswers">) =>
  createMiddleware<AppEnv>(async (c, next) => {
    c.set("steps", forgetfulSteps);
    await next();
  });

import { Hono } from "hono";
import { z } from "zod";
import { pageModes } from "../../../domain/ai/style-guide/prompts.ts";
import { extractFromPage, extractStyleGuide } from "../../../domain/ai/style-guide/style-guide.ts";
import type { Services } from "../../../domain/services.ts";
import type { AppEnv } from "../../app-env.ts";
import { idempotent } from "../../middleware/idempotency.ts";
import { noIdleTimeout } from "../../middleware/no-idle-timeout.ts";
import { respondAsync } from "../../middleware/operations.ts";
import { requireScopes } from "../../middleware/require-scopes.ts";
import { modelChoice, modelHeaders, providerCallFor } from "../../request/model-choice.ts";
import { validate } from "../../request/validate.ts";
import { trimmedUpTo, Url, withDefault } from "../../schemas/common.ts";

const TextSource = z.object({ text: trimmedUpTo(100_000) });
const PageSource = z.object({
  url: Url.min(1),
  includeProductInfo: withDefault(z.boolean(), false),
  mode: withDefault(z.enum(pageModes), "landing"),
});

export const styleGuideRoutes = (services: Services) =>
  new Hono<AppEnv>()
    .post(
      "/extract",
      requireScopes("ai:generate"),
      noIdleTimeout,
      validate("json", TextSource),
      modelHeaders("llm"),
      idempotent(services),
      respondAsync(services),
      async (c) => {
        const model = services.models.llm(modelChoice("llm", c.req.valid("header")));
        return c.json(await extractStyleGuide(model, c.req.valid("json").text, providerCallFor(c, services)), 200);
      },
    )
    .post(
      "/extract-from-landing",
      requireScopes("ai:generate"),
      noIdleTimeout,
      validate("json", PageSource),
      modelHeaders("llm"),
      idempotent(services),
      respondAsync(services),
      async (c) => {
        const model = services.models.llm(modelChoice("llm", c.req.valid("header")));
        return c.json(await extractFromPage(services, model, c.req.valid("json"), providerCallFor(c, services)), 200);
      },
    );

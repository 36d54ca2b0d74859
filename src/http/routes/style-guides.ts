import { Hono } from "hono";
import { z } from "zod";
import type { Services } from "../../domain/services.ts";
import { extractFromPage, extractStyleGuide } from "../../domain/style-guide.ts";
import { pageModes } from "../../domain/style-guide-prompts.ts";
import type { AppEnv } from "../app-env.ts";
import { answeredOnce } from "../middleware/answered-once.ts";
import { needs } from "../middleware/needs.ts";
import { unhurried } from "../middleware/unhurried.ts";
import { modelChoice, modelHeaders } from "../model-choice.ts";
import { callOf } from "../provider-call.ts";
import { trimmedUpTo, Url, withDefault } from "../schemas.ts";
import { validate } from "../validate.ts";

const Source = z.object({ text: trimmedUpTo(100_000) });
const Page = z.object({
  url: Url.min(1, "Must not be empty."),
  includeProductInfo: withDefault(z.boolean(), false),
  mode: withDefault(z.enum(pageModes, `Must be one of ${pageModes.join(", ")}.`), "landing"),
});

export const styleGuideRoutes = (services: Services) =>
  new Hono<AppEnv>()
    .post(
      "/extract",
      needs("ai:generate"),
      unhurried,
      validate("json", Source),
      modelHeaders("llm"),
      answeredOnce(services),
      async (c) => {
        const model = services.models.llm(modelChoice("llm", c.req.valid("header")));
        return c.json(await extractStyleGuide(model, c.req.valid("json").text, callOf(c, services)), 200);
      },
    )
    .post(
      "/extract-from-landing",
      needs("ai:generate"),
      unhurried,
      validate("json", Page),
      modelHeaders("llm"),
      answeredOnce(services),
      async (c) => {
        const model = services.models.llm(modelChoice("llm", c.req.valid("header")));
        return c.json(await extractFromPage(services, model, c.req.valid("json"), callOf(c, services)), 200);
      },
    );

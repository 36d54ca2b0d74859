import { Hono } from "hono";
import { z } from "zod";
import { pageModes } from "../../../domain/ai/style-guide/prompts.ts";
import { extractFromPage, extractStyleGuide } from "../../../domain/ai/style-guide/style-guide.ts";
import { namedObject } from "../../../domain/shared/schemas.ts";
import type { Services } from "../../../services.ts";
import { json } from "../../answers.ts";
import type { AppEnv } from "../../app-env.ts";
import { idempotent } from "../../middleware/idempotency.ts";
import { noIdleTimeout } from "../../middleware/no-idle-timeout.ts";
import { requireScopes } from "../../middleware/require-scopes.ts";
import { operationsOf } from "../../openapi.ts";
import { respondAsync } from "../../operations/respond-async.ts";
import { validate } from "../../request/validate.ts";
import { trimmedUpTo, Url, withDefault } from "../../schemas/common.ts";
import { modelErrors, urlErrors } from "../errors.ts";
import { modelChoice, modelHeaders, withProviderCall } from "../model-choice.ts";
import { modelResponseHeaders } from "../model-headers.ts";
import { ExtractedBrand, ExtractedStyleGuide } from "../views.ts";

const documented = operationsOf("AI");

const TextSource = namedObject("BrandText", { text: trimmedUpTo(100_000) });
const PageSource = namedObject("BrandPage", {
  url: Url.min(1),
  includeProductInfo: withDefault(z.boolean(), false),
  mode: withDefault(z.enum(pageModes), "landing"),
});

export const styleGuideRoutes = (services: Services) =>
  new Hono<AppEnv>()
    .post(
      "/extract",
      documented(requireScopes("ai:generate"), {
        id: "extractStyleGuide",
        summary: "Extract a style guide from a text",
        about: "Reads how a brand looks and speaks from a text about it. Nothing is saved.",
        answers: { 200: json(ExtractedStyleGuide, "The style guide.", modelResponseHeaders) },
        errors: modelErrors,
      }),
      noIdleTimeout,
      validate("json", TextSource),
      modelHeaders(services, "llm"),
      idempotent(services),
      respondAsync(services),
      async (c) => {
        const model = services.models.llm(modelChoice("llm", c.req.valid("header")));
        const { text } = c.req.valid("json");
        return c.json(await withProviderCall(c, services, (call) => extractStyleGuide(model, text, call)), 200);
      },
    )
    .post(
      "/extract-from-landing",
      documented(requireScopes("ai:generate"), {
        id: "extractStyleGuideFromPage",
        summary: "Extract a style guide from a web page",
        about:
          "Fetches a public page and reads how the brand looks and speaks and, if requested, what the product is. Nothing is saved.",
        answers: { 200: json(ExtractedBrand, "The style guide, and the product.", modelResponseHeaders) },
        errors: [...modelErrors, ...urlErrors],
      }),
      noIdleTimeout,
      validate("json", PageSource),
      modelHeaders(services, "llm"),
      idempotent(services),
      respondAsync(services),
      async (c) => {
        const model = services.models.llm(modelChoice("llm", c.req.valid("header")));
        const page = c.req.valid("json");
        return c.json(await withProviderCall(c, services, (call) => extractFromPage(services, model, page, call)), 200);
      },
    );

import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { z } from "zod";
import { analyzeFilm } from "../../../domain/ai/analysis/analyze.ts";
import type { Services } from "../../../domain/services.ts";
import { workModes } from "../../../domain/works/works.ts";
import type { AppEnv } from "../../app-env.ts";
import { idempotent } from "../../middleware/idempotency.ts";
import { noIdleTimeout } from "../../middleware/no-idle-timeout.ts";
import { requireScopes } from "../../middleware/require-scopes.ts";
import { modelChoice, modelHeaders } from "../../request/model-choice.ts";
import { callOf } from "../../request/provider-call.ts";
import { Prompt } from "../../request/schemas.ts";
import { oneText, upload } from "../../request/upload.ts";

const Mode = z.enum(workModes, `Must be one of ${workModes.join(", ")}.`);

/** A field that a form sends empty was left out. */
const FilmFields = z.object({
  mode: oneText(z.union([z.literal("").transform(() => "style_transfer" as const), Mode])).default("style_transfer"),
  analyzerPrompt: oneText(Prompt).default(""),
});

type Choice = { out: { header: Parameters<typeof modelChoice<"vision">>[1] } };

/** A choice that no model answers to is told before a long upload is read. */
const knownVision = ({ models }: Pick<Services, "models">) =>
  createMiddleware<AppEnv, string, Choice>(async (c, next) => {
    models.vision(modelChoice("vision", c.req.valid("header")));
    await next();
  });

export const analysisRoutes = (services: Services) =>
  new Hono<AppEnv>().post(
    "/",
    requireScopes("ai:analyze"),
    noIdleTimeout,
    modelHeaders("vision"),
    knownVision(services),
    upload(services, "video", FilmFields),
    idempotent(services),
    async (c) => {
      const model = services.models.vision(modelChoice("vision", c.req.valid("header")));
      const { file: received, texts } = c.req.valid("form");
      const reading = { model, call: callOf(c, services) };
      return c.json(await analyzeFilm(services, reading, { received, ...texts }), 200);
    },
  );

import { Hono } from "hono";
import { generateSceneVoices } from "../../../domain/ai/speech/scene-voices.ts";
import type { Services } from "../../../services.ts";
import { json } from "../../answers.ts";
import type { AppEnv } from "../../app-env.ts";
import { idempotent } from "../../middleware/idempotency.ts";
import { loadWork } from "../../middleware/load-resource.ts";
import { noIdleTimeout } from "../../middleware/no-idle-timeout.ts";
import { requireScopes } from "../../middleware/require-scopes.ts";
import { requireStorageRoom } from "../../middleware/storage-room.ts";
import { operationsOf } from "../../openapi.ts";
import { respondAsync } from "../../operations/respond-async.ts";
import { validateOptionalJson } from "../../request/validate.ts";
import { modelErrors } from "../errors.ts";
import { WorkVoiceRequest } from "../generation/schemas.ts";
import { isNamed, modelChoice, modelHeaders, withProviderCall } from "../model-choice.ts";
import { modelResponseHeaders } from "../model-headers.ts";
import { GeneratedVoices } from "../views.ts";
import { speechModels, wishOf } from "./routes.ts";

const documented = operationsOf("AI");

export const workVoiceRoutes = (services: Services) =>
  new Hono<AppEnv>().post(
    "/:workId/generate/voice",
    documented(requireScopes("ai:generate", "works:write"), {
      id: "generateVoices",
      summary: "Generate the voices of a work",
      about:
        "Speaks each scene's `voice_text`, or its `text_overlay` if it has none, and saves the voices in the work. Unless `force` is true, recordings stay, and so do voices made from the same text with the same settings. A request that failed can therefore be sent again: it pays only for what is missing.",
      answers: { 200: json(GeneratedVoices, "The voices, in the order of the scenes.", modelResponseHeaders) },
      errors: [...modelErrors, "scene_missing", "request_in_progress"],
    }),
    noIdleTimeout,
    loadWork(services),
    validateOptionalJson(WorkVoiceRequest),
    modelHeaders(services, "speech"),
    idempotent(services),
    requireStorageRoom(services),
    respondAsync(services),
    async (c) => {
      const choice = modelChoice("speech", c.req.valid("header"));
      const { sceneIndex, fitScenes: fitsScenes, force, ...request } = c.req.valid("json");
      const selected = services.models.select("speech", choice);
      const order = {
        work: c.var.work,
        ...(sceneIndex !== undefined && { sceneIndex }),
        manner: wishOf(request),
        choice: { model: selected.id, isNamed: isNamed(c, "speech", choice) },
        models: speechModels(services, choice, request),
        ...{ fitsScenes, force },
      };
      const scenes = await withProviderCall(c, services, (call) => generateSceneVoices(services, call, order));
      return c.json({ scenes: [...scenes] }, 200);
    },
  );

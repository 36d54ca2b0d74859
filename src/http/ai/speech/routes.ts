import { Hono } from "hono";
import type { ModelChoice } from "../../../domain/ai/models.ts";
import { generateSpeech } from "../../../domain/ai/speech/generate-speech.ts";
import type { MannerWish } from "../../../domain/ai/speech/scene-voices.ts";
import { withoutUndefined } from "../../../platform/values.ts";
import type { Services } from "../../../services.ts";
import { json } from "../../answers.ts";
import type { AppEnv } from "../../app-env.ts";
import { idempotent } from "../../middleware/idempotency.ts";
import { noIdleTimeout } from "../../middleware/no-idle-timeout.ts";
import { requireScopes } from "../../middleware/require-scopes.ts";
import { requireStorageRoom } from "../../middleware/storage-room.ts";
import { operationsOf } from "../../openapi.ts";
import { respondAsync } from "../../operations/respond-async.ts";
import { validate } from "../../request/validate.ts";
import { modelErrors } from "../errors.ts";
import { GenerationTarget, type MannerRequest, SpeechRequest } from "../generation/schemas.ts";
import { loadTargetWork } from "../generation/target-work.ts";
import { modelChoice, modelHeaders, withProviderCall } from "../model-choice.ts";
import { modelResponseHeaders } from "../model-headers.ts";
import { GeneratedSpeech } from "../views.ts";

const documented = operationsOf("AI");

export const speechRoutes = (services: Services) =>
  new Hono<AppEnv>().post(
    "/speech",
    documented(requireScopes("ai:generate"), {
      id: "generateSpeech",
      summary: "Generate a voice",
      about:
        "Speaks a text and returns when each word is said. If the request names a project, a work and a scene, the voice becomes the scene's; this needs `works:write` too.",
      answers: { 200: json(GeneratedSpeech, "Where the voice is, and its words.", modelResponseHeaders) },
      errors: [...modelErrors, "request_in_progress"],
    }),
    noIdleTimeout,
    validate("json", GenerationTarget),
    loadTargetWork(services),
    modelHeaders(services, "speech"),
    validate("json", SpeechRequest),
    idempotent(services),
    requireStorageRoom(services),
    respondAsync(services),
    async (c) => {
      const { caller, targetWork } = c.var;
      const { text, sceneIndex, ...request } = c.req.valid("json");
      const models = speechModels(services, modelChoice("speech", c.req.valid("header")), request);
      const model = models.speech();
      const transcriber = models.transcription();
      const wish = wishOf(request);
      const manner = { ...wish, voice: model.voiceNamed(wish.voice) };
      const target = targetWork && sceneIndex !== undefined ? { work: targetWork.work, sceneIndex } : undefined;
      const spoken = await withProviderCall(c, services, (call) => {
        const context = { model, call, ...(transcriber && { transcriber }) };
        return generateSpeech(services, context, { caller, text, manner, ...(target && { target }) });
      });
      return c.json(spoken, 200);
    },
  );

/** The chosen provider's models. Only the speaking model can be chosen by its id. */
export const speechModels = (
  { models }: Pick<Services, "models">,
  { modelId, ...provider }: ModelChoice,
  { wordTimes }: Pick<MannerRequest, "wordTimes">,
) => ({
  speech: () => models.speech({ ...provider, ...(modelId !== undefined && { modelId }) }),
  transcription: () => (wordTimes ? models.transcription(provider) : undefined),
});

export const wishOf = ({ voice, speed, language, instructions }: MannerRequest): MannerWish => ({
  speed,
  instructions: instructions.trim(),
  ...withoutUndefined({ voice, language }),
});

import { Hono } from "hono";
import type { SpeechModel } from "../../../domain/ai/models.ts";
import { generateSpeech } from "../../../domain/ai/speech/generate-speech.ts";
import type { Manner } from "../../../domain/ai/speech/speak.ts";
import type { Services } from "../../../domain/services.ts";
import { json } from "../../answers.ts";
import type { AppEnv } from "../../app-env.ts";
import { idempotent } from "../../middleware/idempotency.ts";
import { loadTargetWork } from "../../middleware/load-resource.ts";
import { noIdleTimeout } from "../../middleware/no-idle-timeout.ts";
import { respondAsync } from "../../middleware/operations.ts";
import { requireScopes } from "../../middleware/require-scopes.ts";
import { requireStorageRoom } from "../../middleware/storage-room.ts";
import { operationsOf } from "../../openapi.ts";
import { modelChoice, modelHeaders, providerCallFor } from "../../request/model-choice.ts";
import { validate } from "../../request/validate.ts";
import { GenerationTarget, type MannerRequest, SpeechRequest } from "../../schemas/generation.ts";
import { GeneratedSpeech } from "../../schemas/responses/ai.ts";
import { modelErrors } from "./errors.ts";

const documented = operationsOf("AI");

export const speechRoutes = (services: Services) =>
  new Hono<AppEnv>().post(
    "/speech",
    documented(requireScopes("ai:generate"), {
      id: "generateSpeech",
      summary: "Generate a voice",
      about:
        "Speaks a text and returns when each word is said. If the request names a project, a work and a scene, the voice becomes the scene's; this needs `works:write` too.",
      answers: { 200: json(GeneratedSpeech, "Where the voice is, and its words.") },
      errors: [...modelErrors, "request_in_progress"],
    }),
    noIdleTimeout,
    validate("json", GenerationTarget),
    loadTargetWork(services),
    modelHeaders("speech"),
    validate("json", SpeechRequest),
    requireStorageRoom(services),
    idempotent(services),
    respondAsync(services),
    async (c) => {
      const choice = modelChoice("speech", c.req.valid("header"));
      const { caller, targetWork } = c.var;
      const { text, sceneIndex, ...request } = c.req.valid("json");
      const model = services.models.speech(choice);
      const { modelId: _, ...sameProvider } = choice;
      const context = {
        model,
        call: providerCallFor(c, services),
        ...(request.wordTimes && { transcriber: services.models.transcription(sameProvider) }),
      };
      const manner = mannerOf(request, model);
      const target = targetWork && sceneIndex !== undefined ? { work: targetWork.work, sceneIndex } : undefined;
      const spoken = await generateSpeech(services, context, { caller, text, manner, ...(target && { target }) });
      return c.json(spoken, 200);
    },
  );

/** Throws validation_error for a voice that the model does not have. */
export const mannerOf = ({ voice, speed, language, instructions }: MannerRequest, model: SpeechModel): Manner => ({
  voice: model.voiceNamed(voice),
  speed,
  instructions: instructions.trim(),
  ...(language !== undefined && { language }),
});

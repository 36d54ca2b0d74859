import { Hono } from "hono";
import { z } from "zod";
import type { ModelChoice } from "../../domain/models.ts";
import type { Services } from "../../domain/services.ts";
import { generateScene } from "../../domain/work-generation.ts";
import type { AppEnv } from "../app-env.ts";
import { answeredOnce } from "../middleware/answered-once.ts";
import { needs } from "../middleware/needs.ts";
import { ownWork } from "../middleware/owned.ts";
import { unhurried } from "../middleware/unhurried.ts";
import { choiceOf, ModelHeader } from "../model-choice.ts";
import { callOf } from "../provider-call.ts";
import { sceneInPath } from "../scene-index.ts";
import { validate } from "../validate.ts";

/** One key will do when both models are of the same provider. */
const SceneHeaders = z.object({
  "x-image-provider": ModelHeader,
  "x-image-model-id": ModelHeader,
  "x-image-api-key": ModelHeader,
  "x-video-provider": ModelHeader,
  "x-video-model-id": ModelHeader,
  "x-video-api-key": ModelHeader,
  "x-api-key": ModelHeader,
});

function sceneChoice(headers: z.output<typeof SceneHeaders>, file: "image" | "video"): ModelChoice {
  const { apiKey = headers["x-api-key"], ...choice } = choiceOf({
    provider: headers[`x-${file}-provider`],
    modelId: headers[`x-${file}-model-id`],
    apiKey: headers[`x-${file}-api-key`],
  });
  return { ...choice, ...choiceOf({ apiKey }) };
}

export const workGenerationRoutes = (services: Services) =>
  new Hono<AppEnv>().post(
    "/:workId/generate/scene/:sceneIndex",
    needs("ai:generate", "works:write"),
    unhurried,
    ownWork(services),
    sceneInPath,
    validate("header", SceneHeaders),
    answeredOnce(services),
    async (c) => {
      const headers = c.req.valid("header");
      const models = {
        image: () => services.models.image(sceneChoice(headers, "image")),
        video: () => services.models.video(sceneChoice(headers, "video")),
      };
      const { project, work, sceneIndex, caller } = c.var;
      const order = { project, work, sceneIndex, models };
      return c.json(await generateScene(services, { caller, call: callOf(c, services) }, order), 200);
    },
  );

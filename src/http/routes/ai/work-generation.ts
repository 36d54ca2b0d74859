import { Hono } from "hono";
import type { z } from "zod";
import { generateScene } from "../../../domain/ai/generation/generate-scene.ts";
import type { ModelChoice } from "../../../domain/ai/models.ts";
import type { Services } from "../../../domain/services.ts";
import type { SceneFile } from "../../../domain/works/scene-state.ts";
import type { AppEnv } from "../../app-env.ts";
import { idempotent } from "../../middleware/idempotency.ts";
import { loadWork } from "../../middleware/load-resource.ts";
import { noIdleTimeout } from "../../middleware/no-idle-timeout.ts";
import { respondAsync } from "../../middleware/operations.ts";
import { requireScopes } from "../../middleware/require-scopes.ts";
import { providerCallFor, toModelChoice } from "../../request/model-choice.ts";
import { loadSceneIndex } from "../../request/scene-index.ts";
import { validate } from "../../request/validate.ts";
import { SceneModelHeaders } from "../../schemas/model-headers.ts";

export const workGenerationRoutes = (services: Services) =>
  new Hono<AppEnv>().post(
    "/:workId/generate/scene/:sceneIndex",
    requireScopes("ai:generate", "works:write"),
    noIdleTimeout,
    loadWork(services),
    loadSceneIndex,
    validate("header", SceneModelHeaders),
    idempotent(services),
    respondAsync(services),
    async (c) => {
      const choices = sceneChoices(services, c.req.valid("header"));
      const models = {
        image: () => services.models.image(choices.image),
        video: () => services.models.video(choices.video),
      };
      const { project, work, sceneIndex, caller } = c.var;
      const request = { project, work, sceneIndex, models };
      return c.json(await generateScene(services, { caller, call: providerCallFor(c, services) }, request), 200);
    },
  );

type Headers = z.output<typeof SceneModelHeaders>;

/**
 * The choices of the image model and the video model. `x-api-key` applies to a model without a key of its own, unless
 * that would send one key to two providers.
 */
function sceneChoices({ models }: Pick<Services, "models">, headers: Headers) {
  const image = sceneChoice(headers, "image");
  const video = sceneChoice(headers, "video");
  const imageProvider = models.selectProvider("image", image);
  const videoProvider = models.selectProvider("video", video);
  const isOneSecret = imageProvider.id === videoProvider.id || !imageProvider.needsKey || !videoProvider.needsKey;
  const hasOwnKey = image.apiKey !== undefined || video.apiKey !== undefined;
  const shared = isOneSecret || hasOwnKey ? toModelChoice({ apiKey: headers["x-api-key"] }) : {};
  return { image: { ...shared, ...image }, video: { ...shared, ...video } };
}

const sceneChoice = (headers: Headers, file: SceneFile): ModelChoice =>
  toModelChoice({
    provider: headers[`x-${file}-provider`],
    modelId: headers[`x-${file}-model-id`],
    apiKey: headers[`x-${file}-api-key`],
  });

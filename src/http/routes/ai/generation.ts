import { Hono } from "hono";
import { generateImage, generateVideo, imageTaskOf, videoTaskOf } from "../../../domain/ai/generation/generation.ts";
import { findPicture } from "../../../domain/files/image-sources.ts";
import type { Services } from "../../../domain/services.ts";
import type { AppEnv } from "../../app-env.ts";
import { idempotent } from "../../middleware/idempotency.ts";
import { noIdleTimeout } from "../../middleware/no-idle-timeout.ts";
import { requireScopes } from "../../middleware/require-scopes.ts";
import { ImageRequest, ownPlace, shotOf, Target, VideoRequest } from "../../request/generation-request.ts";
import { modelChoice, modelHeaders } from "../../request/model-choice.ts";
import { callOf } from "../../request/provider-call.ts";
import { validate } from "../../request/validate.ts";

const defaultSeconds = 5;

export const generationRoutes = (services: Services) =>
  new Hono<AppEnv>()
    .post(
      "/image",
      requireScopes("ai:generate"),
      noIdleTimeout,
      validate("json", Target),
      ownPlace(services),
      modelHeaders("image"),
      validate("json", ImageRequest),
      idempotent(services),
      async (c) => {
        const model = services.models.image(modelChoice("image", c.req.valid("header")));
        const { place, caller } = c.var;
        const request = c.req.valid("json");
        const instructions = { given: request.image_instruction, ofWork: place?.work.imageSystemPrompt };
        const { wish, resolution, target } = shotOf(request, place, instructions);
        const making = { caller, call: callOf(c, services), model };
        const imageUrl = await generateImage(services, making, imageTaskOf(wish, resolution), target);
        return c.json({ imageUrl }, 200);
      },
    )
    .post(
      "/video",
      requireScopes("ai:generate"),
      noIdleTimeout,
      validate("json", Target),
      ownPlace(services),
      modelHeaders("video"),
      validate("json", VideoRequest),
      idempotent(services),
      async (c) => {
        const model = services.models.video(modelChoice("video", c.req.valid("header")));
        const { place, caller } = c.var;
        const { image_url, duration: wantedSeconds = defaultSeconds, ...request } = c.req.valid("json");
        const instructions = { given: request.video_instruction, ofWork: place?.work.videoSystemPrompt };
        const { wish, resolution, target } = shotOf(request, place, instructions);
        const making = { caller, call: callOf(c, services), model };
        const duration = model.nearestDuration(wantedSeconds);

        const { image, dispose } = await findPicture(services, caller, image_url, c.req.raw.signal);
        try {
          const task = videoTaskOf(wish, { image, resolution, durationSeconds: duration });
          return c.json({ videoUrl: await generateVideo(services, making, task, target), duration }, 200);
        } finally {
          await dispose();
        }
      },
    );

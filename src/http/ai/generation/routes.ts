import { Hono } from "hono";
import { generateImage, generateVideo } from "../../../domain/ai/generation/generation.ts";
import { imageTaskOf, type ShotSpec, videoTaskOf } from "../../../domain/ai/generation/prompts.ts";
import { findSceneReferences, referencesFor } from "../../../domain/ai/generation/references.ts";
import type { SceneTarget } from "../../../domain/ai/generation/scene-lock.ts";
import { findImage } from "../../../domain/media-sources/image-sources.ts";
import { defaultResolution } from "../../../domain/works/editor-state.ts";
import type { Canvas } from "../../../engine/timeline/timeline.ts";
import type { Services } from "../../../services.ts";
import { json } from "../../answers.ts";
import type { AppEnv, TargetWork } from "../../app-env.ts";
import { clientSignal } from "../../client-signal.ts";
import { idempotent } from "../../middleware/idempotency.ts";
import { noIdleTimeout } from "../../middleware/no-idle-timeout.ts";
import { requireScopes } from "../../middleware/require-scopes.ts";
import { requireStorageRoom } from "../../middleware/storage-room.ts";
import { operationsOf } from "../../openapi.ts";
import { respondAsync } from "../../operations/respond-async.ts";
import { validate } from "../../request/validate.ts";
import { fileErrors, modelErrors, urlErrors } from "../errors.ts";
import { modelChoice, modelHeaders, withProviderCall } from "../model-choice.ts";
import { modelResponseHeaders } from "../model-headers.ts";
import { GeneratedImage, GeneratedVideo } from "../views.ts";
import { GenerationTarget, ImageRequest, type ShotRequest, VideoRequest } from "./schemas.ts";
import { loadTargetWork } from "./target-work.ts";

const documented = operationsOf("AI");

const defaultDurationSeconds = 5;

export const generationRoutes = (services: Services) =>
  new Hono<AppEnv>().route("/", imageRoute(services)).route("/", videoRoute(services));

const imageRoute = (services: Services) =>
  new Hono<AppEnv>().post(
    "/image",
    documented(requireScopes("ai:generate"), {
      id: "generateImage",
      summary: "Generate an image",
      about:
        "Draws an image from a prompt. If the request names a project, a work and a scene, the image becomes the scene's; this needs `works:write` too.",
      answers: { 200: json(GeneratedImage, "Where the image is.", modelResponseHeaders) },
      errors: [...modelErrors, "request_in_progress", ...fileErrors],
    }),
    noIdleTimeout,
    validate("json", GenerationTarget),
    loadTargetWork(services),
    modelHeaders(services, "image"),
    validate("json", ImageRequest),
    idempotent(services),
    requireStorageRoom(services),
    respondAsync(services),
    async (c) => {
      const model = services.models.image(modelChoice("image", c.req.valid("header")));
      const { caller, targetWork } = c.var;
      const { image_instruction, ...request } = c.req.valid("json");
      const instruction = image_instruction ?? targetWork?.work.imageSystemPrompt;
      const { spec, resolution, target } = shotFrom(request, instruction, targetWork);
      const imageUrl = await withProviderCall(c, services, async (call) => {
        const context = { caller, call, model };
        const references = await sceneReferences(services, context, target);
        return generateImage(services, context, imageTaskOf(spec, resolution, { references }), target);
      });
      return c.json({ imageUrl }, 200);
    },
  );

const videoRoute = (services: Services) =>
  new Hono<AppEnv>().post(
    "/video",
    documented(requireScopes("ai:generate"), {
      id: "generateVideo",
      summary: "Generate a video",
      about:
        "Makes a video from an image: an internal URL, an external one, or a data URL. If the request names a project, a work and a scene, the video becomes the scene's; this needs `works:write` too.",
      answers: { 200: json(GeneratedVideo, "Where the video is, and how long it is.", modelResponseHeaders) },
      errors: [...modelErrors, "request_in_progress", ...fileErrors, ...urlErrors],
    }),
    noIdleTimeout,
    validate("json", GenerationTarget),
    loadTargetWork(services),
    modelHeaders(services, "video"),
    validate("json", VideoRequest),
    idempotent(services),
    requireStorageRoom(services),
    respondAsync(services),
    async (c) => {
      const model = services.models.video(modelChoice("video", c.req.valid("header")));
      const { caller, targetWork } = c.var;
      const {
        image_url,
        duration: requested = defaultDurationSeconds,
        video_instruction,
        ...request
      } = c.req.valid("json");
      const instruction = video_instruction ?? targetWork?.work.videoSystemPrompt;
      const { spec, resolution, target } = shotFrom(request, instruction, targetWork);
      const duration = model.nearestDuration(requested);
      const videoUrl = await withProviderCall(c, services, async (call) => {
        const context = { caller, call, model };
        const references = model.maxReferences ? await sceneReferences(services, context, target) : [];
        const { image, dispose } = await findImage(services, caller, image_url, clientSignal(c));
        const task = videoTaskOf(spec, { image, resolution, durationSeconds: duration, references });
        return generateVideo(services, context, task, target).finally(dispose);
      });
      return c.json({ videoUrl, duration }, 200);
    },
  );

/** The product's reference pictures of a scene, as many as the model accepts. */
const sceneReferences = async (
  services: Services,
  context: Parameters<typeof referencesFor>[1],
  target: SceneTarget | undefined,
) => referencesFor(services, context, target && (await findSceneReferences(services, target)));

type Shot = { readonly spec: ShotSpec; readonly resolution: Canvas; readonly target?: SceneTarget };

/** Fields that the request leaves out default to those of the target work and its project. */
function shotFrom(request: ShotRequest, instruction = "", targetWork?: TargetWork): Shot {
  const { prompt, negative_prompt: negativePrompt = "", sceneIndex } = request;
  const styleGuide = request.styleGuide ?? targetWork?.project.styleGuide;
  return {
    spec: { prompt, negativePrompt, instruction, ...(styleGuide && { styleGuide }) },
    resolution: request.resolution ?? targetWork?.work.resolution ?? defaultResolution,
    ...(targetWork && sceneIndex !== undefined && { target: { work: targetWork.work, sceneIndex } }),
  };
}

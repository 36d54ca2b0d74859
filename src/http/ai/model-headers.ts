import { z } from "zod";

export const modelResponseHeaders = ["X-Cost", "X-Model-Id"] as const;

export const ModelHeader = z.string().max(4096).optional();

/** The headers that choose both models of a scene. `x-api-key` may apply to both, `x-model-id` to the video model. */
export const SceneModelHeaders = z.object({
  "x-image-provider": ModelHeader,
  "x-image-model-id": ModelHeader,
  "x-image-api-key": ModelHeader,
  "x-video-provider": ModelHeader,
  "x-video-model-id": ModelHeader,
  "x-video-api-key": ModelHeader,
  "x-model-id": ModelHeader,
  "x-api-key": ModelHeader,
});

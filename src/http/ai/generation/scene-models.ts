import type { z } from "zod";
import type { SceneModels } from "../../../domain/ai/generation/scene-plan.ts";
import type { ModelChoice, Models } from "../../../domain/ai/models.ts";
import type { SceneFile } from "../../../domain/works/scene-state.ts";
import { toModelChoice } from "../model-choice.ts";
import type { SceneModelHeaders } from "../model-headers.ts";

type Headers = z.output<typeof SceneModelHeaders>;

/** The choice of both models of a scene. Throws for an unknown provider or a malformed model id, but not for keys. */
export function sceneModels(models: Models, headers: Headers): SceneModels {
  const selected = {
    image: models.select("image", choiceOf(headers, "image")),
    video: models.select("video", choiceOf(headers, "video")),
  };
  const namedModel = (file: SceneFile) => {
    const { provider, modelId } = choiceOf(headers, file);
    const { id: model, replaces } = selected[file];
    const isNamed = provider !== undefined || modelId !== undefined;
    return { model, isNamed, ...(replaces !== undefined && { replaces }) };
  };
  return {
    choices: { image: namedModel("image"), video: namedModel("video") },
    forFiles(files) {
      const withKey = files.filter((file) => selected[file].needsKey);
      const isOneProvider = new Set(withKey.map((file) => selected[file].id.provider)).size <= 1;
      return {
        image: () => models.image(choiceOf(headers, "image", isOneProvider)),
        video: () => models.video(choiceOf(headers, "video", isOneProvider)),
      };
    },
  };
}

/** `isOneProvider` means that no more than one of the needed models' providers takes a key. */
function choiceOf(headers: Headers, file: SceneFile, isOneProvider = false): ModelChoice {
  const modelIdHeader = modelIdHeaderOf(headers, file);
  const keyHeader = `x-${file}-api-key` as const;
  const fields = toModelChoice({
    provider: headers[`x-${file}-provider`],
    modelId: headers[modelIdHeader],
    apiKey: headers[keyHeader]?.trim() || sharedKey(headers, isOneProvider),
  });
  const otherKeyHeader = file === "image" ? "x-video-api-key" : "x-image-api-key";
  const names = isOneProvider
    ? { apiKey: "x-api-key" }
    : { apiKey: keyHeader, ...(!headers[otherKeyHeader]?.trim() && { otherApiKey: otherKeyHeader }) };
  return { ...fields, headers: { modelId: modelIdHeader, ...names } };
}

function modelIdHeaderOf(headers: Headers, file: SceneFile) {
  if (file === "image") return "x-image-model-id";
  return headers["x-video-model-id"]?.trim() ? "x-video-model-id" : "x-model-id";
}

/** `x-api-key` is for a model without a key of its own, unless that would send one key to two providers. */
function sharedKey(headers: Headers, isOneProvider: boolean): string | undefined {
  const hasOwnKey = headers["x-image-api-key"]?.trim() || headers["x-video-api-key"]?.trim();
  return isOneProvider || hasOwnKey ? headers["x-api-key"] : undefined;
}

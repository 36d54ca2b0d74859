import { z } from "zod";
import type { Category, ModelChoice } from "../../domain/ai/models.ts";
import { validate } from "./validate.ts";

/** A header that may be absent. */
export const ModelHeader = z.string().max(4096).optional();

/** Reads the headers that choose a provider, a model of it and the caller's key there: `x-vision-provider` and so on. */
export const modelHeaders = <Name extends Category>(category: Name) => {
  const shape = { [`x-${category}-provider`]: ModelHeader, "x-model-id": ModelHeader, "x-api-key": ModelHeader };
  // safe because a computed key loses only its own name in the type
  return validate(
    "header",
    z.object(shape as Record<`x-${Name}-provider` | "x-model-id" | "x-api-key", typeof ModelHeader>),
  );
};

type Headers = { readonly [name in "x-model-id" | "x-api-key"]?: string | undefined };

/** What the headers that `modelHeaders` read ask for. */
export const modelChoice = <Name extends Category>(
  category: Name,
  headers: Headers & { readonly [name in `x-${Name}-provider`]?: string | undefined },
): ModelChoice =>
  choiceOf({
    // safe because the caller's own type names this header
    provider: (headers as Record<string, string | undefined>)[`x-${category}-provider`],
    modelId: headers["x-model-id"],
    apiKey: headers["x-api-key"],
  });

/** An empty header says as little as none. */
export const choiceOf = (fields: { readonly [Field in keyof ModelChoice]: string | undefined }): ModelChoice =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value?.trim()));

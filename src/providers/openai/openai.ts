import type { LanguageModel, VisionModel } from "../../domain/ai/models.ts";
import type { ModelCredentials } from "../client/credentials.ts";
import { limitedFetch, maxTextResponseBytes } from "../client/limited-fetch.ts";
import { frameVision, languageModel, type ModelTarget } from "../client/text-models.ts";

const targetOf = (credentials: ModelCredentials): ModelTarget => ({
  credentials,
  async model() {
    const { createOpenAI } = await import("@ai-sdk/openai");
    const openai = createOpenAI({
      apiKey: credentials.apiKey,
      baseURL: credentials.baseUrl,
      fetch: limitedFetch({ maxBytes: maxTextResponseBytes }),
    });
    return openai.responses(credentials.modelId);
  },
  // OpenAI stores responses by default
  providerOptions: { openai: { store: false } },
});

export const openaiLanguage = (credentials: ModelCredentials): LanguageModel => languageModel(targetOf(credentials));

export const openaiVision = (credentials: ModelCredentials): VisionModel => frameVision(targetOf(credentials));

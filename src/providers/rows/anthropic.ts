import type { ModelCredentials } from "../client/credentials.ts";
import { limitedFetch, maxTextResponseBytes } from "../client/limited-fetch.ts";
import type { ProviderRow } from "../client/rows.ts";
import { frameVision, languageModel, type ModelTarget } from "../client/text-models.ts";

const models = [
  { id: "claude-sonnet-5-5", name: "Claude Sonnet 5.5", unit: "token" },
  { id: "claude-opus-5-5", name: "Claude Opus 5.5", unit: "token" },
  { id: "claude-haiku-5-5", name: "Claude Haiku 5.5", unit: "token" },
] as const;

const targetOf = (credentials: ModelCredentials): ModelTarget => ({
  credentials,
  async model() {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    const { apiKey, baseUrl: baseURL, modelId } = credentials;
    return createAnthropic({ apiKey, baseURL, fetch: limitedFetch({ maxBytes: maxTextResponseBytes }) })(modelId);
  },
});

export const anthropic: ProviderRow = {
  id: "anthropic",
  name: "Anthropic",
  api: { setting: "ANTHROPIC", baseUrl: "https://api.anthropic.com/v1" },
  vision: {
    models,
    create: (credentials) => frameVision(targetOf(credentials)),
    description: "Analyzes frames of the video, chosen from its measured scenes. Needs your Anthropic key.",
  },
  llm: {
    models,
    create: (credentials) => languageModel(targetOf(credentials)),
    description: "Writes scenarios and style guides. Needs your Anthropic key.",
  },
};

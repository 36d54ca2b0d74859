import { expect, test } from "bun:test";
import type { Category } from "../../src/domain/ai/models.ts";
import { readEnvironment } from "../../src/env.ts";
import { createModels } from "../../src/process/from-settings.ts";

type Adapters = Parameters<typeof createModels>[1];

/** createModels calls none of the adapters. */
const unused: Adapters = {
  localGenerator: { drawStoryboard: () => Promise.reject(), moveCamera: () => Promise.reject() },
  files: { receive: () => Promise.reject(), discard: () => Promise.reject() },
  fetcher: { download: () => Promise.reject() },
  images: { convertImage: () => Promise.reject() },
  soundTools: { decodeVoice: () => Promise.reject(), soundForModel: () => Promise.reject() },
};
const modelsWith = (variables: Record<string, string>) => createModels(readEnvironment(variables), unused);

test.each([
  ["DEFAULT_VISION_PROVIDER", "nobody", "openai, gemini (or google), anthropic, gateway, xai, local"],
  ["DEFAULT_LLM_PROVIDER", "dalle", "openai, gemini (or google), anthropic, gateway, xai, local"],
  [
    "DEFAULT_IMAGE_PROVIDER",
    "nobody",
    "dalle (or openai), gemini (or google), fal, gateway, replicate, xai, bfl, local",
  ],
  ["DEFAULT_VIDEO_PROVIDER", "openai", "gemini (or google), fal, runway, gateway, replicate, xai, bfl, alibaba, local"],
  ["DEFAULT_SPEECH_PROVIDER", "local", "gemini (or google), elevenlabs, gateway, xai, openai"],
])("%s cannot be %p, and the error lists the providers", (setting, value, offered) => {
  expect(() => modelsWith({ [setting]: value })).toThrow(`Bad setting ${setting}: must be one of ${offered}.`);
});

test("a default can be any provider name that requests accept", () => {
  const models = modelsWith({ DEFAULT_IMAGE_PROVIDER: "dalle", DEFAULT_VIDEO_PROVIDER: "Gemini" });
  const provider = (category: Category) => models.select(category, {}).id.provider;
  expect([provider("image"), provider("video")]).toEqual(["openai", "google"]);
});

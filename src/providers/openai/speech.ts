import type { SpeechModel } from "../../domain/ai/models.ts";
import type { ModelCredentials } from "../client/credentials.ts";
import { limitedFetch } from "../client/limited-fetch.ts";
import type { ModelPorts } from "../client/rows.ts";
import { maxSoundBytes, speechModel } from "../client/speech.ts";
import { oldOpenaiVoices, openaiVoices } from "./models.ts";

const maxCharacters = 4000;

export function openaiSpeech(
  credentials: ModelCredentials,
  { soundTools }: Pick<ModelPorts, "soundTools">,
): SpeechModel {
  const { apiKey, baseUrl: baseURL, modelId } = credentials;
  const isOld = modelId.startsWith("tts-1");
  const target = {
    credentials,
    async model() {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return createOpenAI({ apiKey, baseURL, fetch: limitedFetch({ maxBytes: maxSoundBytes }) }).speech(modelId);
    },
    voices: isOld ? oldOpenaiVoices : openaiVoices,
    maxCharacters,
    // the old models take no instructions, and no model takes the language
    optionsFor: ({ instructions }: { readonly instructions: string }) =>
      isOld || !instructions ? {} : { instructions },
  };
  return speechModel(target, soundTools);
}

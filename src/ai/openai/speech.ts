import { createOpenAI } from "@ai-sdk/openai";
import type { SpeechModel } from "../../domain/ai/models.ts";
import type { SoundTools } from "../../domain/speech/sound-tools.ts";
import type { ModelCredentials } from "../client/credentials.ts";
import { limitedFetch } from "../client/limited-fetch.ts";
import { maxSoundBytes, speechModel } from "../client/speech.ts";
import { oldOpenaiVoices, openaiVoices } from "./models.ts";

const maxCharacters = 4000;

export const openaiSpeech =
  (sounds: SoundTools) =>
  (credentials: ModelCredentials): SpeechModel => {
    const { apiKey, baseUrl: baseURL, modelId } = credentials;
    const openai = createOpenAI({ apiKey, baseURL, fetch: limitedFetch({ maxBytes: maxSoundBytes }) });
    const isOld = modelId.startsWith("tts-1");
    const target = {
      credentials,
      model: openai.speech(modelId),
      voices: isOld ? oldOpenaiVoices : openaiVoices,
      maxCharacters,
      // the old models take no instructions, and none is told the language
      optionsFor: ({ instructions }: { readonly instructions: string }) =>
        isOld || !instructions ? {} : { instructions },
    };
    return speechModel(target, sounds);
  };

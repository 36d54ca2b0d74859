import { createGoogle } from "@ai-sdk/google";
import type { SpeechModel } from "../../domain/ai/models.ts";
import type { SoundTools } from "../../domain/speech/sound-tools.ts";
import type { ModelCredentials } from "../client/credentials.ts";
import { limitedFetch } from "../client/limited-fetch.ts";
import { maxSoundBytes, speechModel } from "../client/speech.ts";
import { googleVoices } from "./models.ts";

/** The limit is 8192 tokens; shorter parts fail less often and are quicker to repeat. */
const maxCharacters = 4000;

export const googleSpeech =
  (sounds: SoundTools) =>
  (credentials: ModelCredentials): SpeechModel => {
    const google = createGoogle({
      apiKey: credentials.apiKey,
      baseURL: credentials.baseUrl,
      // the sound is base64
      fetch: limitedFetch({ maxBytes: (maxSoundBytes * 4) / 3 }),
    });
    const target = {
      credentials,
      model: google.speech(credentials.modelId),
      voices: googleVoices,
      maxCharacters,
      optionsFor: ({ language, instructions }: { readonly language?: string; readonly instructions: string }) => ({
        ...(language !== undefined && regionalTag(language)),
        ...(instructions && { instructions }),
      }),
    };
    return speechModel(target, sounds);
  };

/** Google takes languages with their region: the most likely one, if the tag names none. */
export function regionalTag(tag: string): { readonly language?: string } {
  const { language, region } = new Intl.Locale(tag).maximize();
  return region ? { language: `${language}-${region}` } : {};
}

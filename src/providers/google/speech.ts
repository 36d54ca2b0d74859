import type { SpeechModel } from "../../domain/ai/models.ts";
import type { ModelCredentials } from "../client/credentials.ts";
import type { ModelPorts } from "../client/rows.ts";
import { maxSoundBytes, speechModel } from "../client/speech.ts";
import { loadGoogle } from "./auth.ts";
import { googleVoices } from "./models.ts";

/** The limit is 8192 tokens; shorter parts fail less often and are faster to repeat. */
const maxCharacters = 4000;

export function googleSpeech(
  credentials: ModelCredentials,
  { soundTools }: Pick<ModelPorts, "soundTools">,
): SpeechModel {
  const target = {
    credentials,
    async model() {
      // the sound is base64
      return (await loadGoogle(credentials, (maxSoundBytes * 4) / 3)).speech(credentials.modelId);
    },
    voices: googleVoices,
    maxCharacters,
    optionsFor: speechOptions,
  };
  return speechModel(target, soundTools);
}

/** The options of Google's models, also behind the gateway. */
export const speechOptions = ({
  language,
  instructions,
}: {
  readonly language?: string;
  readonly instructions: string;
}) => ({
  ...(language !== undefined && regionalTag(language)),
  ...(instructions && { instructions }),
});

/** Google expects languages with a region: the most likely one, if the tag has none. */
export function regionalTag(tag: string): { readonly language?: string } {
  const { language, region } = new Intl.Locale(tag).maximize();
  return region ? { language: `${language}-${region}` } : {};
}

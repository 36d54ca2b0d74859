import { invalid } from "../../../errors.ts";
import type { LeasePorts } from "../../../platform/leases.ts";
import type { Caller } from "../../accounts/caller.ts";
import { type AddGeneratedMediaPorts, addGeneratedMedia } from "../../files/generated-media.ts";
import type { Speech } from "../../speech/speech.ts";
import { putGenerated, type WorkMediaPorts } from "../../works/media.ts";
import { type SceneTarget, withSceneLock } from "../generation/scene-lock.ts";
import { type Manner, requireSpoken, type SpeakContext, type SpeakPorts, speakAndStore } from "./speak.ts";

type GeneratedSpeech = Speech & { readonly audioUrl: string; readonly duration: number };

type Request = {
  readonly caller: Caller;
  readonly text: string;
  readonly manner: Manner;
  /** The scene that gets the voice. */
  readonly target?: SceneTarget;
};

type Ports = SpeakPorts & AddGeneratedMediaPorts & WorkMediaPorts & LeasePorts;

/** Speaks a text, for a scene of a work or without a target. Throws validation_error if nothing can be said. */
export async function generateSpeech(
  ports: Ports,
  context: SpeakContext,
  { caller, text, manner, target }: Request,
): Promise<GeneratedSpeech> {
  const spoken = requireSpoken(text, () => invalid("text", "Must have a word that can be said."));
  const speak = (put: Parameters<typeof speakAndStore<string>>[2]["store"]) =>
    speakAndStore(ports, context, {
      ...{ text: spoken, manner, step: "speech" },
      store: async (voice) => ({ audioUrl: await put(voice), duration: voice.durationSeconds, ...voice.speech }),
    });
  const { id: generatedBy } = context.model;
  if (!target) return speak(({ received }) => addGeneratedMedia(ports, caller.user, received, "audio", generatedBy));
  return withSceneLock(
    ports,
    target,
    async () => {
      const slot = `scene/${target.sceneIndex}/voice` as const;
      const seen = await ports.workMedia.find(target.work.id, slot);
      return speak(async ({ received, speech }) => {
        const destination = { work: target.work, slot, seen, speech, generatedBy };
        return (await putGenerated(ports, destination, received, caller.user.id)).url;
      });
    },
    "voice",
  );
}

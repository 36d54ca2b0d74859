import { DomainError, invalid, isDomainError } from "../../../errors.ts";
import { once } from "../../../platform/async.ts";
import type { LeasePorts } from "../../../platform/leases.ts";
import { sha256Of } from "../../../platform/values.ts";
import { canonicalJson } from "../../shared/json.ts";
import { requireFound } from "../../shared/versioned.ts";
import { spokenText } from "../../speech/spoken-text.ts";
import { fitScenes, isFitted } from "../../works/fit-scenes.ts";
import { putGenerated, type WorkMedia } from "../../works/media.ts";
import type { ScenarioScene, Work } from "../../works/works.ts";
import { type SceneTarget, withSceneLock } from "../generation/scene-lock.ts";
import type { SceneModelChoice } from "../generation/scene-plan.ts";
import { changeScene, type SceneProgressPorts } from "../generation/scene-progress.ts";
import type { SpeechModel, TranscriptionModel } from "../models.ts";
import type { ProviderCall } from "../provider-calls.ts";
import { type Manner, type SpeakContext, type SpeakPorts, speakAndStore } from "./speak.ts";

/** How to speak; `voice` is the name that the caller wrote. */
export type MannerWish = Omit<Manner, "voice"> & { readonly voice?: string };

type SceneVoicesRequest = {
  readonly work: Work;
  /** All scenes by default. */
  readonly sceneIndex?: number;
  readonly manner: MannerWish;
  readonly choice: SceneModelChoice;
  /** Called only if a voice is made. Creating a model may throw; no provider is called. */
  readonly models: { speech(): SpeechModel; transcription(): TranscriptionModel | undefined };
  /** Makes scenes as long as their voices; `longer` changes only scenes that are shorter. */
  readonly fitsScenes: boolean | "longer";
  /** Speaks all scenes again, including those with recordings. */
  readonly force: boolean;
};

type SceneVoice = {
  readonly sceneIndex: number;
  readonly voiceUrl: string;
  readonly duration: number;
  readonly sceneDuration: number;
  readonly timing?: "measured" | "estimated";
  readonly isNew: boolean;
};

type Ports = SceneProgressPorts & SpeakPorts & LeasePorts;

/**
 * Speaks the scenes of a work that have a text. Keeps recordings, and voices made from the same text in the same
 * manner. A scene whose text cannot be spoken does not prevent the following ones; its error is thrown at the end.
 */
export async function generateSceneVoices(
  ports: Ports,
  call: ProviderCall,
  request: SceneVoicesRequest,
): Promise<readonly SceneVoice[]> {
  const texts = textsToSpeak(request);
  const context = contextOf(call, request);
  const voices: SceneVoice[] = [];
  const failures: unknown[] = [];
  for (const { sceneIndex, text } of texts) {
    call.clientSignal.throwIfAborted();
    const target = { work: request.work, sceneIndex };
    try {
      voices.push(
        await withSceneLock(ports, target, () => voiceOf(ports, context, request, { target, text }), "voice"),
      );
    } catch (error) {
      if (!isOfText(error)) throw error;
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return request.fitsScenes ? fitToVoices(ports, request, voices) : voices;
}

/** The spoken text of a scene, or else its shown text; empty for a silent scene. */
const textOf = ({ voice_text = "", text_overlay = "" }: ScenarioScene): string =>
  spokenText(voice_text) || spokenText(text_overlay);

function textsToSpeak({ work, sceneIndex }: SceneVoicesRequest) {
  const texts = work.scenes.map((scene, index) => ({ sceneIndex: index, text: textOf(scene) }));
  if (sceneIndex === undefined) {
    const spoken = texts.filter(({ text }) => text !== "");
    if (spoken.length === 0) throw invalid("scenes", "Needs a scene with a voice_text or a text_overlay.");
    return spoken;
  }
  const found = texts[sceneIndex];
  if (!found) throw new DomainError("scene_missing", { sceneIndex, sceneCount: texts.length });
  if (found.text === "") throw invalid("sceneIndex", "Needs a scene with a voice_text or a text_overlay.");
  return [found];
}

/** Creates the models when the first voice needs them. */
const contextOf = (call: ProviderCall, { models, manner }: SceneVoicesRequest) =>
  once((): SpeakContext & { readonly manner: Manner } => {
    const model = models.speech();
    const transcriber = models.transcription();
    const voice = model.voiceNamed(manner.voice);
    return { call, model, ...(transcriber && { transcriber }), manner: { ...manner, voice } };
  });

type SceneText = { readonly target: SceneTarget; readonly text: string };

async function voiceOf(
  ports: Ports,
  context: ReturnType<typeof contextOf>,
  request: SceneVoicesRequest,
  { target, text }: SceneText,
): Promise<SceneVoice> {
  const { work, sceneIndex } = target;
  const slot = `scene/${sceneIndex}/voice` as const;
  const seen = await ports.workMedia.find(work.id, slot);
  const inputHash = inputHashOf(text, request.manner);
  const kept = request.force || !seen || isOutdated(seen, inputHash, request.choice) ? undefined : seen;
  const make = async () => {
    const { manner, ...models } = context();
    const origin = { inputHash, model: models.model.id };
    const { media } = await speakAndStore(ports, models, {
      ...{ text, manner, step: `voice/${sceneIndex}` },
      store: ({ received, speech }) =>
        putGenerated(ports, { work, slot, seen, origin, speech }, received, models.call.taskOptions.owner),
    }).catch(async (error) => {
      await noteFailure(ports, target, error);
      throw error;
    });
    return media;
  };
  const { file, speech } = kept ?? (await make());
  return {
    sceneIndex,
    voiceUrl: ports.internalUrls.workMedia(work, slot),
    duration: file.facts.durationSeconds ?? 0,
    sceneDuration: work.scenes[sceneIndex]!.duration_seconds, // safe because the scene has a text
    ...(speech && { timing: speech.timing }),
    isNew: kept === undefined,
  };
}

// these hashes are stored: another field or name would speak, and bill, every scene again
const inputHashOf = (text: string, { voice = "", speed, language = "", instructions }: MannerWish): string =>
  sha256Of(canonicalJson({ text, voice, speed, language, instructions }));

/** Recordings are never outdated. */
const isOutdated = ({ origin }: WorkMedia, inputHash: string, { isNamed, model }: SceneModelChoice): boolean =>
  origin !== undefined &&
  (origin.inputHash !== inputHash ||
    (isNamed && (origin.model?.provider !== model.provider || origin.model.model !== model.model)));

/** True for an error that concerns this text only. */
const isOfText = (error: unknown): boolean =>
  isDomainError(error) && (error.code === "content_refused" || error.code === "provider_bad_response");

/** The scene shows the error until it has a voice. */
async function noteFailure(ports: Ports, target: SceneTarget, error: unknown): Promise<void> {
  if (!isDomainError(error)) return;
  const { message } = error;
  // the work may be deleted: the first error is the one to report
  await changeScene(ports, target, (scene) => ({ ...scene, voiceError: message })).catch(() => {});
}

async function fitToVoices(
  ports: Ports,
  { work, fitsScenes }: Pick<SceneVoicesRequest, "work" | "fitsScenes">,
  voices: readonly SceneVoice[],
): Promise<readonly SceneVoice[]> {
  const options = { onlyLonger: fitsScenes === "longer" };
  const seconds = new Map(voices.map(({ sceneIndex, duration }) => [sceneIndex, duration]));
  if (fitsScenes === "longer" && isFitted(work, seconds)) return voices;
  const fitted = requireFound(
    await ports.works.change(work.projectId, work.id, (found) => ({
      ...fitScenes(found, seconds, options),
      updatedAt: Date.now(),
    })),
  );
  return voices.map((voice) => ({
    ...voice,
    sceneDuration: fitted.scenes[voice.sceneIndex]?.duration_seconds ?? voice.sceneDuration,
  }));
}

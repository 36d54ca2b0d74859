import { type PlainTransitionKind, plainTransitionKinds } from "../../../engine/timeline/track.ts";
import { DomainError } from "../../../errors.ts";
import { cleanText, textOrNull } from "../../../platform/texts.ts";
import { sum } from "../../../platform/values.ts";
import type { ScenarioScene } from "../../works/works.ts";
import { proportionalDurations, roundToHundredths } from "../durations.ts";
import type { Brief } from "../models.ts";
import type { ScenarioOutput, ScenarioOutputScene } from "../output-schemas.ts";
import { withSceneCount } from "./scene-count.ts";
import { fitVoiceText } from "./voice-text.ts";

export const maxScenes = 100;
export const maxVideoSeconds = 3600;

const minSceneSeconds = 0.5;
const maxSceneSeconds = 600;
const defaultSceneSeconds = 3;
const maxCharacters = { prompt: 4000, negative: 2000, overlay: 200, voice: 5000 };

/** Normalizes count, durations, order and lengths of scenes. Throws provider_bad_response if no scene has content. */
export function normalizeScenario({ scenes: output }: ScenarioOutput, brief: Brief): readonly ScenarioScene[] {
  const usable = inOrder(output).map(cleanScene).filter(hasContent).map(withImagePrompt(brief));
  if (usable.length === 0) {
    throw new DomainError("provider_bad_response", { provider: "The model", reason: "it contains no scene" });
  }
  const scenes = withSceneCount(usable, brief.sceneCount ?? Math.min(usable.length, maxScenes));
  const durations = durationsOf(scenes, brief.videoDurationSeconds);
  const voices = scenes.map(({ voice_text }, index) => fitVoiceText(voice_text, durations[index]!));
  return scenes.map((scene, index) => ({
    scene_index: index,
    duration_seconds: durations[index]!,
    image_prompt: scene.image_prompt,
    negative_prompt: scene.negative_prompt,
    video_prompt: scene.video_prompt || "The subject moves slightly; the camera pushes in slowly.",
    ...(scene.text_overlay !== null && { text_overlay: scene.text_overlay }),
    ...(voices[index] && { voice_text: voices[index] }),
    transition: scene.transition,
  }));
}

/** Sorted by `scene_index` if these are unique, else in the model's order. */
function inOrder(scenes: readonly ScenarioOutputScene[]): readonly ScenarioOutputScene[] {
  const indexes = new Set(scenes.map(({ scene_index }) => scene_index));
  if (indexes.size !== scenes.length) return scenes;
  return scenes.toSorted((one, other) => one.scene_index - other.scene_index);
}

const cleanScene = (scene: ScenarioOutputScene): ScenarioOutputScene => ({
  ...scene,
  duration_seconds: usableDuration(scene.duration_seconds),
  image_prompt: cleanText(scene.image_prompt, maxCharacters.prompt),
  negative_prompt: textOrNull(scene.negative_prompt, maxCharacters.negative) ?? "",
  video_prompt: cleanText(scene.video_prompt, maxCharacters.prompt),
  text_overlay: textOrNull(scene.text_overlay, maxCharacters.overlay),
  voice_text: textOrNull(scene.voice_text, maxCharacters.voice),
  transition: isTransition(scene.transition) ? scene.transition : "cut",
});

const hasContent = ({ image_prompt, video_prompt, text_overlay }: ScenarioOutputScene): boolean =>
  image_prompt !== "" || video_prompt !== "" || text_overlay !== null;

const isTransition = (text: string): text is PlainTransitionKind =>
  (plainTransitionKinds as readonly string[]).includes(text);

const usableDuration = (seconds: number): number =>
  Number.isFinite(seconds) && seconds > 0
    ? Math.min(Math.max(roundToHundredths(seconds), minSceneSeconds), maxSceneSeconds)
    : defaultSceneSeconds;

function durationsOf(scenes: readonly ScenarioOutputScene[], totalSeconds: number | undefined): readonly number[] {
  // splitting a scene may have made it shorter than the minimum
  const durations = scenes.map(({ duration_seconds }) =>
    Math.max(roundToHundredths(duration_seconds), minSceneSeconds),
  );
  if (totalSeconds === undefined && sum(durations) <= maxVideoSeconds) return durations;
  return proportionalDurations(durations, totalSeconds ?? maxVideoSeconds);
}

/** A scene without an image prompt takes its video prompt, or a prompt made from its text overlay. */
const withImagePrompt =
  ({ productName }: Brief) =>
  (scene: ScenarioOutputScene): ScenarioOutputScene => {
    const subject = cleanText(productName, 200) || "the product";
    const promptFromText = `A clear picture of ${subject} that goes with the words “${scene.text_overlay}”.`;
    return { ...scene, image_prompt: scene.image_prompt || scene.video_prompt || promptFromText };
  };

import { DomainError } from "../../../errors.ts";
import { type TransitionKind, transitionKinds } from "../../../timeline/track.ts";
import { cleanText, textOrNull } from "../../shared/texts.ts";
import type { ScenarioScene } from "../../works/works.ts";
import type { Brief } from "../models.ts";
import type { ScenarioDraft } from "../output-schemas.ts";
import { inHundredths, lengthsInProportion } from "./durations.ts";
import { withSceneCount } from "./scene-count.ts";

export const maxScenes = 100;
export const maxFilmSeconds = 3600;

const shortestSeconds = 0.5;
const maxCharacters = { prompt: 4000, negative: 2000, overlay: 200 };

export type DraftedScene = ScenarioDraft["scenes"][number];

/** Brings what a model wrote in line with what was asked for: count, lengths, order, words. Every scene says something. */
export function normalizeScenario(draft: ScenarioDraft, brief: Brief): readonly ScenarioScene[] {
  const told = inOrder(draft.scenes).map(tidied).filter(saysSomething).map(pictured(brief));
  if (told.length === 0) {
    throw new DomainError("provider_bad_response", { provider: "The model", reason: "it wrote no scene" });
  }
  const scenes = withSceneCount(told, brief.sceneCount ?? Math.min(told.length, maxScenes));
  const lengths = lengthsOf(scenes, brief.videoDurationSeconds);
  return scenes.map((scene, index) => ({
    scene_index: index,
    duration_seconds: lengths[index]!,
    image_prompt: scene.image_prompt,
    negative_prompt: scene.negative_prompt,
    video_prompt: scene.video_prompt || "The subject moves slightly; the camera pushes in slowly.",
    text_overlay: scene.text_overlay,
    transition: scene.transition,
  }));
}

/** By their own numbers, when these number them. */
function inOrder(scenes: readonly DraftedScene[]): readonly DraftedScene[] {
  const numbers = new Set(scenes.map(({ scene_index }) => scene_index));
  if (numbers.size !== scenes.length) return scenes;
  return scenes.toSorted((one, other) => one.scene_index - other.scene_index);
}

const tidied = (scene: DraftedScene): DraftedScene => ({
  ...scene,
  duration_seconds: usable(scene.duration_seconds),
  image_prompt: cleanText(scene.image_prompt, maxCharacters.prompt),
  negative_prompt: textOrNull(scene.negative_prompt, maxCharacters.negative) ?? "",
  video_prompt: cleanText(scene.video_prompt, maxCharacters.prompt),
  text_overlay: textOrNull(scene.text_overlay, maxCharacters.overlay),
  transition: isTransition(scene.transition) ? scene.transition : "cut",
});

const saysSomething = ({ image_prompt, video_prompt, text_overlay }: DraftedScene): boolean =>
  image_prompt !== "" || video_prompt !== "" || text_overlay !== null;

const isTransition = (text: string): text is TransitionKind => (transitionKinds as readonly string[]).includes(text);

/** A length that a scene can have; what is none counts as an ordinary one. */
const usable = (seconds: number): number =>
  Number.isFinite(seconds) && seconds > 0 ? Math.min(Math.max(inHundredths(seconds), shortestSeconds), 600) : 3;

function lengthsOf(scenes: readonly DraftedScene[], totalSeconds: number | undefined): readonly number[] {
  // a scene that was split may have become shorter than one that a model may ask for
  const lengths = scenes.map(({ duration_seconds }) => Math.max(inHundredths(duration_seconds), shortestSeconds));
  const sum = lengths.reduce((total, length) => total + length, 0);
  if (totalSeconds === undefined && sum <= maxFilmSeconds) return lengths;
  return lengthsInProportion(lengths, totalSeconds ?? maxFilmSeconds);
}

/** Where only the movement or the text is known, the picture is that of the movement, or one that goes with the text. */
const pictured =
  ({ productName }: Brief) =>
  (scene: DraftedScene): DraftedScene => {
    const subject = cleanText(productName, 200) || "the product";
    const goesWithText = `A clear picture of ${subject} that goes with the words “${scene.text_overlay}”.`;
    return { ...scene, image_prompt: scene.image_prompt || scene.video_prompt || goesWithText };
  };

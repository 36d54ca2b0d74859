import { plainTransitionKinds } from "../../../engine/timeline/track.ts";
import { defaultPrompts, type ProjectType } from "../../projects/default-prompts.ts";
import { withoutBrand } from "../../projects/projects.ts";
import type { Brief, Prompt } from "../models.ts";
import { joinSections, untrustedBlock, untrustedRule } from "../untrusted-text.ts";

/** The input of a scenario: the brief, and texts for the prompt. */
export type ScenarioTask = {
  readonly brief: Brief;
  /** Empty for the built-in prompt. */
  readonly systemPrompt: string;
  readonly knowledge: string;
  readonly projectType?: ProjectType;
  /** One line of text for each image and video that the scenario may use. */
  readonly assets?: readonly string[];
  /** One line of text for each scene: the image or video that it shows directly. */
  readonly sceneAssets?: readonly string[];
};

export function scenarioPrompt(task: ScenarioTask): Prompt {
  const { brief, systemPrompt, knowledge, projectType, assets = [], sceneAssets = [] } = task;
  const role = systemPrompt.trim() || defaultPrompts(projectType ?? "blank").systemPrompt;
  const { productName, productDescription, targetAudience, styleGuide, analysis } = brief;
  return {
    system: joinSections(role, outputRules),
    message: joinSections(
      `Write the scenario of this film.\n${constraints(brief)}`,
      brief.form === "film" ? filmRules : "",
      untrustedBlock("product name", productName),
      untrustedBlock("product description", productDescription),
      untrustedBlock("target audience", targetAudience),
      untrustedBlock("style guide", asJson(styleGuide && withoutBrand(styleGuide))),
      untrustedBlock("background knowledge", knowledge),
      untrustedBlock("pictures and clips at hand", asList(assets)),
      untrustedBlock("pictures and clips of the scenes", asList(sceneAssets)),
      sceneAssets.length > 0 ? sceneAssetsUse : "",
      untrustedBlock("analysis of the reference film", asJson(analysis)),
      analysis ? referenceUse[brief.mode] : "",
    ),
  };
}

const filmRules = `This film goes on air as it is
- scene 0 shows the product itself, and its text_overlay says what it is, in at most six words, without its name, which is set large above.
- each scene between shows one fact of the material, and its text_overlay says that fact.
- the last scene is the end card: the product once more, calm, with free space around it; text_overlay is one call to action of at most four words, in the same language.
- say and show only what the material says. No number, price, award, quote, place or promise that it does not name.
- keep the upper third of every picture calm: words stand there.`;

const asList = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join("\n");

const sceneAssetsUse =
  "Each scene shows its own picture or clip as it is: let image_prompt describe what is seen there, and video_prompt set only that in motion. Build the story from these pictures in this order.";

const referenceUse: Record<Brief["mode"], string> = {
  style_transfer:
    "Take from the reference film how it is made: rhythm, framing, camera, light, look of texts. Its products, people and words stay behind; what is shown comes from the brief.",
  content_remix:
    "Take from the reference film what it tells and in which order, and tell it anew for the product of the brief: the same points, new pictures, new words.",
};

/** The constraints to which the output is normalized. */
function constraints({ mode, language, videoDurationSeconds, sceneCount }: Brief): string {
  const lines = [
    `mode: ${mode}`,
    sceneCount === undefined ? "scene_count: as many as the length calls for" : `scene_count: ${sceneCount}`,
    videoDurationSeconds === undefined
      ? "video_duration: 15 to 30 seconds, as the story needs"
      : `video_duration: ${videoDurationSeconds} seconds in all`,
    `language of texts on screen: ${safeLanguage(language) || "that of the product description, else English"}`,
  ];
  return lines.map((line) => `- ${line}`).join("\n");
}

/** Removes all characters that could turn a language name into instructions. */
const safeLanguage = (text: string): string =>
  text
    .replace(/[^\p{L}\p{M}\p{N} ,()/_-]/gu, " ")
    .trim()
    .slice(0, 60);

const outputRules = `How to answer
- scenes in the order of the film, scene_index from 0; exactly as many as scene_count says where it is given.
- duration_seconds of all scenes together make video_duration where it is given.
- image_prompt: one still picture in English, complete in itself, 30 to 80 words. Never "the same woman": describe her again.
- negative_prompt: what must not be seen, words with commas between; "" when there is nothing.
- video_prompt: what moves and how the camera moves in this scene, in English, in one or two sentences.
- text_overlay: the words on screen, at most seven; null where the picture speaks alone.
- voice_text: what a voice says while the scene is seen, in whole sentences and in the language of the texts on screen: at most 5 words for every 2 seconds of the scene. Write numbers as they are said, and no directions. It tells the story; text_overlay only underlines it. null where silence says more.
- transition: how the scene goes over to the next: ${plainTransitionKinds.join(", ")}. A cut unless another has a reason; fade mixes softly, dissolve in coarse grains.
- ${untrustedRule}`;

/** The limit for one block. The analysis of a long video repeats itself far earlier. */
const maxJsonCharacters = 60_000;

const asJson = (value: object | undefined): string => {
  if (!value || Object.keys(value).length === 0) return "";
  const text = JSON.stringify(value, null, 1);
  return text.length > maxJsonCharacters ? `${text.slice(0, maxJsonCharacters)} … (cut off)` : text;
};

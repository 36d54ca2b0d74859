import type { Brief } from "../../../domain/ai/models.ts";
import type { ScenarioOutput } from "../../../domain/ai/output-schemas.ts";
import { wordsIn } from "../../../domain/ai/scenario/voice-text.ts";
import type { StyleGuide } from "../../../domain/projects/projects.ts";
import { cleanText, countWords, sentencesOf } from "../../../platform/texts.ts";
import { findCategory } from "./categories.ts";
import { cycle } from "./content.ts";
import { filmOutline, filmSceneCount, filmTexts, readingWeights } from "./film-texts.ts";
import { type Pacing, planPacing, referenceMove, sceneDurations, transitionAfter } from "./pacing.ts";
import { type ScreenTexts, screenTextsFor } from "./screen-texts.ts";
import { type Shot, shotPrompts, type VideoFacts } from "./shot-prompts.ts";
import { type Beat, outlineOf, story } from "./story.ts";
import { stringOrEmpty, visualStyleOf } from "./visual-style.ts";

/** Writes a scenario by rules from the facts of a brief. Deterministic. */
export function scenarioByRules(brief: Brief): ScenarioOutput {
  const isFilm = brief.form === "film";
  const pacing = planPacing(isFilm ? { ...brief, sceneCount: brief.sceneCount ?? filmSceneCount(brief) } : brief);
  const beats = isFilm ? filmOutline(pacing.sceneCount) : outlineOf(pacing.sceneCount);
  const planned = sceneDurations(beats, pacing);
  const read = isFilm ? filmTexts(brief, planned) : undefined;
  const durations = read ? sceneDurations(beats, pacing, readingWeights(read)) : planned;
  const facts = videoFacts(brief);
  const texts = screenTextsFor(brief);
  const negativePrompt = [...mustAvoid(brief.styleGuide), story.negativePrompt].join(", ");
  const shots = planShots(beats, brief, pacing);
  const spoken = spokenTextsFor(shots, durations, texts);
  const filmed = isFilm ? filmTexts(brief, durations) : undefined;
  const scenes = shots.map((shot, index) => {
    const { imagePrompt, videoPrompt } = shotPrompts(shot, facts);
    return {
      scene_index: index,
      duration_seconds: durations[index]!,
      image_prompt: imagePrompt,
      negative_prompt: negativePrompt,
      video_prompt: videoPrompt,
      text_overlay: filmed ? filmed[index]!.overlay : beats.length === 1 ? texts.action : textOverlay(shot, texts),
      voice_text: filmed ? filmed[index]!.voice : spoken[index]!,
      transition: transitionAfter(index, shot.beat, pacing),
    };
  });
  return { scenes };
}

function videoFacts(brief: Brief): VideoFacts {
  const { productName, productDescription, targetAudience, styleGuide } = brief;
  const description = cleanText(productDescription, 5000);
  const mustInclude = nonEmptyStrings(styleGuide?.must_include);
  return {
    product: cleanText(productName, 120) || "the product",
    category: findCategory(`${productName} ${description} ${mustInclude.join(" ")}`),
    style: visualStyleOf(brief),
    audience: cleanText(targetAudience, 120).replace(/[.\s]+$/, ""),
    claims: sentencesOf(description).map((sentence) => cleanText(sentence, 160)),
    mustInclude: mustInclude.map((item) => cleanText(item, 100)),
  };
}

const mustAvoid = (styleGuide: StyleGuide | undefined): readonly string[] =>
  nonEmptyStrings(styleGuide?.must_avoid).map((item) => cleanText(item, 100));

/** A style guide comes from the caller, so an entry may have any type. */
const nonEmptyStrings = (value: StyleGuide["must_include"]): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => stringOrEmpty(item).trim() !== "") : [];

const planShots = (beats: readonly Beat[], brief: Brief, pacing: Pacing): readonly Shot[] =>
  beats.map((beat, index) => {
    const earlier = beats.slice(0, index);
    const occurrence = earlier.filter((other) => other === beat).length;
    return {
      beat,
      occurrence,
      cameraMove: referenceMove(index, pacing) ?? cycle(story.beats[beat].cameraMoves, occurrence),
      claimIndex: usesClaim(beat) ? earlier.filter(usesClaim).length : undefined,
      referenceDescription: showsProductAlone(beat) ? "" : remixDescription(index, brief, pacing),
    };
  });

/** Scenes that a remix does not replace. */
const showsProductAlone = (beat: Beat): boolean => beat === "product" || beat === "action";

/** The reference's description in a remix; empty if the local provider wrote it from measurements alone. */
function remixDescription(index: number, { mode }: Brief, { reference, sceneCount }: Pacing): string {
  if (mode !== "content_remix" || reference.length !== sceneCount) return "";
  const description = cleanText(reference[index]?.description ?? "", 240);
  return /^(very )?(dark|bright|evenly lit) picture\b/i.test(description) ? "" : description;
}

/** Benefits and details share the sentences of the product description, in order. */
const usesClaim = (beat: Beat): beat is "benefit" | "detail" => beat === "benefit" || beat === "detail";

/** No text appears twice: only the first benefit or detail falls back to a phrase. */
function textOverlay({ beat, claimIndex }: Shot, texts: ScreenTexts): string | null {
  if (beat === "context") return null;
  if (!usesClaim(beat)) return texts[beat];
  return texts.claims[claimIndex ?? 0] ?? (claimIndex === 0 ? texts.benefit : null);
}

/** The spoken text of each scene: the first text of its beat that fits into the scene and was not spoken before. */
function spokenTextsFor(
  shots: readonly Shot[],
  durations: readonly number[],
  texts: ScreenTexts,
): readonly (string | null)[] {
  const said = new Set<string>();
  return shots.map((shot, index) => {
    const fits = (text: string) => countWords(text) <= wordsIn(durations[index]!) && !said.has(text);
    const candidates = shots.length === 1 ? [texts.action] : candidatesFor(shot, texts);
    const text = candidates.flatMap((candidate) => (candidate ? closed(candidate) : [])).find(fits) ?? null;
    if (text !== null) said.add(text);
    return text;
  });
}

/** Benefits and details speak the whole sentence of which the screen shows a part. */
function candidatesFor({ beat, claimIndex }: Shot, texts: ScreenTexts): readonly (string | null | undefined)[] {
  if (beat === "benefit" || beat === "detail") {
    const index = claimIndex ?? 0;
    return [texts.sentences[index], texts.claims[index], texts.benefit, texts.detail];
  }
  return [texts[beat]];
}

const closed = (text: string): string => (/\p{P}$/u.test(text) ? text : `${text}.`);

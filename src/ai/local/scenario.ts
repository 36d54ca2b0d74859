import type { CameraMove } from "../../domain/ai/generation/local-generator.ts";
import type { Brief } from "../../domain/ai/models.ts";
import type { ScenarioDraft } from "../../domain/ai/output-schemas.ts";
import type { StyleGuide } from "../../domain/projects/projects.ts";
import { cleanText, sentencesOf } from "../../domain/shared/texts.ts";
import { lookOf, textIn } from "./look.ts";
import { type Rhythm, referenceMove, rhythmOf, sceneLengths, transitionAfter } from "./rhythm.ts";
import { drawnShot, type ShotFacts } from "./shots.ts";
import { type Beat, beatsOf } from "./story.ts";
import { type ScreenWords, screenWordsOf } from "./words.ts";
import { worldOf } from "./worlds.ts";

/** A film by rules from the facts of a brief: the same brief gives the same film. */
export function scenarioByRules(brief: Brief): ScenarioDraft {
  const rhythm = rhythmOf(brief);
  const beats = beatsOf(rhythm.sceneCount);
  const lengths = sceneLengths(beats, rhythm);
  const facts = factsOf(brief);
  const words = screenWordsOf(brief);
  const negative = avoided(brief.styleGuide);
  const scenes = beats.map((beat, index) => {
    const turn = beats.slice(0, index).filter((earlier) => earlier === beat).length;
    const move = referenceMove(index, rhythm) ?? moveOf(beat, turn);
    const claimIndex = beats.slice(0, index).filter(tellsClaim).length;
    const claim = tellsClaim(beat) ? claimIndex : undefined;
    const shot = drawnShot(
      { beat, turn, move, claim, retold: isOfProduct(beat) ? "" : retoldScene(index, brief, rhythm) },
      facts,
    );
    return {
      ...{ scene_index: index, duration_seconds: lengths[index]! },
      ...{ image_prompt: shot.picture, negative_prompt: negative, video_prompt: shot.movement },
      text_overlay: beats.length === 1 ? words.action : textFor(beat, claimIndex, words),
      transition: transitionAfter(index, beat, rhythm),
    };
  });
  return { scenes };
}

function factsOf(brief: Brief): ShotFacts {
  const { productName, productDescription, targetAudience, styleGuide } = brief;
  const description = cleanText(productDescription, 5000);
  return {
    product: cleanText(productName, 120) || "the product",
    // what the product is called and said to be, before what else is known
    world: worldOf(`${productName} ${description} ${strings(styleGuide?.must_include).join(" ")}`),
    look: lookOf(brief),
    audience: cleanText(targetAudience, 120).replace(/[.\s]+$/, ""),
    claims: sentencesOf(description).map((sentence) => cleanText(sentence, 160)),
    included: strings(styleGuide?.must_include).map((item) => cleanText(item, 100)),
  };
}

const strings = (value: StyleGuide["must_include"]): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => textIn(item).trim() !== "") : [];

const everAvoided = "writing, watermark, extra fingers, distorted face, split picture";

const avoided = (styleGuide: StyleGuide | undefined): string =>
  [...strings(styleGuide?.must_avoid).map((item) => cleanText(item, 100)), everAvoided].join(", ");

const moves: Record<Beat, readonly CameraMove[]> = {
  hook: ["push_in"],
  context: ["pan_right"],
  product: ["pull_out"],
  benefit: ["pan_left", "push_in", "tilt_up"],
  detail: ["tilt_down", "pan_right", "push_in"],
  action: ["push_in"],
};

/** safe because no list is empty */
const moveOf = (beat: Beat, turn: number): CameraMove => moves[beat][turn % moves[beat].length]!;

/** Scenes that belong to the product, whatever a reference shows in their place. */
const isOfProduct = (beat: Beat): boolean => beat === "product" || beat === "action";

/** When the same thing is told anew, a scene keeps what its model told, unless nobody has looked at that. */
function retoldScene(index: number, { mode }: Brief, { reference, sceneCount }: Rhythm): string {
  if (mode !== "content_remix" || reference.length !== sceneCount) return "";
  const told = cleanText(reference[index]?.description ?? "", 240);
  return /^(very )?(dark|bright|evenly lit) picture\b/i.test(told) ? "" : told;
}

/** The product's sentences are told one after the other while it is at work. */
const tellsClaim = (beat: Beat): boolean => beat === "benefit" || beat === "detail";

/** One short line a scene, and none that stands there twice. */
function textFor(beat: Beat, claimIndex: number, words: ScreenWords): string | null {
  if (beat === "context") return null;
  if (!tellsClaim(beat)) return words[beat as "hook" | "product" | "action"]; // safe because the others tell claims
  return words.claims[claimIndex] ?? (claimIndex === 0 ? words.moment : null);
}

import type { CameraMove } from "../../../domain/ai/generation/local-generator.ts";
import { alternateFramings } from "../../../domain/ai/scenario/scene-count.ts";
import { upperFirst } from "../../../platform/field-sentences.ts";
import type { ProductCategory } from "./categories.ts";
import { cycle, fillTemplate } from "./content.ts";
import { type Beat, story } from "./story.ts";
import type { VisualStyle } from "./visual-style.ts";

export type VideoFacts = {
  readonly product: string;
  readonly category: ProductCategory;
  readonly style: VisualStyle;
  readonly audience: string;
  /** Sentences of the product description. */
  readonly claims: readonly string[];
  /** The style guide's `must_include`. */
  readonly mustInclude: readonly string[];
};

export type Shot = {
  readonly beat: Beat;
  /** The number of earlier scenes with this beat. */
  readonly occurrence: number;
  readonly cameraMove: CameraMove;
  /** The sentence of the description that the scene stands for. */
  readonly claimIndex: number | undefined;
  /** The reference's content in this scene of a remix; else empty. */
  readonly referenceDescription: string;
};

type ShotPrompts = { readonly imagePrompt: string; readonly videoPrompt: string };

/** The image prompt is complete in itself, because the image model sees no other scene. */
export function shotPrompts(shot: Shot, facts: VideoFacts): ShotPrompts {
  const { style, category } = facts;
  const { framing, showsPerson, showsPlace, composition } = story.beats[shot.beat];
  const { subject, action } = shot.referenceDescription ? remixedSubject(shot, facts) : beatSubject(shot, facts);
  const image = [
    `${framing}: ${subject}.`,
    alternateFraming(shot, facts),
    showsPerson && !shot.referenceDescription ? personSentence(facts) : "",
    showsPlace ? `Place: ${category.place}.` : "",
    claimSentence(shot, facts),
    mustIncludeSentence(shot, facts),
    `Light: ${style.light}.`,
    style.colors,
    style.mood,
    composition,
  ];
  const movement = [`${upperFirst(action)}.`, story.cameraSentences[shot.cameraMove], cameraStyleSentence(style)];
  return { imagePrompt: joinSentences(image), videoPrompt: joinSentences(movement) };
}

type Subject = { readonly subject: string; readonly action: string };

function beatSubject({ beat, occurrence }: Shot, { product, category }: VideoFacts): Subject {
  const { person, hook, problem, staging, uses, details } = category;
  const use = cycle(uses, occurrence);
  const detail = cycle(details, occurrence);
  const values = { product, person, hook, problem, staging, use, detail };
  const { subject, action } = story.beats[beat];
  return { subject: fillTemplate(subject, values), action: fillTemplate(action, values) };
}

function remixedSubject({ referenceDescription }: Shot, { product }: VideoFacts): Subject {
  const scene = withoutFullStop(referenceDescription);
  return { subject: `${scene}, now with ${product}`, action: `${scene}, in one unhurried movement` };
}

/** A repeated image of the category gets another point of view. */
function alternateFraming({ beat, occurrence, referenceDescription }: Shot, { category }: VideoFacts): string {
  const { length } = beat === "detail" ? category.details : category.uses;
  const round = Math.floor(occurrence / length);
  return referenceDescription || round === 0 ? "" : cycle(alternateFramings, round - 1);
}

function personSentence({ category, audience, style }: VideoFacts): string {
  const clothes = style.leadColor === "plain" ? "plain clothes" : `${style.leadColor} clothes`;
  const viewers = audience ? `; somebody in whom ${audience} may see themselves` : "";
  return `The person: ${category.appearance}, ${clothes}${viewers}.`;
}

function claimSentence({ beat, claimIndex }: Shot, { claims }: VideoFacts): string {
  if (beat !== "benefit" || claimIndex === undefined) return "";
  const claim = claims[claimIndex];
  return claim ? `The picture makes one feel: “${withoutFullStop(claim)}”.` : "";
}

/** The product scene shows the first two items, each benefit one more, and the call to action the first one again. */
function mustIncludeSentence({ beat, occurrence }: Shot, { mustInclude }: VideoFacts): string {
  if (mustInclude.length === 0) return "";
  if (beat === "product") return `In the picture too: ${mustInclude.slice(0, 2).join("; ")}.`;
  const item = beat === "benefit" ? mustInclude[occurrence + 2] : beat === "action" ? mustInclude[0] : undefined;
  return item ? `In the picture too: ${item}.` : "";
}

const cameraStyleSentence = ({ camera }: VisualStyle): string =>
  camera ? `Camera style: ${withoutFullStop(camera)}.` : "";

const withoutFullStop = (text: string): string => text.replace(/[.。।!?\s]+$/u, "");

const joinSentences = (sentences: readonly string[]): string =>
  sentences.filter((sentence) => sentence !== "").join(" ");

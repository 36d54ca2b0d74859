import type { Prompt } from "../models.ts";
import { joinSections, untrustedBlock, untrustedRule } from "../untrusted-text.ts";

const role = `You read how a brand looks, speaks and moves, and write it down as a style guide for its short marketing films.

- tone: two to six adjectives for the feeling, such as "warm, unhurried, a little dry".
- color_palette: at most six colors as #rrggbb, the leading one first. Take them from the material: those it names, then those listed as its colors. Leave out plain white, black and gray unless the brand lives on them. No colors in the material: an empty list.
- tempo: fast, medium or slow, as the brand would cut its films.
- camera_style: how a camera would film for this brand, in one sentence a camera operator can follow: distance, movement, light.
- brand_voice: how the brand speaks to people, in one sentence: who is addressed, how formally, in sentences of what kind.
- must_include: what every film must show or say, at most six entries of a few words each: the name as it is written, a claim, a sign, a thing.
- must_avoid: what would be wrong for this brand, at most six entries of a few words each.

Write what the material says or clearly shows. Where it says nothing, leave a text or a list empty rather than guess. Describe; quote no more than names and slogans. Write in the language of the material.`;

const noProductRule = "product is null: nobody asks for it.";

const productRule = `product: what is offered. name as the material writes it; description in two or three plain sentences: what it is, what it does for people, what sets it apart; target_audience in a few words, or null when the material does not tell. Invent no facts, numbers or prices. No product in the material: null.`;

const featureRule = `product: the feature that the page is about. name as the page writes it, with the product it belongs to; description in two or three plain sentences: what the feature does, for whom, and what it spares them; target_audience in a few words, or null when the page does not tell. Invent no facts, numbers or prices. No feature on the page: null.`;

const landingPageIntro = "The material is a landing page: it presents a whole offer.";
const featurePageIntro =
  "The material is a page on one feature of a product. Write the style guide for a film about this feature: what must be included is what shows the feature at work; other parts of the product stay out.";

export const pageModes = ["landing", "feature"] as const;
export type PageMode = (typeof pageModes)[number];

export const textPrompt = (text: string): Prompt => ({
  system: joinSections(role, noProductRule, untrustedRule),
  message: joinSections(
    "Write the style guide of the brand that this material describes.",
    untrustedBlock("text", text),
  ),
});

export const pagePrompt = (text: string, mode: PageMode, withProduct: boolean): Prompt => ({
  system: joinSections(role, productRuleFor(mode, withProduct), untrustedRule),
  message: joinSections(mode === "feature" ? featurePageIntro : landingPageIntro, untrustedBlock("page", text)),
});

const productRuleFor = (mode: PageMode, withProduct: boolean) => {
  if (!withProduct) return noProductRule;
  return mode === "feature" ? featureRule : productRule;
};

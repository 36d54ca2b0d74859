import { z } from "zod";
import { CssColor, Fraction, maxVideoSeconds, namedObject, optional } from "../shared/schemas.ts";
import { normalized } from "./phrases.ts";
import { platforms } from "./platforms.ts";
import { ruleNames } from "./rule-names.ts";
import { uses } from "./rules.ts";

const unique = [
  (names: readonly string[]) => new Set(names).size === names.length,
  "Must have no entry twice.",
] as const;

/** an empty one already fails the minimum length */
const isVisible = [(text: string) => text === "" || normalized(text) !== "", "Must have a visible character."] as const;

const Phrases = z
  .array(
    z
      .string()
      .trim()
      .min(1)
      .max(200)
      .refine(...isVisible),
  )
  .max(50);

const LegalLine = namedObject("LegalLine", {
  text: z
    .string()
    .trim()
    .min(1)
    .max(1000)
    .refine(...isVisible)
    .describe("Words that a text of the video has to show."),
  minHeight: optional(Fraction).describe(
    "The height of capital letters, as a share of the frame's shorter side; 30 / 1080 by default.",
  ),
  minSeconds: optional(z.number().min(0).max(maxVideoSeconds)).describe(
    "Seconds on screen; by default 0.2 per word, and 2 more, or 3 from ten words on.",
  ),
});

const GateRules = namedObject("GateRules", {
  palette: optional(z.array(CssColor).min(1).max(50)).describe(
    "The colors that texts, their boxes and strokes, and captions may have; the brand's by default, with options.brand.",
  ),
  logo: optional(
    z.object({
      assetId: optional(z.string().max(100)).describe("The brand's logo by default, with options.brand."),
      space: optional(Fraction).describe("Kept free around the logo, as a share of its shorter side; 0.25 by default."),
    }),
  ),
  mustSay: optional(Phrases).describe("Words that the video has to show or say."),
  mustNotSay: optional(Phrases).describe("Words that the video must neither show nor say."),
  legal: optional(z.array(LegalLine).max(20)),
  use: optional(z.enum(uses)).describe("The use of the video; `ad` by default."),
  ignore: optional(z.array(z.enum(ruleNames)).max(ruleNames.length)).describe("Rules to ignore."),
});
export type GateRules = z.output<typeof GateRules>;

const gateModes = ["warn", "block"] as const;

const Platforms = optional(
  z
    .array(z.enum(platforms))
    .min(1)
    .refine(...unique),
).describe("The platforms whose rules apply; by default those for its aspect ratio.");

/** The fields of a check besides the request of a video. */
const checkFields = { platforms: Platforms, rules: optional(GateRules) };

export const gateFields = {
  ...checkFields,
  gate: optional(z.enum(gateModes)).describe(
    "Checks the rendered video: `warn` adds warnings, `block` ends the export with gate_failed if a rule is broken.",
  ),
};

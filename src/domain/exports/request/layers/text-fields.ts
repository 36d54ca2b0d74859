import { z } from "zod";
import { CssColor, FontSize, FontWeight, LanguageTag, Length, namedObject, optional } from "../../../shared/schemas.ts";
import { GradientRequest } from "./fills.ts";

const maxSpans = 200;

const TextSpan = namedObject("TextSpan", {
  text: z.string().max(10_000),
  color: optional(CssColor),
  background: optional(CssColor),
  fontWeight: optional(FontWeight),
  fontFamily: optional(z.string().max(200)),
  fontSize: optional(FontSize).describe("Pixels."),
  italic: optional(z.boolean()),
  underline: optional(z.boolean()),
  strike: optional(z.boolean()),
});

export type SpanRequest = z.output<typeof TextSpan>;

export const letterCases = ["upper", "lower", "title"] as const;

/** The size of a text in pixels, or `auto` to fill its box. */
export const SizeOfText = z.union([FontSize, z.literal("auto")], {
  error: "Must be a number of pixels from 1 to 1,000, or auto.",
});

/** What texts can have besides their older style. */
export const newTextFields = {
  spans: optional(z.array(TextSpan).max(maxSpans)).describe(
    "Instead of text: at most 200 parts of one paragraph, each with its own style.",
  ),
  case: optional(z.enum(letterCases)).describe("Shows other letters, by the rules of the language."),
  fill: optional(GradientRequest).describe("A gradient in place of the color."),
  min: optional(FontSize).describe("The smallest font size for `auto`; 1 by default."),
  max: optional(FontSize).describe("The largest font size for `auto`; 1000 by default."),
  width: optional(Length).describe("Pixels of the box that a font size of `auto` fills."),
  height: optional(Length).describe("Pixels of the box that a font size of `auto` fills."),
  backgroundBy: optional(z.enum(["block", "line"])).describe("`block` by default: one box behind all lines."),
  paddingX: optional(z.number().min(0).max(1000)).describe(
    "Pixels at the sides of the background, instead of padding.",
  ),
  paddingY: optional(z.number().min(0).max(1000)).describe("Pixels above and below, instead of padding."),
  wrap: optional(z.boolean()).describe("False: lines break only where the text does."),
  language: optional(LanguageTag).describe("The language of the text; by default that of the work."),
  italic: optional(z.boolean()),
};

const { min: _min, max: _max, width: _width, height: _height, ...ofTemplates } = newTextFields;

/** Those of the texts of templates, whose sizes are numbers. */
export const templateTextFields = ofTemplates;
export type TemplateTextFields = z.output<z.ZodObject<typeof templateTextFields>>;

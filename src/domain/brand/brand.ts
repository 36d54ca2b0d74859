import { z } from "zod";
import { captionStyleFields } from "../captions/schema.ts";
import { CssColor, Length, named, namedObject, optional } from "../shared/schemas.ts";

export const paletteRoles = ["primary", "secondary", "accent", "text", "background"] as const;
export type PaletteRole = (typeof paletteRoles)[number];

export const PaletteColors = namedObject("Palette", {
  primary: optional(CssColor).describe("The main color."),
  secondary: optional(CssColor).describe("The color beside it."),
  accent: optional(CssColor).describe("The color of what must be seen: a price, a button."),
  text: optional(CssColor).describe("The color of texts."),
  background: optional(CssColor).describe("The color of boxes behind texts."),
});

export type Palette = { readonly [Role in PaletteRole]?: string | undefined };

const logoPlaces = ["top-left", "top", "top-right", "bottom-left", "bottom", "bottom-right"] as const;
export type LogoPlace = (typeof logoPlaces)[number];

const Name = z.string().min(1).max(200);
const maxValues = 200;

/** The common style of a project's films; a part of its style guide. Unknown keys are stored too. */
export const Brand = named(
  "Brand",
  z.looseObject({
    fonts: optional(z.object({ heading: optional(Name), body: optional(Name) })).describe(
      "Each the id of a font of the project, or the family of a bundled one. Headings are texts of a certain size.",
    ),
    palette: optional(PaletteColors),
    logo: optional(
      namedObject("BrandLogo", {
        assetId: Name.describe("An image of the project."),
        place: z.enum(logoPlaces),
        width: optional(Length).describe("Pixels; by default a seventh of the frame's shorter side."),
        margin: optional(z.number().min(0).max(2000)).describe("Pixels to the edges of the safe zone; 0 by default."),
      }),
    ),
    captions: optional(namedObject("CaptionStyle", captionStyleFields)).describe(
      "The style of captions where a request has none.",
    ),
    intro: optional(Name).describe("The id of a template that is shown over the first three seconds."),
    endCard: optional(Name).describe("The id of a template that is shown over the last three seconds."),
    values: optional(
      z
        .record(Name, z.string().max(2000))
        .refine((values) => Object.keys(values).length <= maxValues, `Must have at most ${maxValues} entries.`),
    ).describe("Texts for the placeholders of both templates. A text with a placeholder without one is left out."),
  }),
);

export type Brand = z.output<typeof Brand>;

/** The brand of a style guide. One that was stored before brands had fields counts as none. */
export function brandOf(styleGuide: { readonly [field: string]: unknown } | undefined): Brand | undefined {
  const { brand } = styleGuide ?? {};
  if (typeof brand !== "object" || brand === null) return undefined;
  const parsed = Brand.safeParse(brand);
  return parsed.success ? parsed.data : undefined;
}

export const paletteOf = (styleGuide: { readonly [field: string]: unknown } | undefined): Palette | undefined =>
  brandOf(styleGuide)?.palette;

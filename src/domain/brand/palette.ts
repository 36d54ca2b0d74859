import { CssColor, namedObject, optional } from "../shared/schemas.ts";

export const paletteRoles = ["primary", "secondary", "accent", "text", "background"] as const;
export type PaletteRole = (typeof paletteRoles)[number];

export const PaletteColors = namedObject("Palette", {
  primary: optional(CssColor).describe("The main color."),
  secondary: optional(CssColor).describe("The color beside it."),
  accent: optional(CssColor).describe("For what must be seen: a price, a button."),
  text: optional(CssColor).describe("Of texts."),
  background: optional(CssColor).describe("Of the boxes behind texts."),
});

export type Palette = { readonly [Role in PaletteRole]?: string | undefined };

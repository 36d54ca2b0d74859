import { type Color, colorDistance, contrastRatio, parseColor } from "../../platform/colors.ts";
import { type Palette, paletteRoles } from "./brand.ts";
import type { BrandableRequest } from "./branding.ts";
import type { ResolvedBrand } from "./resolve.ts";

/** A field of the request, and its problem. */
type BrandWarning = { readonly path: string; readonly message: string };

type Texts = NonNullable<BrandableRequest["texts"]>;

/** The limit of the CIEDE2000 distance; most people see smaller ones as the same color. */
const maxDistance = 5;

/** Finds colors of texts and boxes in a request that the brand does not have. */
export function offBrandColors(texts: Texts, { palette = {} }: ResolvedBrand): readonly BrandWarning[] {
  const own = colorsOf(palette);
  if (own.length === 0) return [];
  return texts.flatMap((text, index) =>
    (["fontColor", "background"] as const).flatMap((field) => {
      const given = text[field];
      const color = given === undefined ? undefined : parseColor(given);
      if (!color || color.alpha === 0) return [];
      const [nearest] = own
        .map((candidate) => ({ ...candidate, distance: colorDistance(candidate.color, color) }))
        .toSorted((one, other) => one.distance - other.distance);
      if (!nearest || nearest.distance <= maxDistance) return [];
      const message = `${given} is not a color of the brand: the nearest is its ${nearest.role} color, ${nearest.text}.`;
      return [{ path: `texts.${index}.${field}`, message }];
    }),
  );
}

const colorsOf = (palette: Palette) =>
  paletteRoles.flatMap((role) => {
    const text = palette[role];
    const color = text === undefined ? undefined : parseColor(text);
    return text !== undefined && color ? [{ role, text, color }] : [];
  });

/** WCAG 2 AA for large text. */
const minContrast = 3;

/** A more transparent box shows the video behind it. */
const minAlpha = 0.5;

/** Finds texts of a branded request with low contrast to their boxes, or to the brand's background without one. */
export function lowContrasts(texts: Texts, { palette = {} }: ResolvedBrand): readonly BrandWarning[] {
  return texts.flatMap(({ fontColor = "#ffffff", background, strokeColor, strokeWidth = 0 }, index) => {
    const color = parseColor(fontColor);
    const box = opaque(background);
    const ground = box ?? opaque(palette.background);
    const stroke = strokeWidth > 0 ? opaque(strokeColor ?? "#000000") : undefined;
    if (!color || !ground || (stroke && contrastRatio(color, stroke) >= minContrast)) return [];
    const contrast = contrastRatio(color, ground);
    if (contrast >= minContrast) return [];
    const message = `The contrast of the text to ${box ? "its box" : "the brand's background"} is ${contrast.toFixed(1)} to 1, below the minimum of ${minContrast} to 1.`;
    return [{ path: `texts.${index}.fontColor`, message }];
  });
}

function opaque(text: string | undefined): Color | undefined {
  const color = text === undefined ? undefined : parseColor(text);
  return color && color.alpha >= minAlpha ? color : undefined;
}

export const brandPath = "options.brand";

export const missingLogo = ({ logo }: ResolvedBrand): readonly BrandWarning[] =>
  logo ? [] : [{ path: brandPath, message: "The brand has no logo, or its image was removed: the film shows none." }];

export const missingBrandParts = ({ missing }: ResolvedBrand): readonly BrandWarning[] =>
  missing.map(({ field, message }) => ({ path: brandPath, message: `styleGuide.brand.${field}: ${message}` }));

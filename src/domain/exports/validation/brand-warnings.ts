import type { BrandUse } from "../../brand/branding.ts";
import { brandPath, lowContrasts, missingBrandParts, missingLogo, offBrandColors } from "../../brand/warnings.ts";
import type { CompleteRequest } from "../fill-from-editor.ts";
import type { Warning } from "../warnings.ts";
import { applyRules, type Rules } from "./rules.ts";

type Branded = BrandUse & { readonly request: CompleteRequest };

const rules: Rules<Branded> = {
  brand_color_off: ({ brand, given }) => offBrandColors(given.texts ?? [], brand),
  brand_logo_missing: ({ brand }) => missingLogo(brand),
  brand_part_missing: ({ brand }) => missingBrandParts(brand),
  contrast_low: ({ brand, given, request }) =>
    lowContrasts((request.texts ?? []).slice(0, given.texts?.length ?? 0), brand),
};

/** What of a request breaks its brand, and what of the brand cannot be shown. */
export const brandWarnings = (request: CompleteRequest, brand: BrandUse): readonly Warning[] =>
  applyRules(rules, { ...brand, request });

/** A warning about an overlay that the brand has added is one about the option. */
export function ofBrand(warning: Warning, { given: { texts = [], images = [] } }: BrandUse): Warning {
  const [list, index] = warning.path.split(".");
  const count = { texts: texts.length, images: images.length }[list ?? ""];
  return count !== undefined && Number(index) >= count ? { ...warning, path: brandPath } : warning;
}

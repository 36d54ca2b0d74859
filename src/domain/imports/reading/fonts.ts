/** The families of the service: a fact holds that these are all. */
export const bundledNames: readonly string[] = [
  ...["Inter", "Noto Sans", "Noto Sans SC", "Noto Sans JP", "Noto Sans KR", "Noto Color Emoji", "Noto Kufi Arabic"],
  ...["Arabic", "Hebrew", "Armenian", "Georgian", "Ethiopic", "Devanagari", "Bengali", "Gurmukhi", "Gujarati"].map(
    (script) => `Noto Sans ${script}`,
  ),
  ...["Oriya", "Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala", "Thai", "Lao", "Khmer", "Myanmar"].map(
    (script) => `Noto Sans ${script}`,
  ),
  ...["Anton", "Archivo Black", "Bebas Neue", "DM Serif Display", "Instrument Serif", "Bricolage Grotesque", "Caveat"],
  ...["Fraunces", "Playfair Display", "Space Grotesk", "Syne", "Unbounded"],
];

/** The weights that names of font files end with. */
const weights: Readonly<Record<string, number>> = {
  thin: 100,
  extralight: 200,
  light: 300,
  regular: 400,
  medium: 500,
  semibold: 600,
  bold: 700,
  extrabold: 800,
  black: 900,
};

/** "Bebas Neue", "bebas-neue.ttf" and "BebasNeue-Regular" are one family. */
export const fontKey = (name: string): string =>
  name
    .toLowerCase()
    .replace(/\.(?:ttf|otf|woff2?)$/, "")
    .replaceAll(/[^\p{L}\p{N}]/gu, "")
    .replace(/(?:variablefont.*|regular)$/, "");

export type FoundFont = {
  readonly fontFamily: string;
  readonly fontWeight?: number;
  readonly fontAssetId?: string;
  /** False: the default family is shown until a font of this name exists. */
  readonly isKnown: boolean;
};

/** Finds a family among the fonts of the edit and the bundled ones: "Inter ExtraBold" is Inter with the weight 800. */
export function findFont(family: string, ofEdit: ReadonlyMap<string, string>): FoundFont {
  const name = family
    .trim()
    .replaceAll(/^["']|["']$/g, "")
    .slice(0, 200);
  const fontAssetId = ofEdit.get(fontKey(name));
  if (fontAssetId) return { fontFamily: name, fontAssetId, isKnown: true };
  const isBundled = (candidate: string) => bundledNames.find((bundled) => fontKey(bundled) === fontKey(candidate));
  const whole = isBundled(name);
  if (whole) return { fontFamily: whole, isKnown: true };
  const [, first, style = ""] =
    /^(.+?)[\s-]*(thin|extra ?light|light|regular|medium|semi ?bold|extra ?bold|bold|black)$/i.exec(name) ?? [];
  const fontWeight = weights[style.toLowerCase().replaceAll(" ", "")];
  if (first === undefined || fontWeight === undefined) return { fontFamily: name, isKnown: false };
  const part = isBundled(first);
  return { fontFamily: part ?? first.trim(), fontWeight, isKnown: part !== undefined };
}

import { fileURLToPath } from "node:url";
import { GlobalFonts } from "@napi-rs/canvas";

export type BundledFamily = {
  readonly name: string;
  /** One file per weight, lightest first. `module` is for `fontFileUrl`. */
  readonly files: readonly { readonly weight: number; readonly module: string }[];
};

const googleWeights = {
  Thin: 100,
  ExtraLight: 200,
  Light: 300,
  Regular: 400,
  Medium: 500,
  SemiBold: 600,
  Bold: 700,
  ExtraBold: 800,
  Black: 900,
} as const;

type GoogleStyle = keyof typeof googleWeights;

// safe because the table is a constant with exactly these keys
const allGoogleStyles = Object.keys(googleWeights) as GoogleStyle[];

/** A family of the packages @expo-google-fonts/*. */
const google = (name: string, styles: readonly GoogleStyle[] = allGoogleStyles): BundledFamily => {
  const folder = `@expo-google-fonts/${name.toLowerCase().replaceAll(" ", "-")}`;
  const files = styles.map((style) => {
    const weight = googleWeights[style];
    return { weight, module: `${folder}/${weight}${style}/${name.replaceAll(" ", "")}_${weight}${style}.ttf` };
  });
  return { name, files };
};

const eastAsianWeights = { Thin: 100, Light: 300, DemiLight: 350, Regular: 400, Medium: 500, Bold: 700, Black: 900 };

type EastAsianStyle = keyof typeof eastAsianWeights;

// safe because the table is a constant with exactly these keys
const allEastAsianStyles = Object.keys(eastAsianWeights) as EastAsianStyle[];

/** A family of the packages @embedpdf/fonts-*, which export no font paths: the module is relative to their entry. */
const eastAsian = (name: string, region: string, fileName: string, missingStyles: readonly EastAsianStyle[] = []) => {
  const styles = allEastAsianStyles.filter((style) => !missingStyles.includes(style));
  const files = styles.map((style) => ({
    weight: eastAsianWeights[style],
    module: `@embedpdf/fonts-${region}#../fonts/${fileName}-${style}.otf`,
  }));
  return { name, files } satisfies BundledFamily;
};

export const inter = google("Inter");
export const emoji = google("Noto Color Emoji", ["Regular"]);
const simplifiedChinese = eastAsian("Noto Sans SC", "sc", "NotoSansHans", ["Thin", "Black"]);
export const japanese = eastAsian("Noto Sans JP", "jp", "NotoSansJP");
export const korean = eastAsian("Noto Sans KR", "kr", "NotoSansKR");

/** Fallbacks of every text for Latin, Greek and Cyrillic, in the order in which they are searched for a glyph. */
export const alphabets: readonly BundledFamily[] = [inter, google("Noto Sans")];

/** A family for one script, loaded only for texts that contain the script. */
type ScriptFamily = BundledFamily & { readonly script: RegExp };

const forScript = (script: string): ScriptFamily => ({
  ...google(`Noto Sans ${script}`),
  script: new RegExp(`\\p{Script_Extensions=${script}}`, "u"),
});

export const scriptFamilies: readonly ScriptFamily[] = [
  ...["Arabic", "Hebrew", "Armenian", "Georgian", "Ethiopic"],
  ...["Devanagari", "Bengali", "Gurmukhi", "Gujarati", "Oriya", "Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala"],
  ...["Thai", "Lao", "Khmer", "Myanmar"],
].map(forScript);

export const eastAsianFamilies: readonly BundledFamily[] = [simplifiedChinese, japanese, korean];

/** Families for large type, used where a text names them. */
const displayFamilies: readonly BundledFamily[] = [
  ...["Anton", "Archivo Black", "Bebas Neue", "DM Serif Display", "Instrument Serif"].map((name) =>
    google(name, ["Regular"]),
  ),
  google("Bricolage Grotesque", ["Light", "Regular", "SemiBold", "ExtraBold"]),
  google("Caveat", ["Regular", "Bold"]),
  google("Fraunces", ["Light", "Regular", "SemiBold", "Black"]),
  google("Noto Kufi Arabic", ["Regular", "Bold", "Black"]),
  google("Playfair Display", ["Regular", "Bold", "Black"]),
  google("Space Grotesk", ["Light", "Regular", "Bold"]),
  google("Syne", ["Regular", "Bold", "ExtraBold"]),
  google("Unbounded", ["Light", "Regular", "Bold", "Black"]),
];

export const bundledFamilies: readonly BundledFamily[] = [
  ...alphabets,
  ...scriptFamilies,
  ...eastAsianFamilies,
  ...displayFamilies,
  emoji,
];

/** Resolves a module path, or `entry#path relative to the entry`, independently of the working directory. */
export function fontFileUrl(module: string): URL {
  const [entry, relativePath] = module.split("#");
  const resolved = import.meta.resolve(entry!);
  return relativePath ? new URL(relativePath, resolved) : new URL(resolved);
}

const loadedAliases = new Set<string>();

/**
 * Registers the file with the nearest weight, once, and returns its alias on the canvas. Each file has its own alias
 * because the weights inside the files are unreliable: Thin and ExtraLight both claim 250.
 */
export function loadBundledFont(family: BundledFamily, weight: number): string {
  const distance = (file: { weight: number }) => Math.abs(file.weight - weight);
  const file = family.files.reduce((best, next) => (distance(next) < distance(best) ? next : best));
  const alias = `bundled-${family.name}-${file.weight}`;
  if (!loadedAliases.has(alias)) {
    GlobalFonts.registerFromPath(fileURLToPath(fontFileUrl(file.module)), alias);
    loadedAliases.add(alias);
  }
  return alias;
}

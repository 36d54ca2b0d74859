/** A font that comes with the service: one file per weight. */
export type BundledFamily = {
  readonly name: string;
  /** Lightest first. */
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

// safe, here and below, because the table is a constant with these keys and no others
const google = (name: string, styles = Object.keys(googleWeights) as (keyof typeof googleWeights)[]): BundledFamily => {
  const folder = `@expo-google-fonts/${name.toLowerCase().replaceAll(" ", "-")}`;
  const files = styles.map((style) => {
    const weight = googleWeights[style];
    return { weight, module: `${folder}/${weight}${style}/${name.replaceAll(" ", "")}_${weight}${style}.ttf` };
  });
  return { name, files };
};

const eastAsianWeights = { Thin: 100, Light: 300, DemiLight: 350, Regular: 400, Medium: 500, Bold: 700, Black: 900 };

type EastAsianStyle = keyof typeof eastAsianWeights;

const eastAsian = (name: string, region: string, fileName: string, lacks: readonly EastAsianStyle[] = []) => {
  const styles = (Object.keys(eastAsianWeights) as EastAsianStyle[]).filter((style) => !lacks.includes(style));
  const files = styles.map((style) => ({
    weight: eastAsianWeights[style],
    // the package exports no font by its path: its fonts lie beside the folder of its entry
    module: `@embedpdf/fonts-${region}#../fonts/${fileName}-${style}.otf`,
  }));
  return { name, files } satisfies BundledFamily;
};

export const inter = google("Inter");
export const emoji = google("Noto Color Emoji", ["Regular"]);
const simplifiedChinese = eastAsian("Noto Sans SC", "sc", "NotoSansHans", ["Thin", "Black"]);
export const japanese = eastAsian("Noto Sans JP", "jp", "NotoSansJP");
export const korean = eastAsian("Noto Sans KR", "kr", "NotoSansKR");

/** Alphabets of every text, in the order in which a missing glyph is looked for. */
export const alphabets: readonly BundledFamily[] = [inter, google("Noto Sans")];

/** A family for one script, which texts that hold nothing of it are spared. */
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

export const bundledFamilies: readonly BundledFamily[] = [...alphabets, ...scriptFamilies, ...eastAsianFamilies, emoji];

/** Where a bundled font file lies, wherever the process was started. */
export function fontFileUrl(module: string): URL {
  const [entry, beside] = module.split("#");
  const resolved = import.meta.resolve(entry!);
  return beside ? new URL(beside, resolved) : new URL(resolved);
}

import { parseColor } from "../src/domain/shared/colors.ts";

export type TitleLook = {
  readonly palette: readonly string[];
  readonly fontAssetId: string;
  readonly resolution: { readonly width: number; readonly height: number };
};

/** Sizes are those of a picture 1080 pixels wide. */
const [large, smallest] = [78, 64];

/** A title as a text overlay above the middle, which the pictures leave free. The last one stays. */
export function titleOf(text: string, place: "first" | "middle" | "last", look: TitleLook) {
  const { dark, light } = endsOf(look.palette);
  const { width, height } = look.resolution;
  const scaled = (pixels: number) => (pixels * width) / 1080;
  const { fontSize, maxWidth } = setInLines(text);
  return {
    ...{ text, fontAssetId: look.fontAssetId, fontWeight: 800, fontColor: light, lineHeight: 1.12 },
    ...{ fontSize: scaled(fontSize), maxWidth: scaled(maxWidth) },
    ...{ centerX: 0, centerY: -0.27 * height, background: dark, padding: scaled(38), radius: scaled(34) },
    ...{ shadowColor: "rgba(0,0,0,0.25)", shadowBlur: scaled(24), shadowOffsetY: scaled(8) },
    ...{ animateIn: place === "first" ? "pop" : "slideup", animateOut: place === "last" ? "none" : "fade" },
  };
}

const lineWidth = 800;

/** So large that it fills its lines: as few of them as leave it large enough, and none much shorter than the others. */
function setInLines(text: string): { fontSize: number; maxWidth: number } {
  const units = unitsOf(text);
  for (const lines of [1, 2, 3]) {
    const size = (lines * lineWidth * (lines > 1 ? 0.8 : 1)) / units;
    if (size < large) continue;
    const fontSize = Math.min(size, lines > 1 ? 104 : 124);
    const longestWord = Math.max(...text.split(/\s+/u).map(unitsOf)) * fontSize;
    const evenWidth = Math.max(longestWord, (units * fontSize * 1.18) / lines);
    return { fontSize, maxWidth: lines > 1 ? Math.min(lineWidth, evenWidth) : lineWidth };
  }
  return { fontSize: smallest, maxWidth: lineWidth };
}

/** About how wide a text is, in font sizes: the signs of East Asia are as wide as they are high. */
const unitsOf = (text: string): number => {
  const wide = text.match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{Extended_Pictographic}、。ー]/gu);
  return (wide?.length ?? 0) + 0.6 * ([...text].length - (wide?.length ?? 0));
};

/** The darkest and the lightest color of a palette, as far as one can be read on the other. */
function endsOf(palette: readonly string[]) {
  const colors = palette.flatMap((text) => {
    const color = parseColor(text);
    return color ? [{ text, brightness: 0.3 * color.red + 0.59 * color.green + 0.11 * color.blue }] : [];
  });
  const [darkest, ...rest] = colors.sort((a, b) => a.brightness - b.brightness);
  const lightest = rest.at(-1) ?? darkest;
  return {
    dark: darkest && darkest.brightness < 80 ? darkest.text : "#15151c",
    light: lightest && lightest.brightness > 190 ? lightest.text : "#ffffff",
  };
}

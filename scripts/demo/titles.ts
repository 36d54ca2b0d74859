import { parseColor } from "../../src/domain/shared/colors.ts";

export type TitleLook = {
  readonly palette: readonly string[];
  readonly fontAssetId: string;
  readonly resolution: { readonly width: number; readonly height: number };
};

/** The position of the title's scene in the video. */
export type TitlePosition = "first" | "middle" | "last";

// Sizes are in pixels of a video 1080 pixels wide.
const wantedFontSize = 78;
const smallestFontSize = 64;
const lineWidth = 800;

/** A text overlay above the center, where generated images leave room. */
export function titleOverlay(text: string, position: TitlePosition, look: TitleLook) {
  const { dark, light } = darkestAndLightest(look.palette);
  const { width, height } = look.resolution;
  const scaled = (pixels: number) => (pixels * width) / 1080;
  const { fontSize, maxWidth } = fitToLines(text);
  return {
    text,
    fontAssetId: look.fontAssetId,
    fontWeight: 800,
    fontColor: light,
    lineHeight: 1.12,
    fontSize: scaled(fontSize),
    maxWidth: scaled(maxWidth),
    centerX: 0,
    centerY: -0.27 * height,
    background: dark,
    padding: scaled(38),
    radius: scaled(34),
    shadowColor: "rgba(0,0,0,0.25)",
    shadowBlur: scaled(24),
    shadowOffsetY: scaled(8),
    animateIn: position === "first" ? "pop" : "slideup",
    animateOut: position === "last" ? "none" : "fade",
  };
}

/** Fills as few lines as allow the wanted font size, and makes the lines about equally long. */
function fitToLines(text: string): { fontSize: number; maxWidth: number } {
  const ems = widthInEms(text);
  for (const lines of [1, 2, 3]) {
    const size = (lines * lineWidth * (lines > 1 ? 0.8 : 1)) / ems;
    if (size < wantedFontSize) continue;
    const fontSize = Math.min(size, lines > 1 ? 104 : 124);
    const longestWord = Math.max(...text.split(/\s+/u).map(widthInEms)) * fontSize;
    const evenWidth = Math.max(longestWord, (ems * fontSize * 1.18) / lines);
    return { fontSize, maxWidth: lines > 1 ? Math.min(lineWidth, evenWidth) : lineWidth };
  }
  return { fontSize: smallestFontSize, maxWidth: lineWidth };
}

/** Estimated width in ems: East Asian characters and emoji are 1 em wide, others about 0.6. */
const widthInEms = (text: string): number => {
  const wide = text.match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{Extended_Pictographic}、。ー]/gu);
  return (wide?.length ?? 0) + 0.6 * ([...text].length - (wide?.length ?? 0));
};

/** The darkest and lightest color of a palette. A default replaces a color that is not dark or light enough to read. */
function darkestAndLightest(palette: readonly string[]) {
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

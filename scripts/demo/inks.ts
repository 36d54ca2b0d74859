import { createCanvas, loadImage } from "@napi-rs/canvas";
import { parseColor } from "../../src/domain/shared/colors.ts";

/** Fractions of an image's sides. */
export type Area = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

type Rgb = { readonly red: number; readonly green: number; readonly blue: number };

/** The color of the palette, else black or white, that is easiest to read on an area of an image. */
export const inkOn = async (image: Uint8Array, area: Area, palette: readonly string[]): Promise<string> =>
  mostReadable(await averageColor(image, area), palette);

/** The color of the palette, else black or white, that is easiest to read on a CSS color. */
export const inkAgainst = (background: string, palette: readonly string[]): string =>
  mostReadable(parseColor(background) ?? { red: 0, green: 0, blue: 0 }, palette);

export const darkest = (palette: readonly string[]): string => byContrast(palette, white)[0]?.text ?? "#000000";

const white: Rgb = { red: 255, green: 255, blue: 255 };

/** WCAG AA for normal text. */
const minContrast = 4.5;

function mostReadable(background: Rgb, palette: readonly string[]): string {
  const [best] = byContrast(palette, background);
  if (best && best.contrast >= minContrast) return best.text;
  return byContrast(["#000000", "#ffffff"], background)[0]!.text; // safe because both are colors
}

const byContrast = (colors: readonly string[], background: Rgb) =>
  colors
    .flatMap((text) => {
      const color = parseColor(text);
      return color ? [{ text, contrast: contrastOf(color, background) }] : [];
    })
    .sort((a, b) => b.contrast - a.contrast);

async function averageColor(bytes: Uint8Array, { x, y, width, height }: Area): Promise<Rgb> {
  const image = await loadImage(Buffer.from(bytes));
  const context = createCanvas(1, 1).getContext("2d");
  context.imageSmoothingQuality = "high";
  const { width: w, height: h } = image;
  context.drawImage(image, x * w, y * h, width * w, height * h, 0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
  return { red, green, blue };
}

/** WCAG 2, 1..21. */
function contrastOf(one: Rgb, other: Rgb): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** WCAG 2's relative luminance. */
function luminance({ red, green, blue }: Rgb): number {
  const linear = (channel: number) => {
    const value = channel / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

import { GlobalFonts } from "@napi-rs/canvas";
import type { TextStyle } from "../../../timeline/overlay.ts";
import type { Source } from "../../../timeline/source.ts";
import { bundledFont } from "./bundled.ts";
import {
  alphabets,
  type BundledFamily,
  bundledFamilies,
  eastAsianFamilies,
  emoji,
  inter,
  japanese,
  korean,
  scriptFamilies,
} from "./files.ts";
import { projectFont } from "./project.ts";

// from here, so that no font is tried before the system's have their names below
export { usableFont } from "./project.ts";

/** Fonts as a canvas takes them: `families` is a CSS list of names that we made, safe inside a font string. */
export type TextFont = {
  readonly families: string;
  readonly weight: number;
  readonly rendering: "auto" | "geometricPrecision";
};

/**
 * The system's families under names of our own, taken before any other font is loaded:
 * a project's font that carries a system family's name must not stand in for it.
 */
const systemFonts: ReadonlyMap<string, string> = new Map(
  GlobalFonts.families.flatMap(({ family }, index) => {
    const name = `system-${index}`;
    return GlobalFonts.setAlias(family, name) ? [[family.toLowerCase(), name] as const] : [];
  }),
);

/** The fonts of a text: the one asked for, then ours for every script; the system's come last by themselves. */
export async function fontsFor(
  text: string,
  style: TextStyle,
  openFile: (source: Source) => Promise<string>,
): Promise<TextFont> {
  const weight = Math.min(900, Math.max(100, Math.round(style.fontWeight)));
  const first = style.font ? await projectFont(style.font, openFile) : namedFont(style.fontFamily ?? "", weight);
  const needed = [...alphabets, ...scriptFamiliesFor(text), ...eastAsianFor(text), emoji];
  const others = needed.map((family) => bundledFont(family, weight));
  const families = [...new Set([first, ...others])].map((name) => `"${name}"`).join(", ");
  return { families, weight, rendering: partedEmoji.test(text) ? "geometricPrecision" : "auto" };
}

/** Such emoji, the rainbow flag among them, fall apart unless drawn by the mode that finds fewer system fonts. */
const partedEmoji = /\uFE0F\u200D/;

/** A name may be a CSS list: the first family that is there wins, and the default one when none is. */
function namedFont(list: string, weight: number): string {
  for (const part of list.toLowerCase().split(",")) {
    const name = part.trim().replaceAll(/^["']|["']$/g, "");
    const bundled = bundledFamilies.find((family) => family.name.toLowerCase() === name);
    const found = bundled ? bundledFont(bundled, weight) : systemFonts.get(name);
    if (found) return found;
  }
  return bundledFont(inter, weight);
}

const scriptFamiliesFor = (text: string) => scriptFamilies.filter(({ script }) => script.test(text));

/** Han characters look different by country, and only a text's other letters tell which one is meant. */
function eastAsianFor(text: string): readonly BundledFamily[] {
  if (/[\p{sc=Hiragana}\p{sc=Katakana}]/u.test(text)) return [japanese, ...eastAsianFamilies];
  if (/\p{sc=Hangul}/u.test(text)) return [korean, ...eastAsianFamilies];
  return eastAsianFamilies;
}

import { readFile, stat } from "node:fs/promises";
import { type FontKey, GlobalFonts } from "@napi-rs/canvas";
import { LRUCache } from "lru-cache";
import { unusableFont } from "../../sandbox/failures.ts";
import type { TextContent, TextSpan, TextStyle } from "../../timeline/overlay.ts";
import type { Source } from "../../timeline/source.ts";
import {
  alphabets,
  type BundledFamily,
  bundledFamilies,
  eastAsianFamilies,
  emoji,
  inter,
  japanese,
  korean,
  loadBundledFont,
  scriptFamilies,
} from "./files.ts";
import { registerFont } from "./probe.ts";

/** Fonts for a canvas. `families` is a CSS list of quoted aliases, safe inside a font string. */
export type TextFont = {
  readonly families: string;
  readonly weight: number;
  readonly rendering: "auto" | "geometricPrecision";
};

/** The fonts of a text, and those of its spans in their order. */
export type TextFonts = TextFont & { readonly spans?: readonly TextFont[] };

/** Read before any other font is registered. */
export const systemFamilies = GlobalFonts.families;

/** System families by lower-case name: a project font must not replace one of the same name. */
const systemFonts: ReadonlyMap<string, string> = new Map(
  systemFamilies.flatMap(({ family }, index) => {
    const alias = `system-${index}`;
    return GlobalFonts.setAlias(family, alias) ? [[family.toLowerCase(), alias] as const] : [];
  }),
);

type FontStyle = Pick<TextStyle, "font" | "fontFamily" | "fontWeight">;

/** The requested font of a text, then bundled fallbacks for its scripts. The canvas tries system fonts last. */
export async function resolveFonts(
  text: string,
  style: FontStyle,
  localPathOf: (source: Source) => Promise<string>,
): Promise<TextFont> {
  const weight = Math.min(900, Math.max(100, Math.round(style.fontWeight)));
  const requested = style.font
    ? await loadProjectFont(style.font, localPathOf)
    : loadNamedFont(style.fontFamily ?? "", weight);
  const fallbacks = [...alphabets, ...scriptFamiliesFor(text), ...eastAsianFamiliesFor(text), emoji];
  const aliases = [requested, ...fallbacks.map((family) => loadBundledFont(family, weight))];
  const families = [...new Set(aliases)].map((alias) => `"${alias}"`).join(", ");
  return { families, weight, rendering: joinedEmoji.test(text) ? "geometricPrecision" : "auto" };
}

/** The fonts of a text and of each of its spans. */
export async function resolveTextFonts(
  { text, style, spans }: Pick<TextContent, "text" | "style" | "spans">,
  localPathOf: (source: Source) => Promise<string>,
): Promise<TextFonts> {
  const fonts = await resolveFonts(text, style, localPathOf);
  if (!spans) return fonts;
  // of the whole text, so that spans of equal fonts are shaped as one and Han glyphs are those of one language
  const known = new Map<string, Promise<TextFont>>();
  const ofSpans = spans.map((span) => {
    const own = fontStyleOf(span, style);
    const key = JSON.stringify([own.font?.hash, own.fontFamily, own.fontWeight]);
    const loading = known.get(key) ?? resolveFonts(text, own, localPathOf);
    known.set(key, loading);
    return loading;
  });
  return { ...fonts, spans: await Promise.all(ofSpans) };
}

/** A family of a span replaces the font of the text; a weight keeps it. */
const fontStyleOf = ({ fontFamily, fontWeight }: TextSpan, style: TextStyle): FontStyle =>
  fontFamily === undefined
    ? { ...style, fontWeight: fontWeight ?? style.fontWeight }
    : { fontFamily, fontWeight: fontWeight ?? style.fontWeight };

/** Skia draws emoji such as the rainbow flag in parts, except in this mode, which finds fewer system fonts. */
const joinedEmoji = /\uFE0F\u200D/;

/** Loads the first available family of a CSS list, or the default family if none is available. */
function loadNamedFont(list: string, weight: number): string {
  for (const part of list.toLowerCase().split(",")) {
    const name = part.trim().replaceAll(/^["']|["']$/g, "");
    const bundled = bundledFamilies.find((family) => family.name.toLowerCase() === name);
    const alias = bundled ? loadBundledFont(bundled, weight) : systemFonts.get(name);
    if (alias) return alias;
  }
  return loadBundledFont(inter, weight);
}

const scriptFamiliesFor = (text: string) => scriptFamilies.filter(({ script }) => script.test(text));

/** Han glyphs differ by language; kana or Hangul in the same text indicate which one applies. */
function eastAsianFamiliesFor(text: string): readonly BundledFamily[] {
  if (/[\p{sc=Hiragana}\p{sc=Katakana}]/u.test(text)) return [japanese, ...eastAsianFamilies];
  if (/\p{sc=Hangul}/u.test(text)) return [korean, ...eastAsianFamilies];
  return eastAsianFamilies;
}

type LoadedFont = { readonly alias: string; readonly key: FontKey };

const maxFontBytes = 64 * 1024 * 1024;
const maxLoadedFonts = 100;

/** The loaded fonts by content hash. */
const loadedFonts = new LRUCache<string, Promise<LoadedFont>>({
  max: maxLoadedFonts,
  dispose: (loading) =>
    void loading.then(
      ({ key }) => GlobalFonts.remove(key),
      () => undefined,
    ),
});

/** True if the canvas draws glyphs from this font file. */
export async function isUsableFont(path: string): Promise<boolean> {
  if ((await stat(path)).size > maxFontBytes) return false;
  const key = registerFont(await readFile(path), `probe-${crypto.randomUUID()}`);
  if (key) GlobalFonts.remove(key);
  return key !== undefined;
}

/** Registers a project font, once per content, and returns its alias on the canvas. Throws font_unusable. */
async function loadProjectFont(font: Source, localPathOf: (source: Source) => Promise<string>): Promise<string> {
  const loaded = loadedFonts.get(font.hash);
  if (loaded) return (await loaded).alias;
  const loading = loadFile(font, await localPathOf(font));
  loadedFonts.set(font.hash, loading);
  loading.catch(() => loadedFonts.delete(font.hash));
  return (await loading).alias;
}

async function loadFile(font: Source, path: string): Promise<LoadedFont> {
  const alias = `project-${font.hash}`;
  const key = registerFont(await readFile(path), alias);
  if (!key) throw unusableFont();
  return { alias, key };
}

import { fileURLToPath } from "node:url";
import type { Renderer } from "@takumi-rs/core";
import { LRUCache } from "lru-cache";
import { type Card, visit } from "../html/card.ts";
import { namedFamilies } from "../html/families.ts";
import { unusableFont } from "../sandbox/failures.ts";
import {
  alphabets,
  type BundledFamily,
  bundledFamilies,
  eastAsianFamilies,
  fontFileUrl,
  inter,
  japanese,
  korean,
  scriptFamilies,
} from "../text/fonts/files.ts";
import type { DrawnHtml } from "../timeline/overlay.ts";
import type { Source } from "../timeline/source.ts";

/** By name in lower case. */
const bundled: ReadonlyMap<string, BundledFamily> = new Map(
  bundledFamilies.map((family) => [family.name.toLowerCase(), family]),
);

/** True for a family that every card may name. */
export const isBundledFamily = (name: string): boolean => bundled.has(name.toLowerCase());

type FontOptions = {
  readonly card: Card;
  readonly fonts: DrawnHtml["fonts"];
  localPathOf(source: Source): Promise<string>;
};

/** Gives a renderer the fonts that a card needs, and returns their families in the order in which glyphs are searched. */
export async function registerFonts(renderer: Renderer, { card, fonts, localPathOf }: FontOptions) {
  const weights = weightsIn(card);
  const named = namedFamilies(card);
  const words = wordsIn(card);
  const own = named.flatMap((name) => (fonts[name] && !bundled.has(name) ? [[name, fonts[name]] as const] : []));
  for (const [name, source] of own) await registerOwn(renderer, name, await localPathOf(source));
  const families = [
    ...new Set([
      ...[inter, ...named.flatMap((name) => bundled.get(name) ?? [])],
      ...alphabets,
      ...scriptFamilies.filter(({ script }) => script.test(words)),
      ...eastAsianFamiliesFor(words),
    ]),
  ].filter(({ name }) => name !== "Noto Color Emoji");
  for (const family of families) {
    for (const { module, weight } of filesFor(family, weights)) {
      await renderer.registerFont({ name: family.name, data: await read(fileURLToPath(fontFileUrl(module))), weight });
    }
  }
  return [...own.map(([name]) => name), ...families.map(({ name }) => name)];
}

async function registerOwn(renderer: Renderer, name: string, path: string): Promise<void> {
  try {
    await renderer.registerFont({ name, data: await read(path) });
  } catch (cause) {
    throw unusableFont(cause);
  }
}

/** Those files are large: only families of the scripts in a text are read. Kana and Hangul say of which language it is. */
function eastAsianFamiliesFor(text: string): readonly BundledFamily[] {
  const kana = /[\p{sc=Hiragana}\p{sc=Katakana}]/u.test(text);
  const hangul = /\p{sc=Hangul}/u.test(text);
  const han = /[\p{sc=Han}\u3000-\u303f\uff00-\uffef]/u.test(text);
  if (kana) return hangul ? [japanese, korean] : [japanese];
  const [chinese] = eastAsianFamilies;
  if (hangul) return han && chinese ? [korean, chinese] : [korean];
  return han && chinese ? [chinese] : [];
}

/** Large families are read in one weight. */
function filesFor(family: BundledFamily, weights: readonly number[]): BundledFamily["files"] {
  const wanted = eastAsianFamilies.includes(family) ? weights.slice(0, 2) : weights;
  return [...new Set(wanted.map((weight) => nearest(family, weight)))];
}

function nearest({ files }: BundledFamily, weight: number): BundledFamily["files"][number] {
  const distance = (file: { weight: number }) => Math.abs(file.weight - weight);
  return files.reduce((best, next) => (distance(next) < distance(best) ? next : best));
}

const bold = /^(?:h[1-6]|b|strong|th)$/;

/** The weights that a card may show, regular first. */
function weightsIn({ body, declarations }: Card): readonly number[] {
  const weights = new Set([400]);
  visit(body, ({ name }) => {
    if (bold.test(name)) weights.add(700);
  });
  for (const { property, value } of declarations) {
    if (property !== "font-weight" && !property.startsWith("--")) continue;
    const number = Number(value);
    if (number >= 1 && number <= 1000) weights.add(number);
    if (property === "font-weight" && /bold/i.test(value)) weights.add(700).add(900);
    if (property === "font-weight" && /lighter/i.test(value)) weights.add(100);
  }
  return [...weights];
}

/** All words that a card may show. */
function wordsIn({ body, declarations }: Card): string {
  const words: string[] = [];
  visit(body, ({ children }) => void words.push(...children.filter((child) => typeof child === "string")));
  return [...words, ...declarations.filter(({ property }) => property === "content").map(({ value }) => value)].join(
    " ",
  );
}

const files = new LRUCache<string, Promise<Uint8Array>>({ max: 40 });

function read(path: string): Promise<Uint8Array> {
  const found = files.get(path) ?? Bun.file(path).bytes();
  files.set(path, found);
  return found;
}

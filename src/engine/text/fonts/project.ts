import { readFile, stat } from "node:fs/promises";
import { type FontKey, GlobalFonts } from "@napi-rs/canvas";
import { LRUCache } from "lru-cache";
import { unusableFont } from "../../sandbox/failures.ts";
import type { Source } from "../../timeline/source.ts";
import { registerFont } from "./probe.ts";

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
export async function loadProjectFont(font: Source, localPathOf: (source: Source) => Promise<string>): Promise<string> {
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

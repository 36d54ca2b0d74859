import { readFile, stat } from "node:fs/promises";
import { type FontKey, GlobalFonts } from "@napi-rs/canvas";
import { DomainError } from "../../../errors.ts";
import type { Source } from "../../../timeline/source.ts";
import { loadFont } from "./probe.ts";

type LoadedFont = { readonly name: string; readonly key: FontKey };

const maxFontBytes = 64 * 1024 * 1024;
const maxLoadedFonts = 100;

/** The project fonts in use, the latest used last. */
const loadedFonts = new Map<string, Promise<LoadedFont>>();

/** Whether glyphs really come from this font file. */
export async function usableFont(path: string): Promise<boolean> {
  if ((await stat(path)).size > maxFontBytes) return false;
  const key = loadFont(await readFile(path), `probe-${crypto.randomUUID()}`);
  if (key) GlobalFonts.remove(key);
  return key !== undefined;
}

/** Loads a project's font under its content's hash, once, and answers the name that the canvas knows it by. */
export async function projectFont(font: Source, openFile: (source: Source) => Promise<string>): Promise<string> {
  const loading = loadedFonts.get(font.hash) ?? loadFile(font, await openFile(font));
  loadedFonts.delete(font.hash);
  loadedFonts.set(font.hash, loading);
  loading.catch(() => loadedFonts.delete(font.hash));
  forgetOldest();
  return (await loading).name;
}

async function loadFile(font: Source, path: string): Promise<LoadedFont> {
  const name = `project-${font.hash}`;
  const key = loadFont(await readFile(path), name);
  if (!key) throw new DomainError("font_unusable", { path: "texts", what: "The font of a text" });
  return { name, key };
}

function forgetOldest(): void {
  const [oldest] = loadedFonts;
  if (!oldest || loadedFonts.size <= maxLoadedFonts) return;
  const [hash, loading] = oldest;
  loadedFonts.delete(hash);
  loading.then(
    ({ key }) => GlobalFonts.remove(key),
    () => undefined,
  );
}

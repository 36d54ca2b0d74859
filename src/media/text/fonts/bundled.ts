import { fileURLToPath } from "node:url";
import { GlobalFonts } from "@napi-rs/canvas";
import { type BundledFamily, fontFileUrl } from "./files.ts";

const loaded = new Set<string>();

/**
 * Loads the file of the nearest weight once, and answers the name that the canvas knows it by.
 * Each file has a name of its own, for the files' own weights mislead: Thin and ExtraLight both call themselves 250.
 */
export function bundledFont(family: BundledFamily, weight: number): string {
  const distance = (file: { weight: number }) => Math.abs(file.weight - weight);
  const file = family.files.reduce((best, next) => (distance(next) < distance(best) ? next : best));
  const alias = `bundled-${family.name}-${file.weight}`;
  if (!loaded.has(alias)) {
    GlobalFonts.registerFromPath(fileURLToPath(fontFileUrl(file.module)), alias);
    loaded.add(alias);
  }
  return alias;
}

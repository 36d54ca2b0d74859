import { homedir } from "node:os";
import { version as canvasVersion } from "@napi-rs/canvas/package.json";
import { once } from "../../../platform/async.ts";
import { sha256Of } from "../../../platform/values.ts";
import { bundledFamilies, fontFileUrl } from "./files.ts";
import { systemFamilies } from "./fonts.ts";

/**
 * Identifies everything that determines the pixels of a text besides its own description: the canvas library, the
 * bundled fonts and the system fonts. Project fonts are a part of the description.
 */
export const textEngineFingerprint = once(() =>
  sha256Of(JSON.stringify([canvasVersion, bundledFiles(), systemFamilyNames(), systemFiles()])),
);

/** Uses sizes instead of contents: the bundled fonts alone have 190 MB to hash. */
const bundledFiles = () =>
  bundledFamilies.flatMap(({ files }) => files.map(({ module }) => [module, Bun.file(fontFileUrl(module)).size]));

const systemFamilyNames = () => systemFamilies.map(({ family }) => family).sort();

const systemFontFolders = [
  ...["/usr/share/fonts", "/usr/local/share/fonts", `${homedir()}/.fonts`, `${homedir()}/.local/share/fonts`],
  ...["/System/Library/Fonts", "/Library/Fonts", `${homedir()}/Library/Fonts`],
];

const systemFiles = () => systemFontFolders.flatMap(filesIn).map((path) => [path, Bun.file(path).size]);

function filesIn(folder: string): readonly string[] {
  try {
    return [...new Bun.Glob("**/*").scanSync({ cwd: folder, absolute: true, followSymlinks: true })].sort();
  } catch {
    // most machines have only some of these folders
    return [];
  }
}

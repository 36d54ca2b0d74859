import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundledFamilies, fontFileUrl } from "../../src/engine/text/fonts/files.ts";

/**
 * Removes what a production install holds and the service never reads: fonts that are in no family of
 * src/engine/text/fonts/files.ts, sources, types, maps, pages and pictures for people, builds for `require` of packages
 * that are imported, and the bundled ffmpeg unless the argument is `bundled`. Licences stay.
 */
const [, , ffmpeg = ""] = process.argv;
if (!["bundled", "debian", "package"].includes(ffmpeg)) throw new Error("Usage: prune.ts bundled|debian|package");
const modules = join(import.meta.dir, "../../node_modules");
const usedFonts = new Set(
  bundledFamilies.flatMap(({ files }) => files.map(({ module }) => fileURLToPath(fontFileUrl(module)))),
);

const isFont = (path: string) => /\.(ttf|otf|woff2?)$/.test(path);
const isForPeople = (path: string) => /\.(map|[mc]?ts|mdx?|markdown|flow|tsbuildinfo|png)$/i.test(path);

const importedOnly = ["@electric-sql/pglite", "@opentelemetry/semantic-conventions", "drizzle-orm", "zod"];
const isForRequire = (path: string) =>
  path.endsWith(".cjs") && importedOnly.some((name) => path.startsWith(join(modules, name, "/")));

/** Each is never loaded: other builds of a package, its sources, and parts that the service does not use. */
const unusedPaths = [
  ...["swagger-ui-dist/swagger-ui-es-bundle.js", "swagger-ui-dist/swagger-ui-es-bundle-core.js"],
  ...["swagger-ui-dist/swagger-ui.js", "swagger-ui-dist/index.html"],
  ...["mediabunny/dist/bundles", "mediabunny/src", "zod/src", "bintrees/test"],
  "@electric-sql/pglite/dist/contrib",
  ...(ffmpeg === "bundled" ? [] : ["@ffmpeg-installer"]),
];

const isUnused = (path: string) =>
  isFont(path)
    ? !usedFonts.has(path)
    : (isForPeople(path) || isForRequire(path)) &&
      !/licen[cs]e|notice|copying/i.test(path.slice(path.lastIndexOf("/") + 1));

for (const path of unusedPaths) await rm(join(modules, path), { recursive: true, force: true });
const entries = await readdir(modules, { recursive: true, withFileTypes: true });
const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
let removedBytes = 0;
for (const path of files.filter(isUnused)) {
  removedBytes += (await stat(path)).size;
  await rm(path);
}

// fails the build instead of a film
for (const path of usedFonts) await stat(path);
process.stdout.write(`Removed ${Math.round(removedBytes / 1e6)} MB of fonts, types, maps, pages and pictures.\n`);

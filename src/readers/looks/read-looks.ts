import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Layout, type Look, LookFile, type Looks, layouts, sameAs } from "../../domain/looks/looks.ts";

/** The folder of what all looks share. */
const shared = "shared";

/** Reads the looks in a folder. Throws if a file is missing or wrong. */
export function readLooks(folder: string): Looks {
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== shared)
    .map(({ name }) => name)
    .sort();
  return new Map(names.map((name) => [name, readLook(folder, name)]));
}

/** Reads a look; the layouts that it lacks are those that all looks share. */
export function readLook(folder: string, name: string): Look {
  const read = (file: string) => readFileSync(join(folder, file), "utf8");
  const pages = (layout: Layout) =>
    [name, shared].flatMap((from) => [layout, sameAs[layout] ?? layout].map((page) => join(from, `${page}.html`)));
  // safe because each layout, or the one whose page it has, is shared
  const page = (layout: Layout) => pages(layout).find((file) => existsSync(join(folder, file)))!;
  const html = Object.fromEntries(layouts.map((layout) => [layout, read(page(layout))]));
  return {
    ...LookFile.parse(JSON.parse(read(join(name, "look.json")))),
    // safe because each layout is read
    ...{ name, html: html as Record<Layout, string>, previewPath: join(folder, name, "preview.webp") },
    css: `${read(join(shared, "look.css"))}\n${read(join(shared, "picture.css"))}\n${existsSync(join(folder, name, "look.css")) ? read(join(name, "look.css")) : ""}`,
  };
}

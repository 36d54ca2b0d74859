import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type Layout, type Look, LookFile, type Looks, layouts } from "../../domain/looks/looks.ts";

/** The folder of what all looks share. */
const shared = "shared";

/** Reads the looks in a folder. Throws if a file is missing or wrong. */
export async function readLooks(folder: string): Promise<Looks> {
  const names = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const looks = names
    .map(({ name }) => name)
    .filter((name) => name !== shared)
    .sort();
  const read = await Promise.all(looks.map((name) => readLook(join(folder, name), join(folder, shared))));
  return new Map(looks.map((name, at) => [name, { ...read[at]!, name }]));
}

/** Reads the look in a folder; what it lacks is in the folder of what all looks share. */
export async function readLook(folder: string, sharedFolder: string): Promise<Omit<Look, "name">> {
  const ownOrShared = async (file: string) =>
    (await readOptional(join(folder, file))) ?? (await Bun.file(join(sharedFolder, file)).text());
  const [file, sharedCss, css = "", html] = await Promise.all([
    Bun.file(join(folder, "look.json")).json(),
    Bun.file(join(sharedFolder, "look.css")).text(),
    readOptional(join(folder, "look.css")),
    Promise.all(layouts.map(async (layout) => [layout, await ownOrShared(`${layout}.html`)] as const)),
  ]);
  // safe because each layout is read
  return { ...LookFile.parse(file), css: `${sharedCss}\n${css}`, html: Object.fromEntries(html) as Record<Layout, string> };
}

async function readOptional(path: string): Promise<string | undefined> {
  const file = Bun.file(path);
  return (await file.exists()) ? await file.text() : undefined;
}

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type InstalledLooks, type Look, type LookFiles, lookOf } from "../../domain/looks/looks.ts";

/** The folder of what all looks share. */
const shared = "shared";

/** Reads the looks in a folder. Throws if a file is missing or wrong. */
export function readLooks(folder: string): InstalledLooks {
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== shared)
    .map(({ name }) => name)
    .sort();
  return {
    looks: new Map(names.map((name) => [name, readLook(folder, name)])),
    shared: textsIn(join(folder, shared)),
  };
}

/** Reads a look; the layouts that it lacks are those that all looks share. */
export function readLook(folder: string, name: string): Look {
  const look = lookOf(name, textsIn(join(folder, name)), textsIn(join(folder, shared)));
  return { ...look, previewPath: join(folder, name, "preview.webp") };
}

const textFile = /\.(?:html|css|json)$/;

function textsIn(folder: string): LookFiles {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => textFile.test(name)) : [];
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

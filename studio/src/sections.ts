// biome-ignore assist/source/organizeImports: gzip looks back 32 KB: with similar screens in this order, it saves 240 bytes
import type { ComponentType } from "preact";
import { BrandScreen } from "./screens/brand.tsx";
import { UsageScreen } from "./screens/usage.tsx";
import { AssetsScreen } from "./screens/assets.tsx";
import { TemplatesScreen } from "./screens/templates.tsx";
import { ExportsScreen } from "./screens/exports.tsx";
import { KeysScreen } from "./screens/keys.tsx";
import { FilmsScreen } from "./screens/films.tsx";
import { ProjectsScreen } from "./screens/projects.tsx";
import { TablesScreen } from "./tables/tables.tsx";
import type { Word } from "./words.ts";

type Section<Props> = { readonly path: string; readonly word: Word; readonly Screen: ComponentType<Props> };

/** The sections of a project in the order of their links. The paths of screens inside a section begin with its path. */
export const projectSections: readonly Section<{ readonly projectId: string }>[] = [
  { path: "", word: "films", Screen: FilmsScreen },
  { path: "tables", word: "tables", Screen: TablesScreen },
  { path: "assets", word: "assets", Screen: AssetsScreen },
  { path: "brand", word: "brand", Screen: BrandScreen },
  { path: "templates", word: "templates", Screen: TemplatesScreen },
  { path: "exports", word: "exports", Screen: ExportsScreen },
];

/** The sections of the account. */
export const accountSections: readonly Section<object>[] = [
  { path: "projects", word: "projects", Screen: ProjectsScreen },
  { path: "usage", word: "usage", Screen: UsageScreen },
  { path: "keys", word: "keys", Screen: KeysScreen },
];

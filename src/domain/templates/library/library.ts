import type { TemplateDrawer } from "../../../engine/ports.ts";
import type { Canvas } from "../../../engine/timeline/timeline.ts";
import type { TaskOptions } from "../../../platform/limits/concurrency-limit.ts";
import type { Palette } from "../../brand/brand.ts";
import { requireFound } from "../../shared/versioned.ts";
import { pictureOf } from "../pictures/picture.ts";
import type { TemplateContent } from "../templates.ts";
import { contentOf, type Design } from "./design.ts";
import { designs } from "./designs.ts";

const libraryFrames = {
  "9:16": { width: 1080, height: 1920 },
  "1:1": { width: 1080, height: 1080 },
  "16:9": { width: 1920, height: 1080 },
} as const satisfies Record<string, Canvas>;
export type LibraryAspect = keyof typeof libraryFrames;
// safe because the table is a constant with exactly these keys
export const libraryAspects = Object.keys(libraryFrames) as LibraryAspect[];

/** A built-in template in a caller's view. */
type LibraryTemplate = Pick<Design, "id" | "name" | "description" | "tags" | "placeholders" | "slots"> & {
  readonly previews: { readonly [Aspect in LibraryAspect]: string };
};

type PreviewUrl = (id: string, aspect: LibraryAspect) => string;

export const libraryTemplates = (urlOf: PreviewUrl): readonly LibraryTemplate[] =>
  designs.map((design) => viewOf(design, urlOf));

/** Throws not_found for an unknown name. */
export function requireLibraryTemplate(
  id: string,
  urlOf: PreviewUrl,
): LibraryTemplate & { readonly content: TemplateContent } {
  const design = requireDesign(id);
  return { ...viewOf(design, urlOf), content: contentOf(design, { palette: {}, assets: {} }) };
}

const requireDesign = (id: string): Design => requireFound(designs.find((design) => design.id === id));

function viewOf({ id, name, description, tags, placeholders, slots }: Design, urlOf: PreviewUrl): LibraryTemplate {
  // safe because it has an entry for each aspect
  const previews = Object.fromEntries(
    libraryAspects.map((aspect) => [aspect, urlOf(id, aspect)]),
  ) as LibraryTemplate["previews"];
  return { id, name, description, tags, placeholders, slots, previews };
}

/** The scope of its pictures, which belong to no project. */
const scope = "library";

/** The template with its example values; its slots are empty boxes. Throws not_found. */
export function drawLibraryTemplate(
  { templateDrawer }: { readonly templateDrawer: TemplateDrawer },
  { id, aspect, palette = {} }: { readonly id: string; readonly aspect: LibraryAspect; readonly palette?: Palette },
  options: TaskOptions,
) {
  const design = requireDesign(id);
  const assets = Object.fromEntries(design.slots.map(({ name }) => [name, name]));
  const content = contentOf(design, { palette, assets });
  const values = Object.fromEntries(design.placeholders.map(({ key, example }) => [key, example]));
  const picture = pictureOf({ id, content }, values, [], libraryFrames[aspect]);
  return templateDrawer.draw(picture, { ...options, scope });
}

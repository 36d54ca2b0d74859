import type { TemplateDrawer } from "../../../engine/ports.ts";
import type { Canvas } from "../../../engine/timeline/timeline.ts";
import type { TaskOptions } from "../../../platform/limits/concurrency-limit.ts";
import type { Palette } from "../../brand/brand.ts";
import { requireFound } from "../../shared/versioned.ts";
import { movingPictureOf, pictureOf } from "../pictures/picture.ts";
import type { TemplateContent } from "../templates.ts";
import { contentOf, type Design, type Designs } from "./design.ts";

const libraryFrames = {
  "9:16": { width: 1080, height: 1920 },
  "1:1": { width: 1080, height: 1080 },
  "16:9": { width: 1920, height: 1080 },
} as const satisfies Record<string, Canvas>;
export type LibraryAspect = keyof typeof libraryFrames;
// safe because the table is a constant with exactly these keys
export const libraryAspects = Object.keys(libraryFrames) as LibraryAspect[];

type UrlByAspect = { readonly [Aspect in LibraryAspect]: string };

/** A built-in template in a caller's view. */
type LibraryTemplate = Pick<Design, "id" | "name" | "description" | "kind" | "tags" | "placeholders" | "slots"> & {
  readonly previews: UrlByAspect;
  readonly animations: UrlByAspect;
};

/** `thumbnail` is a still picture, `preview` a moving one. */
export type LibraryPicture = "thumbnail" | "preview";

type PictureUrl = (id: string, picture: LibraryPicture, aspect: LibraryAspect) => string;

export const libraryTemplates = (designs: Designs, urlOf: PictureUrl): readonly LibraryTemplate[] =>
  [...designs.values()].map((design) => viewOf(design, urlOf));

/** Throws not_found for an unknown name. */
export function requireLibraryTemplate(
  designs: Designs,
  id: string,
  urlOf: PictureUrl,
): LibraryTemplate & { readonly content: TemplateContent } {
  const design = requireFound(designs.get(id));
  return { ...viewOf(design, urlOf), content: contentOf(design, { palette: {}, assets: {} }) };
}

function viewOf(design: Design, urlOf: PictureUrl): LibraryTemplate {
  const { id, name, description, kind, tags, placeholders, slots } = design;
  // safe because it has an entry for each aspect
  const urls = (picture: LibraryPicture) =>
    Object.fromEntries(libraryAspects.map((aspect) => [aspect, urlOf(id, picture, aspect)])) as UrlByAspect;
  const pictures = { previews: urls("thumbnail"), animations: urls("preview") };
  return { id, name, description, kind, tags, placeholders, slots, ...pictures };
}

/** The scope of its pictures, which belong to no project. */
const scope = "library";

type LibraryPorts = { readonly templateDrawer: TemplateDrawer; readonly templateDesigns: Designs };

type Wanted = {
  readonly id: string;
  readonly picture: LibraryPicture;
  readonly aspect: LibraryAspect;
  readonly palette?: Palette;
};

/** The template with its example values; its slots are empty boxes. Throws not_found. */
export function drawLibraryTemplate(
  { templateDrawer, templateDesigns }: LibraryPorts,
  { id, picture, aspect, palette = {} }: Wanted,
  options: TaskOptions,
) {
  const design = requireFound(templateDesigns.get(id));
  const ofBlocks = design.blocks ? design.slots.map(({ name }) => [name, name]) : [];
  const content = contentOf(design, { palette, assets: Object.fromEntries(ofBlocks), showsSlots: true });
  const values = Object.fromEntries(design.placeholders.map(({ key, example }) => [key, example]));
  const drawn = picture === "preview" ? movingPictureOf : pictureOf;
  return templateDrawer.draw(drawn({ id, content }, values, [], libraryFrames[aspect]), { ...options, scope });
}

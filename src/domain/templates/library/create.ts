import { invalid } from "../../../errors.ts";
import type { AssetStore } from "../../assets/assets.ts";
import { type Palette, paletteOf } from "../../brand/brand.ts";
import type { Project } from "../../projects/projects.ts";
import { isId } from "../../shared/ids.ts";
import { createTemplate, type Template, type TemplateStore } from "../templates.ts";
import { contentOf, type Design, type Designs } from "./design.ts";

/** A request to copy a template of the library into a project. */
type LibraryOrder = {
  readonly fromLibrary: string;
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
  readonly tags?: readonly string[] | null | undefined;
  readonly palette?: Palette | undefined;
  readonly assets?: { readonly [slot: string]: string } | undefined;
  readonly direction?: "ltr" | "rtl" | undefined;
};

type Ports = {
  readonly templates: TemplateStore;
  readonly assets: Pick<AssetStore, "findMany">;
  readonly templateDesigns: Designs;
};

/** Copies a library template, by default with the project's palette. Throws validation_error for unknown names and images. */
export async function createFromLibrary(
  { templates, assets, templateDesigns }: Ports,
  { id: projectId, styleGuide }: Pick<Project, "id" | "styleGuide">,
  { fromLibrary, palette = paletteOf(styleGuide) ?? {}, assets: images = {}, direction, ...fields }: LibraryOrder,
): Promise<Template> {
  const design = requireLibraryDesign(templateDesigns, fromLibrary, "fromLibrary");
  await requireImages(assets, projectId, design, images);
  const { name = design.name, description = design.description, tags = design.tags } = fields;
  const content = contentOf(design, { palette, assets: images, direction });
  return await createTemplate(templates, projectId, { name, description, tags, content });
}

/** Throws validation_error at `path` for an unknown name. */
export function requireLibraryDesign(designs: Designs, name: string, path: string): Design {
  const design = designs.get(name);
  if (!design) throw invalid(path, `Must be one of: ${[...designs.keys()].join(", ")}.`);
  return design;
}

async function requireImages(
  assets: Ports["assets"],
  projectId: string,
  { slots }: Design,
  images: NonNullable<LibraryOrder["assets"]>,
): Promise<void> {
  const ids = Object.values(images).filter((id) => isId("asset", id));
  const found = ids.length > 0 ? await assets.findMany(projectId, ids) : [];
  for (const [slot, assetId] of Object.entries(images)) {
    if (!slots.some(({ name }) => name === slot)) throw invalid(`assets.${slot}`, slotsInWords(slots));
    if (!found.some(({ id, type }) => id === assetId && type === "image")) {
      throw invalid(`assets.${slot}`, "Must be the id of an image of this project.");
    }
  }
}

const slotsInWords = (slots: Design["slots"]): string =>
  slots.length === 0
    ? "Must be left out: the template has no slots for images."
    : `Must be left out: the template has only ${slots.map(({ name }) => name).join(" and ")}.`;

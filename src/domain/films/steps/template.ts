import { invalid, isUnavailable } from "../../../errors.ts";
import { sum } from "../../../platform/values.ts";
import { type Palette, paletteOf } from "../../brand/brand.ts";
import type { Warning } from "../../exports/request/warnings.ts";
import type { Project } from "../../projects/projects.ts";
import { requireLibraryDesign } from "../../templates/library/create.ts";
import { contentOf, type Designs } from "../../templates/library/design.ts";
import { isPlain, placeholderFields } from "../../templates/placeholders.ts";
import {
  type OverlayTiming,
  requireTemplate,
  type TemplateContent,
  type TemplateStore,
} from "../../templates/templates.ts";
import type { Work } from "../../works/works.ts";
import type { FilmTemplate } from "../film.ts";
import { filmPalette } from "../look/palette.ts";

type TemplatePorts = { readonly templates: TemplateStore; readonly templateDesigns: Designs };

/** The parts of a film for which a template has words. */
export function partsOf({ textOverlays, layers = [] }: TemplateContent) {
  const isShort = (from: unknown, to: unknown) => Number(to ?? Number.POSITIVE_INFINITY) - Number(from ?? 0) < 5;
  return {
    opening:
      textOverlays.some(({ startSeconds, endSeconds }) => isShort(startSeconds, endSeconds)) ||
      layers.some(({ position, end }) => isShort(position, end)),
    end: [...textOverlays, ...layers].some(({ startPercent }) => Number(startPercent ?? 0) >= 50),
  };
}

/** A layer has no mode. */
type Timed = Partial<Pick<OverlayTiming, "timingMode" | "startPercent">>;

/**
 * Moves the template's end to the start of the last scene, whose words it replaces: every second of the film has words,
 * and none has those of two scenes. An end whose texts start one after another is moved only to an earlier time.
 */
export function fromLastScene(content: TemplateContent, { scenes }: Pick<Work, "scenes">): TemplateContent {
  const seconds = sum(scenes.map(({ duration_seconds }) => duration_seconds));
  const before = seconds - (scenes.at(-1)?.duration_seconds ?? 0);
  const isOfEnd = ({ timingMode = "relative", startPercent = 0 }: Timed) =>
    timingMode === "relative" && startPercent >= 50;
  const timed: readonly Timed[] = [...content.textOverlays, ...(content.layers ?? [])];
  const starts = timed.filter(isOfEnd).map(({ startPercent = 0 }) => startPercent);
  const earlier = Math.min(...starts) - (100 * before) / seconds;
  const startsAtOnce = new Set(starts).size === 1;
  if (before === 0 || starts.length === 0 || (earlier < 0 && !startsAtOnce)) return content;
  const moved = <Overlay extends Timed>(overlay: Overlay): Overlay =>
    isOfEnd(overlay) ? { ...overlay, startPercent: (overlay.startPercent ?? 0) - earlier } : overlay;
  const { textOverlays, imageOverlays, layers } = content;
  return {
    ...{ ...content, textOverlays: textOverlays.map(moved), imageOverlays: imageOverlays.map(moved) },
    ...(layers && { layers: layers.map(moved) }),
  };
}

/** Removes texts that have a placeholder without a value. Throws validation_error. */
export async function filmTemplate(
  ports: TemplatePorts,
  project: Project,
  template: FilmTemplate,
  language: string | undefined,
) {
  const { id, projectId, content } = await findTemplate(ports, project, template, language);
  const missingIn = (value: unknown): readonly string[] =>
    placeholderFields({ value }).flatMap(({ keys }) =>
      keys.filter((key) => !Object.hasOwn(template.values, key) || !isPlain(template.values[key]!)),
    );
  const wordsOf = ({ text, spans, keyframes }: (typeof content.textOverlays)[number]) => ({ text, spans, keyframes });
  const textOverlays = content.textOverlays.filter((text) => missingIn(wordsOf(text)).length === 0);
  const layers = content.layers?.filter((layer) => missingIn(layer).length === 0);
  const missing = new Set([
    ...content.textOverlays.flatMap((text) => missingIn(wordsOf(text))),
    ...(content.layers ?? []).flatMap(missingIn),
  ]);
  return {
    ...{ id, projectId, missing: [...missing] },
    content: { ...content, textOverlays, ...(layers && { layers }) },
  };
}

export const placeholderWarnings = (
  { missing }: { readonly missing: readonly string[] },
  path = "template.values",
  left = "the template's texts with it are",
): readonly Warning[] =>
  missing.map((key) => ({
    ...{ path, code: "placeholder_missing" as const },
    message: `Has no value for {{${key}}}: ${left} left out.`,
  }));

async function findTemplate(
  { templates, templateDesigns }: TemplatePorts,
  { id: projectId, styleGuide }: Project,
  template: FilmTemplate,
  language: string | undefined,
): Promise<{ readonly id: string; readonly projectId: string; readonly content: TemplateContent }> {
  if (template.library === undefined) {
    return await requireTemplate(templates, projectId, template.templateId).catch((error) => {
      if (isUnavailable(error)) throw error;
      throw invalid("template.templateId", "Must be a template of the project.");
    });
  }
  const design = requireLibraryDesign(templateDesigns, template.library, "template.library");
  const direction = /^(?:ar|he|fa|ur)\b/i.test(language ?? "") ? ("rtl" as const) : ("ltr" as const);
  const content = contentOf(design, { palette: designPalette(styleGuide), assets: {}, direction });
  return { id: `library-${design.id}`, projectId, content };
}

/** The brand's colors, otherwise those that the film makes from the style guide's. */
function designPalette(styleGuide: Project["styleGuide"]): Palette {
  const ofBrand = paletteOf(styleGuide);
  if (ofBrand || !styleGuide?.color_palette?.length) return ofBrand ?? {};
  const { lead, accent, dark, light } = filmPalette(styleGuide, "");
  return { primary: lead, secondary: light, accent, background: dark };
}

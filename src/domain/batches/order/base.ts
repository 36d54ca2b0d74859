import { applyBrand } from "../../brand/branding.ts";
import type { BrandPorts } from "../../brand/resolve.ts";
import { withSettledRules } from "../../exports/lifecycle/request.ts";
import { type CompleteRequest, fillFromEditor } from "../../exports/request/fill-from-editor.ts";
import type { ExportRequest } from "../../exports/request/schema.ts";
import { canvasOf } from "../../exports/request/targets.ts";
import { withTextLanguages } from "../../exports/request/text-languages.ts";
import { isId } from "../../shared/ids.ts";
import { requireFound } from "../../shared/versioned.ts";
import type { PlaceholderValues } from "../../templates/placeholders.ts";
import { requireTemplate, type TemplateStore } from "../../templates/templates.ts";
import { withTemplate } from "../../templates/use.ts";
import type { WorkMediaStore } from "../../works/media.ts";
import type { Work, WorkStore } from "../../works/works.ts";
import type { BatchBase } from "../batch.ts";

type TextByLanguage = string | { readonly [language: string]: string };

type WorkBase = BatchBase & { readonly request: CompleteRequest };

/** The request that each row changes; its texts have placeholders. */
export type BaseOrder = {
  readonly workId: string;
  /** Changes to the work's saved editor. */
  readonly export?: Omit<ExportRequest, "projectId" | "workId"> | undefined;
  readonly templateId?: string | undefined;
  readonly values?: { readonly [key: string]: TextByLanguage } | undefined;
};

export type BasePorts = BrandPorts & {
  readonly works: Pick<WorkStore, "find">;
  readonly workMedia: Pick<WorkMediaStore, "list">;
  readonly templates: TemplateStore;
};

export type BaseOwner = { readonly userId: string; readonly projectId: string };

/**
 * The requests of all rows, from the current work, template and brand: one for each language if texts of the order
 * differ by language. Throws not_found without the work or the template, and the errors of an incomplete saved editor.
 */
export async function makeBases(
  ports: BasePorts,
  owner: BaseOwner,
  { workId, templateId, values = {}, export: wanted = {} }: BaseOrder,
  languages: readonly string[],
): Promise<{ readonly work: Work; readonly bases: readonly WorkBase[] }> {
  const { projectId } = owner;
  const work = requireFound(isId("work", workId) ? await ports.works.find(projectId, workId) : undefined);
  const baseOf = async (from: Work, language: string, texts: PlaceholderValues = {}): Promise<WorkBase> => {
    const filled = await fillFromEditor(ports, { ...wanted, projectId, workId }, withoutValues(from));
    const request = await completed(ports, owner, filled, work);
    return { language, request, ...(Object.keys(texts).length > 0 && { texts }) };
  };
  if (templateId === undefined) return { work, bases: [await baseOf(work, "")] };

  const template = await requireTemplate(ports.templates, projectId, templateId);
  const media = await ports.workMedia.list(work.id);
  const differs = Object.values(values).some((value) => typeof value !== "string");
  const bases = (differs ? languages : [""]).map((language) => {
    const known = valuesIn(values, language);
    const editorState = withTemplate(work, media, template, known);
    return baseOf({ ...work, editorState }, language, language === "" ? {} : otherTexts(values, known));
  });
  return { work, bases: await Promise.all(bases) };
}

/** Rows fill the placeholders, not the values that the work keeps for them. */
function withoutValues(work: Work): Work {
  if (!work.editorState || !("placeholderValues" in work.editorState)) return work;
  const { placeholderValues: _, ...editorState } = work.editorState;
  return { ...work, editorState };
}

/** Keys without a text in the language stay placeholders, which columns can fill. */
const valuesIn = (values: NonNullable<BaseOrder["values"]>, language: string) =>
  Object.fromEntries(
    Object.entries(values).flatMap(([key, value]): [string, string][] => {
      const text = typeof value === "string" ? value : textIn(value, language);
      return text === undefined ? [] : [[key, text]];
    }),
  );

/** For keys without a text in this language, the first text that exists. */
const otherTexts = (values: NonNullable<BaseOrder["values"]>, known: PlaceholderValues): PlaceholderValues =>
  Object.fromEntries(
    Object.entries(values).flatMap(([key, value]): [string, string][] => {
      const [first] = typeof value === "string" ? [] : Object.values(value);
      return first === undefined || Object.hasOwn(known, key) ? [] : [[key, first]];
    }),
  );

function textIn(texts: { readonly [language: string]: string }, language: string): string | undefined {
  const [primary = language] = language.split("-");
  return [language, primary].flatMap((name) => (Object.hasOwn(texts, name) ? [texts[name]!] : []))[0];
}

/** Includes the work's frame and the brand's overlays, so that later changes have no effect. */
async function completed(
  ports: BasePorts,
  owner: BaseOwner,
  filled: CompleteRequest,
  work: Work,
): Promise<CompleteRequest> {
  const canvas = canvasOf(filled, work);
  const sized = { ...filled, options: { ...filled.options, ...canvas } };
  const { request, use } = await applyBrand(ports, { ...owner, canvas }, sized);
  return withSettledRules(withTextLanguages(request, work), use);
}

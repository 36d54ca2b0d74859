import { DomainError } from "../../../errors.ts";
import { sha256Of } from "../../../platform/values.ts";
import { loadBrand } from "../../brand/resolve.ts";
import { isPictureUrl } from "../../exports/request/fill-from-editor.ts";
import { ErrorCollector } from "../../exports/request/validation/error-collector.ts";
import { filmEstimate } from "../../films/estimate.ts";
import { defaultFilmSeconds, type FilmOrder } from "../../films/film.ts";
import { type FilmRequest, requireInputs } from "../../films/order/order.ts";
import { findInternalUrl } from "../../media-sources/internal-files.ts";
import { type Project, withoutBrand } from "../../projects/projects.ts";
import { canonicalJson } from "../../shared/json.ts";
import { fillAll } from "../../templates/placeholders.ts";
import { requireTemplate } from "../../templates/templates.ts";
import { defaultFps } from "../../works/editor-state.ts";
import type { Batch, FilmBase } from "../batch.ts";
import type { FilledRow, ValidatedValues, Validation, ValidationPorts } from "./context.ts";
import { pictureOf } from "./pictures.ts";

type RowOrder = { readonly request: FilmRequest; readonly order: FilmOrder };

type Row = Pick<FilledRow, "language" | "values">;

/** Throws validation_error. URLs of pictures have been replaced by those of assets. */
export function orderOfRow(
  { readFilmOrder }: Pick<ValidationPorts, "readFilmOrder">,
  { projectId, order: { models = {}, targets } }: Pick<Batch, "projectId" | "order">,
  base: FilmBase["film"],
  { language, values }: Row,
): RowOrder {
  const { models: _, ...filled } = fillAll(base, values);
  const brief = (filled.brief ?? {}) as { readonly assetIds?: unknown };
  const assetIds = Array.isArray(brief.assetIds) && { assetIds: brief.assetIds.map((id) => assetIn(values, id)) };
  const own = { brief: { ...brief, ...assetIds }, targets, ...(language !== "" && { language }) };
  const request = readFilmOrder({ ...filled, ...own }, projectId);
  const { models: __, name: ___, maxSpend: ____, webhook: _____, destinations: ______, ...order } = request;
  const lookSeed = seedOf(base);
  return { request, order: { ...order, models, ...(lookSeed && { lookSeed }) } };
}

/** The common source of all films of a table, before its texts are filled in. */
const seedOf = ({ brief, name }: FilmBase["film"]): string | undefined => {
  const { text } = (brief ?? {}) as { readonly text?: unknown };
  return [text, name].find((each): each is string => typeof each === "string" && each.trim() !== "");
};

const assetIn = (values: Row["values"], id: unknown): unknown =>
  typeof id === "string" && isPictureUrl(id.trim()) && Object.hasOwn(values, id.trim()) ? values[id.trim()] : id;

/** Validates the order of a row, and the resources it names. Orders and pays nothing. */
export async function validateFilmOfRow(
  context: Validation,
  base: FilmBase["film"],
  { language, values: cells }: FilledRow,
): Promise<ValidatedValues> {
  const { ports, project, order: batchOrder } = context;
  const errors = new ErrorCollector();
  const { values, later } = await picturesOf(context, base, cells, errors);
  if (!errors.isEmpty) return { values, errors: errors.list };
  const batch = { projectId: project.id, order: batchOrder };
  const read = await errors.capture(() => orderOfRow(ports, batch, base, { language, values }));
  if (!read) return { values, errors: errors.list };
  const { order } = read;
  const brief = { ...order.brief, assetIds: order.brief.assetIds?.filter((id) => !later.has(id)) ?? [] };
  await errors.capture(() => requireInputs(ports, context, { ...order, brief }));
  const { templateId } = order.template ?? {};
  if (templateId !== undefined) {
    await errors.capture(() => requireTemplate(ports.templates, project.id, templateId), "template.templateId");
  }
  if (!errors.isEmpty) return { values, errors: errors.list };
  // a model may have ended since the order
  const content = await errors.capture(() => contentHash(context, read.request, order), "models");
  if (content === undefined) return { values, errors: errors.list };
  const identities = batchOrder.targets.map((target) => sha256Of(`film\n${target}\n${content}`));
  const frames = Math.round((order.seconds ?? defaultFilmSeconds) * defaultFps);
  const ordered = { order: { ...order, brief }, name: read.request.name };
  return { values, errors: [], film: { identities, frames, costs: filmEstimate(ports, order, []), ordered } };
}

/** Replaces each URL of a picture of the brief by its asset. */
async function picturesOf(
  { pictures }: Validation,
  base: FilmBase["film"],
  cells: Row["values"],
  errors: ErrorCollector,
) {
  const { brief } = fillAll(base, cells) as { readonly brief?: { readonly assetIds?: unknown } };
  const ids = Array.isArray(brief?.assetIds) ? brief.assetIds : [];
  const later = new Set<string>();
  const values: Record<string, string> = { ...cells };
  for (const [at, id] of ids.entries()) {
    if (typeof id !== "string" || !isPictureUrl(id.trim())) continue;
    const assetId = await pictureOf(pictures, id.trim(), `brief.assetIds.${at}`, errors);
    if (assetId !== undefined) values[id.trim()] = assetId;
    else later.add(id);
  }
  return { values, later };
}

const assetIds = /asset_[0-9a-f]{32}/g;

/** Hashes the order, the content of its page, and the project's prompts and brand. Files count by their contents. */
async function contentHash(context: Validation, { name }: FilmRequest, order: FilmOrder): Promise<string> {
  const { ports, caller, project, pages } = context;
  const { template, models, audioUrl, stopAt: _, allowUnpriced: __, onUnknown: ___, fresh: ____, ...more } = order;
  // films of a table keep their identity if only its texts differ
  const { lookSeed: _____, ...rest } = more;
  const { url } = order.brief;
  const templateId = template?.templateId;
  const used = templateId === undefined ? undefined : await ports.templates.find(project.id, templateId);
  const { logo, intro, endCard, ...brand } = await loadBrand(ports, caller.user.id, project.id);
  const sound = audioUrl === undefined ? undefined : await findInternalUrl(ports, caller, audioUrl);
  if (sound && !sound.file) throw new DomainError("asset_missing", { path: "music", what: "The music" });
  const content = canonicalJson({
    ...{ ...rest, name, music: sound?.file?.sha256 ?? audioUrl },
    // unread pages may have changed
    ...(url !== undefined && { page: (await pages?.(url)) ?? crypto.randomUUID() }),
    ...(template && { template: { ...template, ...(used && { templateId: undefined, content: used.content }) } }),
    models: Object.entries(models).map(([category, choice]) => [
      category,
      ports.models.select(category as never, choice).id,
    ]),
    prompts: promptsOf(project),
    brand: { ...brand, logo: logo && { ...logo, asset: undefined }, cards: [intro?.content, endCard?.content] },
  });
  const ids = [...new Set(content.match(assetIds))];
  const files = new Map((await ports.assets.findMany(project.id, ids)).map(({ id, file }) => [id, file.sha256]));
  return sha256Of(content.replace(assetIds, (id) => files.get(id) ?? id));
}

/** The fields that works and scenarios take from their project. */
const promptsOf = ({ systemPrompt, analyzerPrompt, imageSystemPrompt, videoSystemPrompt, ...project }: Project) => ({
  ...{ systemPrompt, analyzerPrompt, imageSystemPrompt, videoSystemPrompt },
  ...{ knowledge: project.knowledge, projectType: project.projectType },
  styleGuide: project.styleGuide && withoutBrand(project.styleGuide),
});

import type { Asset, AssetStore, AssetType } from "../assets/assets.ts";
import { assetIdsIn } from "../exports/request/layers/asset-ids.ts";
import type { ProjectStore } from "../projects/projects.ts";
import { isId } from "../shared/ids.ts";
import { pendingIn as pendingLayers } from "../templates/layers.ts";
import { fillPlaceholders } from "../templates/placeholders.ts";
import type { Template, TemplateContent, TemplateStore, TemplateTextOverlay } from "../templates/templates.ts";
import { assetIdsOf } from "../templates/use.ts";
import { type Brand, brandOf } from "./brand.ts";

export type BrandPorts = {
  readonly projects: Pick<ProjectStore, "find">;
  readonly assets: Pick<AssetStore, "findMany">;
  readonly templates: Pick<TemplateStore, "find">;
};

/** The fields of a text that choose its font. */
export type FontChoice = { readonly fontAssetId: string } | { readonly fontFamily: string };

/** A part of a brand that cannot be shown, with the reason; `field` is in the brand. */
type MissingPart = { readonly field: string; readonly message: string };

/** A template of a brand without missing parts. */
export type BrandTemplate = Pick<Template, "id" | "content">;

/** A brand with the existing resources that its fields name. */
export type ResolvedBrand = Pick<Brand, "palette" | "captions" | "values"> & {
  readonly fonts: { readonly heading?: FontChoice | undefined; readonly body?: FontChoice | undefined };
  readonly logo?: (NonNullable<Brand["logo"]> & { readonly asset: Asset }) | undefined;
  readonly intro?: BrandTemplate | undefined;
  readonly endCard?: BrandTemplate | undefined;
  readonly missing: readonly MissingPart[];
};

const noBrand: ResolvedBrand = { fonts: {}, missing: [] };

/** The brand of a project: an empty one if it has none. */
export async function loadBrand(
  { projects, assets, templates }: BrandPorts,
  userId: string,
  projectId: string,
): Promise<ResolvedBrand> {
  const brand = brandOf((await projects.find(userId, projectId))?.styleGuide);
  if (!brand) return noBrand;
  const find = async (id: string | undefined) =>
    id !== undefined && isId("tmpl", id) ? await templates.find(projectId, id) : undefined;
  const [intro, endCard] = await Promise.all([find(brand.intro), find(brand.endCard)]);
  const found = await findAssets(assets, projectId, brand, [intro, endCard]);
  const missing: MissingPart[] = [];
  const has = (id: string, type: AssetType) => found.get(id)?.type === type;
  const fontOf = (field: string, name: string | undefined): FontChoice | undefined => {
    if (name === undefined) return undefined;
    if (!isId("asset", name)) return { fontFamily: name };
    if (has(name, "font")) return { fontAssetId: name };
    missing.push({ field, message: "The font was removed, or is not a font: texts have the default font." });
    return undefined;
  };
  const templateOf = (field: "intro" | "endCard", template: Template | undefined): BrandTemplate | undefined => {
    if (brand[field] === undefined) return undefined;
    if (template) return showable(template, { values: brand.values ?? {}, field, has, missing });
    missing.push({ field, message: "The template was removed: the film has none there." });
    return undefined;
  };
  const { palette, captions, values, fonts, logo } = brand;
  const asset = logo && found.get(logo.assetId);
  return {
    palette,
    values,
    captions: captions && captionsWith(captions, has),
    fonts: { heading: fontOf("fonts.heading", fonts?.heading), body: fontOf("fonts.body", fonts?.body) },
    logo: logo && asset?.type === "image" ? { ...logo, asset } : undefined,
    intro: templateOf("intro", intro),
    endCard: templateOf("endCard", endCard),
    missing,
  };
}

async function findAssets(
  assets: BrandPorts["assets"],
  projectId: string,
  { fonts, logo, captions }: Brand,
  templates: readonly (Template | undefined)[],
): Promise<ReadonlyMap<string, Asset>> {
  const named = [fonts?.heading, fonts?.body, logo?.assetId, captions?.fontAssetId];
  const ids = [...named, ...templates.flatMap((template) => (template ? assetIdsOf(template.content) : []))];
  const wanted = new Set(ids.filter((id) => id !== undefined && isId("asset", id)));
  const found = wanted.size > 0 ? await assets.findMany(projectId, [...wanted] as string[]) : [];
  return new Map(found.map((asset) => [asset.id, asset]));
}

type HasAsset = (id: string, type: AssetType) => boolean;

function captionsWith(captions: NonNullable<Brand["captions"]>, has: HasAsset): Brand["captions"] {
  const { fontAssetId, ...rest } = captions;
  return fontAssetId !== undefined && has(fontAssetId, "font") ? captions : rest;
}

type Showing = {
  readonly values: { readonly [key: string]: string };
  readonly field: string;
  readonly has: HasAsset;
  readonly missing: MissingPart[];
};

/** Removes images that no longer exist and texts that still have placeholders from a template, and records both. */
function showable({ id, content }: Template, { values, field, has, missing }: Showing): BrandTemplate {
  const pending = content.textOverlays.flatMap(({ text }) => pendingIn(text, values));
  const hasMask = ({ mask }: { readonly mask?: unknown }) =>
    assetIdsIn(mask, "").every(({ id: asset, type }) => has(asset, type));
  const imageOverlays = content.imageOverlays.filter((image) => has(image.assetId, "image") && hasMask(image));
  const isWhole = ({ text, spans, keyframes }: TemplateTextOverlay) =>
    pendingIn(text, values).length + pendingLayers({ spans, keyframes }, values).length === 0;
  const textOverlays = content.textOverlays.filter((text) => isWhole(text) && hasMask(text));
  if (pending.length > 0) {
    const keys = [...new Set(pending)].join(", ");
    missing.push({ field, message: `Texts are left out, because brand.values has no ${keys}.` });
  }
  if (imageOverlays.length < content.imageOverlays.length) {
    missing.push({ field, message: "An image of the template was removed and is left out." });
  }
  const layers = content.layers?.filter(
    (layer) =>
      pendingLayers(layer, values).length === 0 &&
      assetIdsIn(layer, "").every(({ id: asset, type }) => has(asset, type)),
  );
  if ((layers?.length ?? 0) < (content.layers?.length ?? 0)) {
    missing.push({ field, message: "Layers with a placeholder, or a file that was removed, are left out." });
  }
  const texts = textOverlays.map((text) => withFont(text, has));
  return { id, content: { ...content, imageOverlays, textOverlays: texts, ...(layers && { layers }) } };
}

const pendingIn = (text: string, values: Showing["values"]): readonly string[] =>
  fillPlaceholders(text, values, Number.POSITIVE_INFINITY).pending;

type TemplateText = TemplateContent["textOverlays"][number];

const withFont = ({ fontAssetId, ...text }: TemplateText, has: HasAsset): TemplateText =>
  fontAssetId && has(fontAssetId, "font") ? { ...text, fontAssetId } : text;

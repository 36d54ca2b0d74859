import { invalid } from "../../errors.ts";
import { withoutUndefined } from "../../platform/values.ts";
import type { Asset, AssetStore, AssetType } from "../assets/assets.ts";
import { assetIdsIn, mapAssetIds } from "../exports/request/layers/asset-ids.ts";
import { isId } from "../shared/ids.ts";
import { createTemplate, type Template, type TemplateContent, type TemplateStore } from "./templates.ts";
import { assetIdsOf } from "./use.ts";

export const templateFormat = "reelwright-template";
export const templateFormatVersion = 1;

type NeededAsset = {
  /** The id in the content of the file. */
  readonly id: string;
  readonly name: string;
  readonly type: AssetType;
  readonly filename: string;
  readonly sha256?: string | undefined;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
};

type TemplateFile = Pick<Template, "name" | "description" | "tags" | "content"> & {
  readonly format: typeof templateFormat;
  readonly version: typeof templateFormatVersion;
  readonly assets: readonly NeededAsset[];
};

/** Exports the template with the identities of its assets, without their bytes. */
export async function exportTemplate(
  assets: Pick<AssetStore, "findMany">,
  { projectId, name, description, tags, content }: Template,
): Promise<TemplateFile> {
  const found = await findById(assets, projectId, assetIdsOf(content));
  return {
    format: templateFormat,
    version: templateFormatVersion,
    name,
    ...withoutUndefined({ description, tags }),
    content,
    assets: assetIdsOf(content).map((id) => {
      const asset = found.get(id);
      return asset ? describe(asset) : unknownAsset(id, content);
    }),
  };
}

function describe({ id, name, type, file: { filename, sha256, facts } }: Asset): NeededAsset {
  const { width, height } = facts;
  return { id, name, type, filename, sha256, ...(width !== undefined && height !== undefined && { width, height }) };
}

const unknownAsset = (id: string, content: TemplateContent): NeededAsset => ({
  id,
  name: id,
  type: typeIn(content, id),
  filename: "",
});

const typeIn = ({ imageOverlays, textOverlays, layers = [] }: TemplateContent, id: string) =>
  // safe because the content names each id
  assetIdsIn([imageOverlays, textOverlays, layers], "").find((each) => each.id === id)!.type;

const kinds = { image: "an image", video: "a video", font: "a font" };

/** The file of an exported template, and chosen assets of the project by their ids in the file. */
type TemplateImport = {
  readonly file: Pick<TemplateFile, "name" | "content" | "assets"> & {
    readonly description?: string | null | undefined;
    readonly tags?: readonly string[] | null | undefined;
  };
  readonly chosen: { readonly [id: string]: string };
};

/**
 * Creates a template from a file, with the project's assets: chosen ones, otherwise equal or similar ones. Returns
 * assets without a counterpart, which keep their ids. Throws validation_error.
 */
export async function importTemplate(
  { templates, assets }: { readonly templates: TemplateStore; readonly assets: AssetStore },
  projectId: string,
  { file, chosen }: TemplateImport,
): Promise<{ readonly template: Template; readonly missingAssets: readonly NeededAsset[] }> {
  const { name, description, tags, content } = file;
  const own = await ownAssets(assets, projectId, { file, chosen });
  const template = await createTemplate(templates, projectId, {
    name,
    description,
    tags,
    content: withAssets(content, own),
  });
  const missing = assetIdsOf(content).filter((id) => !own.has(id));
  const known = new Map(file.assets.map((asset) => [asset.id, asset]));
  return { template, missingAssets: missing.map((id) => known.get(id) ?? unknownAsset(id, content)) };
}

/** The project's assets by their ids in the file. */
async function ownAssets(
  assets: AssetStore,
  projectId: string,
  { file: { content, assets: described }, chosen }: TemplateImport,
): Promise<ReadonlyMap<string, string>> {
  const needed = assetIdsOf(content);
  for (const id of Object.keys(chosen)) {
    if (!needed.includes(id)) throw invalid(`assets.${id}`, "Must be an asset that the template needs.");
  }
  const [byId, alike] = await Promise.all([
    findById(assets, projectId, [...needed, ...Object.values(chosen)]),
    assets.findAlike(projectId, {
      hashes: described.flatMap(({ sha256 }) => sha256 ?? []),
      names: described.map(({ name }) => name),
    }),
  ]);
  const found = needed.map((id) => {
    const type = typeIn(content, id);
    const isUsable = (asset: Asset | undefined) => asset?.type === type;
    if (Object.hasOwn(chosen, id)) {
      const asset = byId.get(chosen[id]!);
      if (asset && isUsable(asset)) return [id, asset.id] as const;
      throw invalid(`assets.${id}`, `Must be the id of ${kinds[type]} of this project.`);
    }
    const same = byId.get(id);
    const own =
      same && isUsable(same)
        ? same
        : counterpart(
            described.find((asset) => asset.id === id),
            alike.filter(isUsable),
          );
    return own ? ([id, own.id] as const) : undefined;
  });
  return new Map(found.filter((pair) => pair !== undefined));
}

/** The asset with the same bytes, or else the only one with the same name. */
function counterpart(needed: NeededAsset | undefined, candidates: readonly Asset[]): Asset | undefined {
  if (!needed) return undefined;
  const sameBytes = candidates.find(({ file }) => file.sha256 === needed.sha256);
  const sameName = candidates.filter(({ name }) => name === needed.name);
  return sameBytes ?? (sameName.length === 1 ? sameName[0] : undefined);
}

async function findById(assets: Pick<AssetStore, "findMany">, projectId: string, ids: readonly string[]) {
  const wellFormed = ids.filter((id) => isId("asset", id));
  const found = wellFormed.length > 0 ? await assets.findMany(projectId, [...new Set(wellFormed)]) : [];
  return new Map(found.map((asset) => [asset.id, asset]));
}

function withAssets(content: TemplateContent, own: ReadonlyMap<string, string>): TemplateContent {
  const idOf = (id: string) => own.get(id) ?? id;
  return {
    ...content,
    imageOverlays: mapAssetIds(content.imageOverlays, "", idOf),
    textOverlays: mapAssetIds(content.textOverlays, "", idOf),
    ...(content.layers && { layers: mapAssetIds(content.layers, "layers", idOf) }),
  };
}

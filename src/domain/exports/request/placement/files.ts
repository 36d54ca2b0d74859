import { type Card, namedFamilies, readCard } from "../../../../engine/ports.ts";
import { cardOf, pagesOf } from "../layers/html.ts";
import type { MotionFields } from "../layers/refinements.ts";
import type { HtmlLayerRequest, LayerRequest, VideoLayerRequest } from "../layers/schema.ts";
import { cardPaths } from "./html.ts";

/** A file that a layer refers to; `path` is the field. */
export type LayerFile = {
  readonly path: string;
  /** For people: editors show an error's sentence, but no ids. */
  readonly what: string;
} & (
  | { readonly kind: "image" | "lottie" | "font" | "video"; readonly assetId: string }
  | { readonly kind: "scene"; readonly sceneIndex: number }
  | { readonly kind: "videoByUrl"; readonly url: string }
);

/** The files of layers, of those in groups, and of masks, by their paths. */
export const layerFiles = (layers: readonly (LayerRequest | undefined)[], list = "layers"): readonly LayerFile[] =>
  layers.flatMap((layer, index) => (layer ? filesOf(layer, `${list}.${index}`) : []));

function filesOf(layer: LayerRequest, path: string): readonly LayerFile[] {
  const what = layer.id === undefined ? "a layer" : `the layer ${layer.id}`;
  const files = maskFile(layer, path, what);
  if (layer.type === "group") return [...files, ...layerFiles(layer.layers, `${path}.layers`)];
  if (layer.type === "lottie") {
    return [
      { path: `${path}.assetId`, assetId: layer.assetId, kind: "lottie", what: `The animation of ${what}` },
      ...files,
    ];
  }
  if (layer.type === "html") return [...files, ...picturesOfCard(layer, path, what)];
  if (layer.type === "video") return [...videoFile(layer, path, `The video of ${what}`), ...files];
  if (layer.type === "image") {
    return [{ path: `${path}.assetId`, assetId: layer.assetId, kind: "image", what: `The image of ${what}` }, ...files];
  }
  // an empty id means no font
  return layer.type === "text" && layer.fontAssetId
    ? [{ path: `${path}.fontAssetId`, assetId: layer.fontAssetId, kind: "font", what: `The font of ${what}` }, ...files]
    : files;
}

const picturesOfCard = (layer: HtmlLayerRequest, path: string, what: string): readonly LayerFile[] =>
  allOf(layer, ({ assetIds }) => assetIds).map((assetId) => ({
    ...{ path: cardPaths.image(path, assetId), assetId, kind: "image", what: `A picture of ${what}` },
  }));

/** What the pages of a layer name, each once. */
const allOf = (layer: HtmlLayerRequest, namesOf: (card: Card) => readonly string[]): readonly string[] => [
  ...new Set(pagesOf(layer).flatMap(({ page }) => namesOf(readCard(cardOf(page))))),
];

/** A family of fonts that a card names; `path` is where its file is found. */
type CardFamily = { readonly path: string; readonly family: string };

/** The families that HTML layers name, of those in groups too. */
export const cardFamilies = (layers: readonly (LayerRequest | undefined)[], list = "layers"): readonly CardFamily[] =>
  layers.flatMap((layer, index) => {
    const path = `${list}.${index}`;
    if (layer?.type === "group") return cardFamilies(layer.layers, `${path}.layers`);
    if (layer?.type !== "html") return [];
    return allOf(layer, namedFamilies).map((family) => ({ path: cardPaths.font(path, family), family }));
  });

function videoFile(video: VideoLayerRequest, layerPath: string, what: string): readonly LayerFile[] {
  const { assetId, sceneIndex, videoUrl } = video;
  const path = `${layerPath}.${videoField(video)}`;
  if (assetId) return [{ path, what, kind: "video", assetId }];
  if (sceneIndex !== undefined) return [{ path, what, kind: "scene", sceneIndex }];
  return videoUrl ? [{ path, what, kind: "videoByUrl", url: videoUrl }] : [];
}

/** The field that names the source of a video. */
export function videoField({ assetId, sceneIndex }: VideoLayerRequest): "assetId" | "sceneIndex" | "videoUrl" {
  if (assetId) return "assetId";
  return sceneIndex === undefined ? "videoUrl" : "sceneIndex";
}

/** The picture that masks a layer, a text or an image. */
export const maskFile = (
  { mask }: Partial<Pick<MotionFields, "mask">>,
  path: string,
  what: string,
): readonly LayerFile[] =>
  mask?.assetId === undefined
    ? []
    : [{ path: `${path}.mask.assetId`, assetId: mask.assetId, kind: "image", what: `The mask of ${what}` }];

import { safeZoneOf } from "../../engine/timeline/safe-zone.ts";
import type { Canvas } from "../../engine/timeline/timeline.ts";
import { invalid } from "../../errors.ts";
import { withoutUndefined } from "../../platform/values.ts";
import type { CaptionsRequest } from "../captions/schema.ts";
import { filmSeconds } from "../exports/request/film-length.ts";
import type { LayerRequest } from "../exports/request/layers/schema.ts";
import type { ExportRequest } from "../exports/request/schema.ts";
import type { TextStyleFields } from "../shared/text-style.ts";
import { applyTemplate } from "../templates/apply.ts";
import { layersWithin } from "../templates/layers.ts";
import type { LogoPlace } from "./brand.ts";
import { type BrandPorts, type BrandTemplate, type FontChoice, loadBrand, type ResolvedBrand } from "./resolve.ts";

type Times = { readonly position: number; readonly end: number };

type Text = Times &
  TextStyleFields & {
    readonly text?: string | undefined;
    readonly fontSize?: number | "auto" | undefined;
    readonly fontColor?: string | undefined;
    readonly fill?: unknown;
    readonly centerX?: number | undefined;
    readonly centerY?: number | undefined;
    readonly height?: number | undefined;
    readonly group?: string | undefined;
  };

type Image = Times & { readonly assetId: string; readonly group?: string | undefined };

/** The part of a complete export request that a brand changes. */
export type BrandableRequest = {
  readonly clips: readonly { readonly end: number }[];
  readonly texts?: readonly Text[] | undefined;
  readonly images?: readonly Image[] | undefined;
  readonly layers?: ExportRequest["layers"];
  readonly captions?: CaptionsRequest | undefined;
  readonly options?: { readonly duration?: number | undefined } | undefined;
};

/** The limit in the schema of a request. */
const maxOverlays = 500;

/**
 * Applies a brand to a request: its fonts, colors and captions where the request has none of its own, its logo, and its
 * templates over the first and the last seconds. Parts of the brand come after parts of the request.
 */
export function withBrand<Request extends BrandableRequest>(
  request: Request,
  brand: ResolvedBrand,
  canvas: Canvas,
): Request {
  const { texts = [], images = [], captions } = request;
  const seconds = filmSeconds(request);
  const window = Math.min(cardSeconds, seconds / 2);
  const cards = [
    ...(brand.intro ? [cardOf(brand.intro, brand, { canvas, start: 0, seconds: window })] : []),
    ...(brand.endCard ? [cardOf(brand.endCard, brand, { canvas, start: seconds - window, seconds: window })] : []),
  ];
  const layers = [...(request.layers ?? []), ...cards.flatMap((card) => card.layers)];
  const branded = {
    ...(layers.length > 0 && { layers: layers.map((layer) => styledLayer(layer, brand, canvas)) }),
    texts: [...texts, ...cards.flatMap((card) => card.texts)].map((text) => styled(text, brand, canvas)),
    images: [...images, ...cards.flatMap((card) => card.images), ...logoImages(brand, canvas, seconds)],
    ...(captions && { captions: styledCaptions(captions, brand) }),
  };
  if (Math.max(branded.texts.length, branded.images.length, layers.length) > maxOverlays) {
    throw invalid("options.brand", `Must be left out: with the brand's overlays there are more than ${maxOverlays}.`);
  }
  // safe because a brand only adds overlays and fields that the schema of a request has
  return { ...request, ...branded } as Request;
}

/** The duration of a template over the start or the end of a film, or half of the film if that is shorter. */
const cardSeconds = 3;

/** A text of at least this share of the frame's shorter side is a heading. */
const headingShare = 0.06;
const defaultFontSize = 48;

/** A text that fills its box counts as one with a fifth of the box's height. */
const sizeOf = ({ fontSize = defaultFontSize, height = 5 * defaultFontSize }: Text): number =>
  fontSize === "auto" ? height / 5 : fontSize;

/** Applies the brand's font and colors to a text that has none of its own. */
function styled(
  text: Text,
  { fonts, palette = {} }: Pick<ResolvedBrand, "fonts" | "palette">,
  { width, height }: Canvas,
): Text {
  const fontSize = sizeOf(text);
  const isHeading = fontSize >= headingShare * Math.min(width, height);
  const font = isHeading ? (fonts.heading ?? fonts.body) : (fonts.body ?? fonts.heading);
  const hasColors = [text.fontColor, text.background, text.strokeColor, text.fill].some((color) => color !== undefined);
  return {
    ...text,
    ...fontFields(text, font),
    ...(text.fontColor === undefined && palette.text !== undefined && { fontColor: palette.text }),
    ...(!hasColors && palette.background !== undefined && boxFields(text, palette.background, fontSize)),
  };
}

/** The same for the texts in layers. */
function styledLayer(layer: LayerRequest, brand: ResolvedBrand, canvas: Canvas): LayerRequest {
  if (layer.type === "group") return { ...layer, layers: layer.layers.map((each) => styledLayer(each, brand, canvas)) };
  if (layer.type !== "text") return layer;
  const { position: _, end: __, ...style } = styled({ ...layer, position: 0, end: 0 }, brand, canvas);
  // safe because a brand only adds fields that the schema of a text has
  return { ...layer, ...style } as LayerRequest;
}

/** An empty id means no font. */
const fontFields = ({ fontAssetId, fontFamily }: Text, font: FontChoice | undefined) =>
  fontAssetId || fontFamily ? {} : font;

const boxFields = ({ padding, radius }: Text, background: string, fontSize: number) => ({
  background,
  padding: padding ?? Math.round(fontSize * 0.35),
  radius: radius ?? Math.round(fontSize * 0.2),
});

function styledCaptions(captions: CaptionsRequest, brand: ResolvedBrand): CaptionsRequest {
  const { captions: own = {}, fonts, palette: { accent: active } = {} } = brand;
  const chosen = { ...withoutUndefined(own.colors ?? {}), ...withoutUndefined(captions.colors ?? {}) };
  const colors = { ...withoutUndefined({ active }), ...chosen };
  const merged = { ...withoutUndefined(own), ...withoutUndefined(captions), colors };
  const hasFont = merged.fontAssetId !== undefined || merged.fontFamily !== undefined;
  return { ...merged, ...(!hasFont && (fonts.body ?? fonts.heading)) };
}

type Window = { readonly canvas: Canvas; readonly start: number; readonly seconds: number };

/** The overlays of a template in a part of the film. The first overlay appears when the part begins. */
function cardOf(template: BrandTemplate, { values = {} }: ResolvedBrand, { canvas, start, seconds }: Window) {
  const applied = applyTemplate(template, { durationSeconds: seconds, values, canvas });
  const actions = [...applied.textTrackActions, ...applied.imageTrackActions];
  const first = Math.min(seconds, ...actions.map((action) => action.start));
  const stretch = first < seconds ? seconds / (seconds - first) : 1;
  const timesOf = (action: { readonly start: number; readonly end: number }): Times => ({
    position: start + (action.start - first) * stretch,
    end: start + (action.end - first) * stretch,
  });
  // safe because each action has the id of an overlay, and the layers of a template are those of requests
  return {
    layers: layersWithin(applied.layers ?? [], { start, seconds }) as unknown as NonNullable<ExportRequest["layers"]>,
    texts: applied.textTrackActions.map(
      (action): Text => ({ ...applied.textOverlays[action.id]!, ...timesOf(action) }),
    ),
    images: applied.imageTrackActions.map(
      (action): Image => ({ ...applied.imageOverlays[action.id]!, ...timesOf(action) }),
    ),
  };
}

/** The share of the frame's shorter side. */
const logoShare = 1 / 7;
/** The share of the safe zone's height, so that an upright logo leaves room for the film. */
const maxLogoHeight = 1 / 5;

const shares: Readonly<Record<LogoPlace, { readonly x: number; readonly y: number }>> = {
  "top-left": { x: 0, y: 0 },
  top: { x: 0.5, y: 0 },
  "top-right": { x: 1, y: 0 },
  "bottom-left": { x: 0, y: 1 },
  bottom: { x: 0.5, y: 1 },
  "bottom-right": { x: 1, y: 1 },
};

/** The logo over the whole film, inside the safe zone less its margin. */
function logoImages({ logo }: ResolvedBrand, canvas: Canvas, seconds: number): readonly Image[] {
  if (!logo || seconds === 0) return [];
  const { asset, place, width: wanted = Math.min(canvas.width, canvas.height) * logoShare, margin: asked = 0 } = logo;
  const zone = safeZoneOf(canvas);
  const margin = Math.min(asked, zone.width / 4, zone.height / 4);
  const area = { width: zone.width - 2 * margin, height: zone.height - 2 * margin };
  const { width: ownWidth = 1, height: ownHeight = 1 } = asset.file.facts;
  const width = Math.min(wanted, area.width, (area.height * maxLogoHeight * ownWidth) / ownHeight);
  const height = (width * ownHeight) / ownWidth;
  const share = shares[place];
  const x = zone.x + margin + share.x * (area.width - width);
  const y = zone.y + margin + share.y * (area.height - height);
  const box = { x: Math.round(x), y: Math.round(y), width: Math.round(width), height: Math.max(1, Math.round(height)) };
  return [{ assetId: asset.id, position: 0, end: seconds, ...box, group: "brand logo" } as Image];
}

/** A brand and the overlays of the request before it was applied, for warnings. */
export type BrandUse = { readonly brand: ResolvedBrand; readonly given: Pick<BrandableRequest, "texts" | "images"> };

type Branded<Request> = { readonly request: Request; readonly use?: BrandUse };

/** Applies the brand of the project if the request asks for it. */
export async function applyBrand<
  Request extends BrandableRequest & { readonly options?: { brand?: boolean | undefined } | undefined },
>(
  ports: BrandPorts,
  { userId, projectId, canvas }: { readonly userId: string; readonly projectId: string; readonly canvas: Canvas },
  request: Request,
): Promise<Branded<Request>> {
  if (!request.options?.brand) return { request };
  const brand = await loadBrand(ports, userId, projectId);
  return { request: withBrand(request, brand, canvas), use: { brand, given: request } };
}

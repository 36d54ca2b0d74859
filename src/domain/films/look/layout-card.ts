import { type Card, readCard } from "../../../engine/ports.ts";
import type { Box } from "../../../engine/timeline/overlay.ts";
import type { Canvas } from "../../../engine/timeline/timeline.ts";
import { type Layout, type Look, sameAs } from "../../looks/looks.ts";
import type { SceneColors } from "./film-look.ts";
import { startOf } from "./lines.ts";

/** A scene as its look sets it. */
export type SceneDesign = {
  readonly look: Look;
  readonly layout: Layout;
  readonly words: Readonly<Record<string, string>>;
  readonly colors: SceneColors;
  /** The picture of the whole frame is not the look's own ground. */
  readonly isOnPicture: boolean;
  /** The page lies above a picture of its ground alone, which several targets share. */
  readonly isArtApart?: boolean;
  /** The drawing of the subject as SVG. */
  readonly subject?: string | undefined;
  readonly logo?: { readonly assetId: string; readonly ratio: number } | undefined;
  /** A photo that lies beside the words; `isWhole` if it must not be cropped. */
  readonly picture?: { readonly assetId: string; readonly isWhole: boolean } | undefined;
  /** The scene's number in the film: looks alternate by it. */
  readonly turn: number;
};

/** Where a scene is shown. Words stay in the zone. */
export type SceneFrame = { readonly canvas: Canvas; readonly zone: Box };

export type LayoutCard = { readonly html: string; readonly css: string };

const shapeOf = ({ width, height }: Canvas): string => {
  const ratio = height / width;
  return ratio >= 1.6 ? "tall" : ratio >= 1.1 ? "portrait" : ratio >= 0.9 ? "square" : "wide";
};

/** Pixels of a unit of layouts: the 1080th part of the shorter side. */
export const unitOf = ({ width, height }: Canvas): number => Math.min(width, height) / 1080;

/** Replaces lengths such as `40u`. */
const inPixels = (css: string, unit: number): string =>
  css.replace(
    /(?<![\w#.-])(-?\d*\.?\d+)u\b/g,
    (_, units: string) => `${Math.round(Number(units) * unit * 100) / 100}px`,
  );

/** The names of the boxes in a layout that have nothing to show. */
function emptyBoxes({ words, subject, logo }: SceneDesign, card: Card): readonly string[] {
  return elementsOf(card).flatMap(({ name, kind }) => {
    const isShown =
      kind === "text" ? !!words[name] : kind === "subject" ? !!subject : kind === "logo" ? logo !== undefined : true;
    return isShown ? [] : [name];
  });
}

export type Kind = "text" | "part" | "subject" | "logo" | "picture";

export type LayoutElement = {
  readonly name: string;
  readonly kind: Kind;
  readonly attributes: Readonly<Record<string, string>>;
};

const kinds: readonly Kind[] = ["text", "part", "subject", "logo", "picture"];

/** The place of a photo, which every layout has. */
const picturePlace = '<div class="picture" data-box="picture" data-picture></div>';

export const pageOf = ({ look, layout, picture }: SceneDesign): string =>
  (picture ? picturePlace : "") + look.html[layout];

/** The elements of a layout with a box, in the order of the page. */
export function elementsOf({ body }: Pick<Card, "body">): readonly LayoutElement[] {
  const found: LayoutElement[] = [];
  const visit = ({ attributes, children }: Card["body"]): void => {
    const kind = kinds.find((each) => attributes[`data-${each}`] !== undefined);
    const name = attributes["data-box"];
    if (kind && name) found.push({ name, kind, attributes });
    for (const child of children) if (typeof child !== "string") visit(child);
  };
  visit(body);
  return found;
}

const variablesOf = ({ colors }: SceneDesign, { canvas, zone }: SceneFrame): string =>
  Object.entries({
    ...{
      ground: colors.ground,
      ink: colors.ink,
      emphasis: colors.emphasis,
      shape: colors.shape,
      second: colors.second,
    },
    ...{ "on-shape": colors.onShape, "on-emphasis": colors.onEmphasis },
    ...{ top: `${zone.y}px`, left: `${zone.x}px` },
    ...{ right: `${canvas.width - zone.x - zone.width}px`, bottom: `${canvas.height - zone.y - zone.height}px` },
  })
    .map(([name, value]) => `--${name}:${value}`)
    .join(";");

/** What a card shows: one element with a box, or the page without any of these, or parts of that page. */
type ShownPart = { readonly box: string } | "page" | "ground" | "art";

/** The page of a scene in its frame. By default, all is visible. */
export function layoutCard(design: SceneDesign, frame: SceneFrame, shown?: ShownPart): LayoutCard {
  const { look, layout, words, subject, picture, isOnPicture, turn } = design;
  const unit = unitOf(frame.canvas);
  const html = shown === "ground" ? "" : pageOf(design);
  const css = inPixels(look.css, unit);
  const empty = emptyBoxes(design, readCard({ html, css }));
  const names = Object.keys(words).filter((name) => words[name] && !/\d/.test(name));
  const items = Object.keys(words).filter((name) => name.startsWith("item-")).length;
  const classes = [
    ...["frame", shapeOf(frame.canvas), layout, ...(sameAs[layout] ? [sameAs[layout]] : [])],
    ...[isOnPicture ? "on-picture" : "on-ground", `turn-${turn % 3}`],
    ...[startOfAll(words) === "right" ? "rtl" : "ltr", subject ? "has-subject" : "no-subject"],
    ...(picture ? ["has-picture"] : []),
    ...names.map((name) => `has-${name}`),
    ...(items > 0 ? [`items-${items}`] : []),
  ];
  const hidden = empty.map((name) => `[data-box="${name}"]{display:none}`).join("");
  return {
    html: `<div class="${classes.join(" ")}" style="${variablesOf(design, frame)}">${inPixels(html, unit)}</div>`,
    css: `${css}\n${hidden}${visibilityCss(shown)}`,
  };
}

/** Hides what is drawn elsewhere. */
function visibilityCss(shown: ShownPart | undefined): string {
  if (shown === undefined || shown === "ground") return "";
  if (typeof shown === "string") {
    const hidden = kinds.map((kind) => `[data-${kind}],[data-${kind}] *{visibility:hidden}`).join("");
    return shown === "art" ? `${hidden}.frame{background:none}` : hidden;
  }
  const { box } = shown;
  return `.frame,.frame *{visibility:hidden}.frame{background:none}[data-box="${box}"],[data-box="${box}"] *{visibility:visible}`;
}

/** The side at which the words of a scene begin. */
export const startOfAll = (words: SceneDesign["words"]): "left" | "right" => startOf(Object.values(words).join(" "));

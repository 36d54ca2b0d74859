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
  /** A photo that lies beside the words. */
  readonly picture?: FramedPicture | undefined;
  /** The scene's number in the film: looks alternate by it. */
  readonly turn: number;
};

export type Device = "phone" | "browser" | "laptop";

export type FramedPicture = {
  readonly assetId: string;
  /** It must not be cropped. */
  readonly isWhole: boolean;
  /** In pixels. */
  readonly size?: Canvas;
  /** The picture of a screen stands in a device of its shape. */
  readonly device?: Device | undefined;
  /** The middle of its subject, as shares of its sides. */
  readonly focus?: { readonly x: number; readonly y: number } | undefined;
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

/**
 * The parts of a frame: the art, the words, and the photo beside them. Words lie in the safe zone where they keep the
 * margins of a page; a page that is half of a frame is smaller for them than for its art.
 */
type Parts = {
  readonly art: Box;
  /** Has the shape of the page. */
  readonly half: Box;
  readonly words: Box;
  readonly zone: Box;
  readonly photo?: Box;
  readonly device?: Box;
};

/** The photo takes half of the frame: the end side of a wide one, else the half below the words, or in turn above. */
export function partsOf({ picture, words: said, turn }: SceneDesign, { canvas, zone: safe }: SceneFrame): Parts {
  const { width, height } = canvas;
  const spare = letterReach * Math.min(width, height);
  const zone = { ...safe, x: safe.x + spare, width: safe.width - 2 * spare };
  const whole = { x: 0, y: 0, width, height };
  if (!picture) return { art: whole, half: whole, words: whole, zone };
  const shape = shapeOf(canvas);
  // a phone is tall itself
  const isAside = shape === "wide" || (picture.device === "phone" && shape !== "tall");
  const half = isAside ? { width: width / 2, height } : { width, height: height / 2 };
  const first = { x: 0, y: 0, ...half };
  const second = { x: width - half.width, y: height - half.height, ...half };
  // apps cover the lower part of a tall frame
  const isPhotoFirst = isAside ? startOfAll(said) === "right" : shape !== "tall" && turn % 2 === 1;
  const [page, photo] = isPhotoFirst ? [second, first] : [first, second];
  const words = withMargins(shared(zone, inset(page)), page);
  const beside = { half: page, words, zone: inset(words) };
  if (!picture.device) return { art: page, ...beside, photo };
  // the art is around the device, too
  return { art: whole, ...beside, ...deviceIn(picture, photo, unitOf(words), shape === "tall") };
}

/** How far a letter reaches beyond the side of its box, as a share of the shorter side of the frame. */
const letterReach = 0.004;

/** What a device has around its screen, in units, and the range of its screen's shapes. */
const devices: Readonly<Record<Device, { readonly [side in "top" | "side" | "bottom" | "least" | "most"]: number }>> = {
  phone: { top: 22, side: 22, bottom: 22, least: 1.6, most: 2.17 },
  browser: { top: 70, side: 8, bottom: 8, least: 0.45, most: 0.75 },
  laptop: { top: 24, side: 24, bottom: 60, least: 0.56, most: 0.66 },
};

/** The share of its half that a device fills. */
const deviceShare = 0.86;

/** A phone in a tall frame runs out of its lower edge, which apps cover anyway. */
const phoneBeyond = 1.3;

/** The device and its screen, in the middle of a half of the frame; in a tall one, at the top of that half. */
function deviceIn(
  { device = "browser", size = { width: 16, height: 9 } }: FramedPicture,
  half: Box,
  unit: number,
  isTall: boolean,
): { readonly device: Box; readonly photo: Box } {
  const { top, side, bottom, least, most } = devices[device];
  const ratio = Math.min(most, Math.max(least, size.height / size.width));
  const beyond = isTall && device === "phone" ? phoneBeyond : deviceShare;
  const room = {
    width: deviceShare * half.width - 2 * side * unit,
    height: beyond * half.height - (top + bottom) * unit,
  };
  const width = Math.min(room.width, room.height / ratio);
  const height = width * ratio;
  const outer = { width: width + 2 * side * unit, height: height + (top + bottom) * unit };
  const spare = half.height - outer.height;
  const x = half.x + (half.width - outer.width) / 2;
  const y = half.y + (isTall ? Math.min(0.06 * half.height, Math.max(0.04 * half.height, spare / 2)) : spare / 2);
  return { device: { x, y, ...outer }, photo: { x: x + side * unit, y: y + top * unit, width, height } };
}

/** The margins of words, as a share of the sides of their page. */
const margin = 0.05;

const inset = ({ x, y, width, height }: Box): Box => ({
  ...{ x: x + margin * width, y: y + margin * height },
  ...{ width: (1 - 2 * margin) * width, height: (1 - 2 * margin) * height },
});

/** The page whose words lie in the zone. */
const withMargins = ({ x, y, width, height }: Box, within: Box): Box =>
  shared(within, {
    ...{ x: x - (margin * width) / (1 - 2 * margin), y: y - (margin * height) / (1 - 2 * margin) },
    ...{ width: width / (1 - 2 * margin), height: height / (1 - 2 * margin) },
  });

function shared(one: Box, other: Box): Box {
  const [x, y] = [Math.max(one.x, other.x), Math.max(one.y, other.y)];
  const width = Math.min(one.x + one.width, other.x + other.width) - x;
  return { x, y, width, height: Math.min(one.y + one.height, other.y + other.height) - y };
}

const boxStyle = ({ x, y, width, height }: Box): string => `left:${x}px;top:${y}px;width:${width}px;height:${height}px`;

/** The elements of the page, and the photo. */
export const pageOf = ({ look, layout, picture }: SceneDesign): string =>
  (picture?.device ? '<div data-box="device" data-part data-bleed="110"></div>' : "") +
  (picture ? '<div data-box="picture" data-picture></div>' : "") +
  look.html[layout];

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

const variablesOf = ({ colors }: SceneDesign, page: Box, zone: Box): string =>
  Object.entries({
    ...{
      ground: colors.ground,
      ink: colors.ink,
      emphasis: colors.emphasis,
      shape: colors.shape,
      second: colors.second,
    },
    ...{ "on-shape": colors.onShape, "on-emphasis": colors.onEmphasis },
    ...{ top: `${zone.y - page.y}px`, left: `${zone.x - page.x}px` },
    ...{ right: `${page.x + page.width - zone.x - zone.width}px` },
    ...{ bottom: `${page.y + page.height - zone.y - zone.height}px` },
  })
    .map(([name, value]) => `--${name}:${value}`)
    .join(";");

/** What a card shows: one element with a box, or the page without any of these, or parts of that page. */
type ShownPart = { readonly box: string } | "page" | "ground" | "art";

/** The page of a scene in its frame. By default, all is visible. */
export function layoutCard(design: SceneDesign, frame: SceneFrame, shown?: ShownPart): LayoutCard {
  const { look, layout, words, subject, picture, isOnPicture, turn } = design;
  const parts = partsOf(design, frame);
  const { photo, zone, device } = parts;
  const page = shown === "page" || shown === "art" ? parts.art : parts.words;
  const unit = unitOf(parts.words);
  const html = shown === "ground" ? "" : look.html[layout];
  const css = inPixels(look.css, unit);
  const empty = emptyBoxes(design, readCard({ html, css }));
  const names = Object.keys(words).filter((name) => words[name] && !/\d/.test(name));
  const items = Object.keys(words).filter((name) => name.startsWith("item-")).length;
  const classes = [
    ...["frame", shapeOf(parts.half), layout, ...(sameAs[layout] ? [sameAs[layout]] : [])],
    ...[isOnPicture ? "on-picture" : "on-ground", `turn-${turn % 3}`],
    ...[startOfAll(words) === "right" ? "rtl" : "ltr", subject ? "has-subject" : "no-subject"],
    ...(picture ? ["has-picture"] : []),
    ...names.map((name) => `has-${name}`),
    ...(items > 0 ? [`items-${items}`] : []),
  ];
  const hidden = empty.map((name) => `[data-box="${name}"]{display:none}`).join("");
  const ground = { x: 0, y: 0, ...frame.canvas };
  const isGround = shown === undefined || shown === "page" || shown === "ground";
  return {
    html: [
      ...(photo && isGround
        ? [`<div style="position:absolute;${boxStyle(ground)};background:${design.colors.ground}"></div>`]
        : []),
      ...(device && picture?.device && shown !== "ground"
        ? [
            `<div class="device ${picture.device}" data-box="device" data-part style="${variablesOf(design, page, zone)};${boxStyle(device)}">${inPixels(look.device, unit)}</div>`,
          ]
        : []),
      ...(photo && shown !== "ground"
        ? [`<div data-box="picture" data-picture style="position:absolute;${boxStyle(photo)}"></div>`]
        : []),
      `<div class="${classes.join(" ")}" style="${variablesOf(design, page, zone)}${photo ? `;right:auto;bottom:auto;${boxStyle(page)}` : ""}">${inPixels(html, unit)}</div>`,
    ].join(""),
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

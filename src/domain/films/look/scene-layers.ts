import { readCard } from "../../../engine/ports.ts";
import type { Box } from "../../../engine/timeline/overlay.ts";
import type { Canvas } from "../../../engine/timeline/timeline.ts";
import { toTenths, toThousandths, withoutUndefined } from "../../../platform/values.ts";
import type { Look, RoleStyle, TypeRole } from "../../looks/looks.ts";
import type { EditorOverlay } from "../../works/editor-state.ts";
import { colorOf } from "./film-look.ts";
import { highlightedSpans, highlightOf } from "./highlight.ts";
import {
  elementsOf,
  type LayoutCard,
  layoutCard,
  pageOf,
  partsOf,
  type SceneDesign,
  type SceneFrame,
  startOfAll,
  unitOf,
} from "./layout-card.ts";
import { leastLineHeight, lineHeight, setLarge } from "./lines.ts";
import { motionOf, type SceneTimes, type Shown, withTheScene } from "./scene-motion.ts";

/** An overlay of the editor with its times, in seconds. */
export type Placed = {
  readonly id: string;
  /** The name of its box. */
  readonly box: string;
  readonly start: number;
  readonly end: number;
  readonly overlay: EditorOverlay;
};

/** A layer of a request. */
export type PlacedLayer = { readonly id: string; readonly [field: string]: unknown };

/** An effect of a look at a moment of the film, in seconds. Of two at once, the one with the higher weight sounds. */
export type PlacedEffect = { readonly name: string; readonly at: number; readonly weight: number };

type Boxes = Readonly<Record<string, Box>>;

export type SceneLayers = {
  readonly texts: readonly Placed[];
  readonly images: readonly Placed[];
  readonly layers: readonly PlacedLayer[];
  readonly effects: readonly PlacedEffect[];
};

/** Lower than the texts of a film. */
const heights = { art: -3, part: -2, subject: -1 };

/** Positions the words and the parts of a scene. Without boxes there are only words. */
export function sceneLayers(
  design: SceneDesign,
  frame: SceneFrame,
  boxes: Boxes | undefined,
  times: SceneTimes,
): SceneLayers {
  if (!boxes) return wordsAlone(design.words, times);
  const card = readCard({ html: pageOf(design), css: "" });
  const texts: Placed[] = [];
  const images: Placed[] = [];
  const layers: PlacedLayer[] = design.isArtApart ? [artOf(design, frame, times)] : [];
  const effects: PlacedEffect[] = [];
  const elements = elementsOf(card).flatMap((element): Shown[] => {
    const box = boxes[element.name];
    return box ? [{ design, frame, element, box, times }] : [];
  });
  // the items of a list have one size
  const items = elements.filter(({ element: { name, kind } }) => kind === "text" && isItem(name) && design.words[name]);
  const itemSize = Math.min(...items.map((item) => settingOf(item).fontSize));
  for (const shown of elements) {
    const { element } = shown;
    effects.push(...effectOf(shown));
    if (element.kind === "text") texts.push(textOf(shown, texts.length, itemSize));
    else if (element.kind === "logo") images.push(...logoOf(shown));
    else if (element.kind === "picture") images.push(...pictureOf(shown));
    else layers.push(layerOf(shown));
  }
  return { texts, images, layers, effects };
}

/** Boxes whose effects count more than those of others. */
const weights: Readonly<Record<string, number>> = { price: 5, number: 5, call: 4 };

/** The effect of an element that comes. */
function effectOf(shown: Shown): readonly PlacedEffect[] {
  const { design, element, times } = shown;
  const { boxes } = design.look.effects;
  const name = boxes[`${design.layout}.${element.name}`] ?? boxes[element.name];
  const isFirst = times.start === 0 && element.attributes["data-first"] !== undefined;
  if (name === undefined || isFirst) return [];
  return [{ name, at: motionOf(shown).start, weight: weights[element.name] ?? 1 }];
}

const wordsAlone = (words: SceneDesign["words"], { index, start, end }: SceneTimes): SceneLayers => ({
  texts: Object.entries(words).map(([name, text], at) => ({
    ...{ id: `words-${index}-${at}`, box: name, start, end },
    overlay: name === "was" ? struck(text) : { text },
  })),
  ...{ images: [], layers: [], effects: [] },
});

const struck = (text: string) => ({ spans: [{ text, strike: true }] });

const groupOf = ({ index }: SceneTimes): string => `words-${index}`;

const centerOf = ({ x, y, width, height }: Box, { width: w, height: h }: Canvas) => ({
  centerX: toTenths(x + width / 2 - w / 2),
  centerY: toTenths(y + height / 2 - h / 2),
});

/** The words of a text in its box, as large as they can be. */
function settingOf({ design, frame, element, box }: Shown, mostFontSize = Number.POSITIVE_INFINITY) {
  const { attributes, name } = element;
  const unit = unitOf(partsOf(design, frame).words);
  const number = (key: string, byDefault: number) => Number(attributes[`data-${key}`] ?? byDefault);
  const text = design.words[name] ?? "";
  const style = styleFor(design.look, (attributes["data-type"] ?? "text") as TypeRole, text);
  const padding = number("padding", 0) * unit;
  const set = setLarge(text, {
    width: Math.max(1, box.width - 2 * padding) / style.width,
    height: (Math.max(1, box.height - 2 * padding) * lineHeight) / style.lineHeight,
    maxLines: number("lines", 3),
    maxFontSize: Math.min(mostFontSize, number("size", 80) * style.size * unit),
  });
  return { ...set, style, padding, radius: number("radius", 0) * unit };
}

const isItem = (name: string): boolean => name.startsWith("item-");

function textOf(shown: Shown, at: number, itemSize: number): Placed {
  const { design, frame, element, box, times } = shown;
  const { attributes, name } = element;
  const { colors } = design;
  const { lines, fontSize, style, padding, radius } = settingOf(shown, isItem(name) ? itemSize : undefined);
  const background = attributes["data-background"];
  const set = lines.join("\n");
  const { box: marked, part = "" } = highlightOf(design) ?? {};
  const spans = marked === name ? highlightedSpans(design, set, part, attributes) : undefined;
  const { start, end, moves } = motionOf(shown);
  return {
    id: `words-${times.index}-${at}`,
    ...{ box: name, start, end },
    overlay: {
      ...(attributes["data-strike"] === undefined ? { text: set, ...(spans && { spans }) } : struck(set)),
      ...{ fontSize: toTenths(fontSize), group: groupOf(times) },
      ...{ fontFamily: style.family, fontWeight: style.weight, lineHeight: style.lineHeight },
      ...(style.case && { case: style.case }),
      ...(style.letterSpacing !== 0 && { letterSpacing: toTenths(style.letterSpacing * fontSize) }),
      ...{ fontColor: colorOf(colors, attributes["data-color"] ?? "ink"), shadowColor: "transparent", shadowBlur: 0 },
      ...{
        align: alignOf(attributes["data-align"] ?? "start", design),
        verticalAlign: attributes["data-valign"] ?? "middle",
      },
      ...{ maxWidth: toTenths(box.width - 2 * padding), maxHeight: toTenths(box.height - 2 * padding) },
      ...(background && {
        ...{ background: colorOf(colors, background), padding: Math.round(padding) },
        ...{ radius: Math.round(radius) },
      }),
      ...centerOf(box, frame.canvas),
      ...moves,
    },
  };
}

/** A number or an address stands on the side of the words around it. */
const alignOf = (align: string, { words }: SceneDesign): string => {
  if (align !== "start" && align !== "end") return align;
  return (startOfAll(words) === "left") === (align === "start") ? "left" : "right";
};

/** The style of a role, in the writing system of the text. */
function styleFor(look: Look, role: TypeRole, text: string): RoleStyle {
  const style = look.type[role] ?? look.type.text;
  const own = Object.entries(style.scripts ?? {}).find(([script]) => new RegExp(`\\p{sc=${script}}`, "u").test(text));
  if (own) return { ...style, ...withoutUndefined(own[1]) } as RoleStyle;
  return { ...style, lineHeight: Math.max(style.lineHeight, leastLineHeight(text)) };
}

function logoOf(shown: Shown): readonly Placed[] {
  const { design, frame, box, times, element } = shown;
  if (!design.logo) return [];
  const { start, end, moves } = motionOf(shown);
  const overlay = {
    ...{ assetId: design.logo.assetId, group: groupOf(times), opacity: 1, rotation: 0, maintainAspectRatio: true },
    ...{ width: Math.round(box.width), height: Math.round(box.height), ...centerOf(box, frame.canvas), ...moves },
  };
  return [{ id: `${groupOf(times)}-${element.name}`, box: element.name, start, end, overlay }];
}

type Moves = { readonly [field: string]: readonly [from: number, to: number] };

/** The most that a pixel of a photo is enlarged. */
const mostEnlarged = 2.2;

/**
 * How a photo moves while it is seen, in turn, so that one photo is three shots: the whole, its subject close up, and a
 * pan over it.
 */
function photoMoves({ picture, turn }: SceneDesign, { width, height }: Box): Moves {
  const { size = { width, height }, focus = { x: 0.5, y: 0.5 }, device } = picture ?? {};
  const filled = Math.max(width / size.width, height / size.height);
  const close = Math.min(2, Math.max(1.35, mostEnlarged / filled));
  const still = { focusX: [focus.x, focus.x], focusY: [focus.y, focus.y] } as const;
  const around = [Math.max(0, focus.x - 0.12), Math.min(1, focus.x + 0.12)] as const;
  // words on a screen are read: it is shown whole first
  const shots: readonly Moves[] = device
    ? [{ zoom: [1, 1.04] }, { zoom: [1, 1.5], ...still }, { zoom: [1.12, 1.12], focusY: [0, 1] }]
    : [
        { zoom: [1, 1.08], ...still },
        { zoom: [close, 0.9 * close], ...still },
        { zoom: [1.2, 1.2], ...still, focusX: around },
      ];
  // safe because the remainder is one of the indexes
  return shots[turn % shots.length]!;
}

/** The corners of a phone's screen, in units. */
const phoneRadius = 48;

/** A product without a background stands on the ground of the page, and does not float over it. */
const shadowIn = (unit: number) => ({
  color: "rgba(0, 0, 0, 0.4)",
  y: Math.round(36 * unit),
  blur: Math.round(32 * unit),
});

function pictureOf(shown: Shown): readonly Placed[] {
  const { design, frame, element, box, times } = shown;
  if (!design.picture) return [];
  const { start, end, moves } = motionOf(shown);
  const { assetId, isWhole, device } = design.picture;
  const size = { width: Math.round(box.width), height: Math.round(box.height), ...centerOf(box, frame.canvas) };
  const seconds = toThousandths(end - start);
  const moved = Object.entries(photoMoves(design, box)).map(([field, [from, to]]) => {
    const keyframes = [{ at: 0, value: from }, ...(to === from ? [] : [{ at: seconds, value: to }])];
    return [field, keyframes] as const;
  });
  const overlay = {
    ...{ assetId, opacity: 1, rotation: 0, maintainAspectRatio: true, group: groupOf(times), ...size },
    ...(isWhole && !device
      ? { fit: "contain", shadow: shadowIn(unitOf(partsOf(design, frame).words)) }
      : { fit: "cover", keyframes: Object.fromEntries(moved) }),
    ...(device === "phone" && { radius: Math.round(phoneRadius * unitOf(partsOf(design, frame).words)) }),
    ...moves,
  };
  return [{ id: `${groupOf(times)}-picture`, box: element.name, start, end, overlay }];
}

/** A part of the page as a layer of its own. */
function layerOf(shown: Shown): PlacedLayer {
  const { design, frame, element, box, times } = shown;
  const { start, end, moves } = motionOf(shown);
  const isSubject = element.kind === "subject";
  const unit = unitOf(partsOf(design, frame).words);
  const area = isSubject ? box : bledBox(box, Number(element.attributes["data-bleed"] ?? 0) * unit);
  const card = isSubject
    ? subjectCard(design.subject ?? "")
    : cutOut(layoutCard(design, frame, { box: element.name }), area, frame.canvas);
  const isWhole = area.width >= frame.canvas.width && area.height >= frame.canvas.height;
  return {
    ...{
      type: "html",
      id: `look-${times.index}-${element.name}`,
      position: start,
      end,
      layer: heights[isSubject ? "subject" : "part"],
    },
    ...{ ...card, width: Math.round(area.width), height: Math.round(area.height), ...centerOf(area, frame.canvas) },
    ...(!isWhole && { group: groupOf(times) }),
    ...moves,
  };
}

/** What lies on the ground of a drawn scene, as a layer of its own: it fades while the scenes cross. */
function artOf(design: SceneDesign, frame: SceneFrame, times: SceneTimes): PlacedLayer {
  const { start, end, moves } = withTheScene(times);
  return {
    ...{ type: "html", id: `look-${times.index}-art`, position: start, end },
    ...{ layer: heights.art, ...layoutCard(design, frame, "art"), centerX: 0, centerY: 0 },
    ...{ width: frame.canvas.width, height: frame.canvas.height },
    ...moves,
  };
}

/** Shadows and glows of a part reach beyond its box. */
const bledBox = ({ x, y, width, height }: Box, bleed: number): Box => {
  const [left, top] = [Math.floor(x - bleed), Math.floor(y - bleed)];
  return { x: left, y: top, width: Math.ceil(x + width + bleed) - left, height: Math.ceil(y + height + bleed) - top };
};

const subjectCard = (svg: string): LayoutCard => ({ html: svg, css: "svg{width:100%;height:100%}" });

/** A page whose area begins at the card's corner. */
const cutOut = ({ html, css }: LayoutCard, { x, y }: Box, { width, height }: Canvas): LayoutCard => ({
  html: `<div style="position:absolute;left:${-x}px;top:${-y}px;width:${width}px;height:${height}px">${html}</div>`,
  css,
});

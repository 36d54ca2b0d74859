import { type Card, defaultSeconds, readCard } from "../../../engine/ports.ts";
import type { Box } from "../../../engine/timeline/overlay.ts";
import type { Canvas } from "../../../engine/timeline/timeline.ts";
import { toTenths, toThousandths, withoutUndefined } from "../../../platform/values.ts";
import { readingSeconds } from "../../exports/request/reading-time.ts";
import { type Gesture, type Layout, type Look, type RoleStyle, sameAs, type TypeRole } from "../../looks/looks.ts";
import type { EditorOverlay } from "../../works/editor-state.ts";
import type { SceneColors } from "./film-look.ts";
import { leastLineHeight, lineHeight, setLarge, startOf } from "./lines.ts";

/** A scene as its look sets it. */
export type SceneDesign = {
  readonly look: Look;
  readonly layout: Layout;
  readonly words: Readonly<Record<string, string>>;
  readonly colors: SceneColors;
  /** The picture of the whole frame is not the look's own ground. */
  readonly isOnPicture: boolean;
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

/** An overlay of the editor with its times, in seconds. */
export type Placed = {
  readonly id: string;
  readonly start: number;
  readonly end: number;
  readonly overlay: EditorOverlay;
};

/** A layer of a request. */
export type PlacedLayer = { readonly id: string; readonly [field: string]: unknown };

/** An effect of a look at a moment of the film, in seconds. Of two at once, the one with the higher weight sounds. */
export type PlacedEffect = { readonly name: string; readonly at: number; readonly weight: number };

type Boxes = Readonly<Record<string, Box>>;

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

type Kind = "text" | "part" | "subject" | "logo" | "picture";

type LayoutElement = {
  readonly name: string;
  readonly kind: Kind;
  readonly attributes: Readonly<Record<string, string>>;
};

const kinds: readonly Kind[] = ["text", "part", "subject", "logo", "picture"];

/** The place of a photo, which every layout has. */
const picturePlace = '<div class="picture" data-box="picture" data-picture></div>';

const pageOf = ({ look, layout, picture }: SceneDesign): string => (picture ? picturePlace : "") + look.html[layout];

/** The elements of a layout with a box, in the order of the page. */
function elementsOf({ body }: Pick<Card, "body">): readonly LayoutElement[] {
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

/** The page of a scene in its frame. Only `shown` of its elements with boxes are visible; by default, all. */
export function layoutCard(design: SceneDesign, frame: SceneFrame, shown?: string | null): LayoutCard {
  const { look, layout, words, subject, picture, isOnPicture, turn } = design;
  const unit = unitOf(frame.canvas);
  const html = pageOf(design);
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

/** Hides what is drawn elsewhere: `null` shows the ground alone. */
function visibilityCss(shown: string | null | undefined): string {
  if (shown === undefined) return "";
  if (shown === null) return kinds.map((kind) => `[data-${kind}],[data-${kind}] *{visibility:hidden}`).join("");
  return `.frame,.frame *{visibility:hidden}.frame{background:none}[data-box="${shown}"],[data-box="${shown}"] *{visibility:visible}`;
}

/** Seconds on the timeline; the scene before it leaves during its first `transition` seconds. */
export type SceneTimes = {
  /** The beats of the music: prices and numbers come on one. */
  readonly grid?: { readonly beats: readonly number[]; readonly bars: readonly number[] };
  readonly index: number;
  readonly start: number;
  readonly end: number;
  readonly transition: number;
};

export type SceneLayers = {
  readonly texts: readonly Placed[];
  readonly images: readonly Placed[];
  readonly layers: readonly PlacedLayer[];
  readonly effects: readonly PlacedEffect[];
};

/** Lower than the texts of a film. */
const heights = { part: -2, subject: -1 };

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
  const layers: PlacedLayer[] = [];
  const effects: PlacedEffect[] = [];
  for (const element of elementsOf(card)) {
    const box = boxes[element.name];
    if (!box) continue;
    const shown = { design, frame, element, box, times };
    effects.push(...effectOf(shown));
    if (element.kind === "text") texts.push(textOf(shown, texts.length));
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
    ...{ id: `words-${index}-${at}`, start, end },
    overlay: name === "was" ? struck(text) : { text },
  })),
  ...{ images: [], layers: [], effects: [] },
});

const struck = (text: string) => ({ spans: [{ text, strike: true }] });

type Shown = {
  readonly design: SceneDesign;
  readonly frame: SceneFrame;
  readonly element: LayoutElement;
  readonly box: Box;
  readonly times: SceneTimes;
};

const groupOf = ({ index }: SceneTimes): string => `words-${index}`;

function gestureOf({ design: { look, layout }, element: { name, kind } }: Shown): Gesture {
  const general = kind === "text" ? "words" : kind === "part" ? "parts" : kind === "picture" ? "picture" : "subject";
  return (
    look.motion[`${layout}.${name}`] ??
    look.motion[`${sameAs[layout]}.${name}`] ??
    look.motion[name] ??
    look.motion[general] ?? { delay: 0 }
  );
}

/** Two frames, of which reading loses a part at each end. */
const roundingSeconds = 0.07;

/** The least that late words of a short scene are visible. */
const leastSeconds = 0.8;

/** The share of a transition after which a scene is seen. */
export const arrived = 0.6;

/** The start, the end and the moves of an element; the first frame of a film shows its headline. */
function motionOf(shown: Shown) {
  const { element, times, design } = shown;
  const { enter, exit, loop, delay } = gestureOf(shown);
  const isFirst = times.start === 0 && element.attributes["data-first"] !== undefined;
  const isLast = design.layout === "end-card";
  const entrance = isFirst ? undefined : enter;
  const leaving = isLast ? undefined : exit;
  // words come when most of the picture has come
  const from = times.start + (isFirst ? 0 : arrived * times.transition);
  // of all elements, so that parts keep up with their words
  const reading = Math.max(...Object.values(design.words).map(readingSeconds)) + roundingSeconds;
  // what is left of the scene beside the time to read
  const spare = times.end - from - reading;
  const [enterSeconds, exitSeconds] = [secondsOf(entrance, "enter"), secondsOf(leaving, "exit")];
  const share = Math.min(1, Math.max(0, spare) / Math.max(1e-6, enterSeconds + exitSeconds));
  const latest = Math.min(Math.max(0, spare - enterSeconds - exitSeconds), times.end - from - leastSeconds);
  const late = Math.max(0, Math.min(delay, latest));
  return {
    start: toThousandths(from + (isFirst ? 0 : onBeat(shown, { from, late, latest }))),
    end: toThousandths(times.end),
    moves: {
      ...shortened("enter", entrance, enterSeconds * share),
      ...shortened("exit", leaving, exitSeconds * share),
      ...(loop !== undefined && { loop }),
    },
  };
}

/** The boxes that come on a beat. */
const accented = ["price", "number"];

/** How far a box moves to a beat, in seconds, and how near to it others move with it. */
const beatReach = 0.3;
const together = 0.15;

type Delay = { readonly from: number; readonly late: number; readonly latest: number };

/** The delay with which a price, a number, or what comes together with it begins on a beat, at best the first of a bar. */
function onBeat({ design: { look, layout, words }, times }: Shown, { from, late, latest }: Delay): number {
  const name = accented.find((each) => words[each]);
  if (!times.grid || name === undefined) return late;
  const { delay: own } = look.motion[`${layout}.${name}`] ?? look.motion[name] ?? look.motion.words ?? { delay: 0 };
  if (Math.abs(own - late) > together) return late;
  const wanted = from + own;
  const isNear = (beat: number) => Math.abs(beat - wanted) <= beatReach;
  const { bars, beats } = times.grid;
  const near = bars.filter(isNear).length > 0 ? bars.filter(isNear) : beats.filter(isNear);
  const beat = near.toSorted((one, other) => Math.abs(one - wanted) - Math.abs(other - wanted))[0];
  const moved = beat === undefined ? late : late + beat - wanted;
  return moved >= 0 && moved <= Math.max(late, latest) ? moved : late;
}

type Move = NonNullable<Gesture["enter"]>;

function secondsOf(move: Move | undefined, role: "enter" | "exit"): number {
  if (move === undefined) return 0;
  const seconds = typeof move === "string" ? undefined : move.seconds;
  return typeof seconds === "number" ? seconds : defaultSeconds(typeof move === "string" ? move : move.name, role);
}

/** Shorter moves look like cuts. */
const leastMoveSeconds = 0.15;

/** A move that leaves time to read; none if it would look like a cut. */
function shortened(role: "enter" | "exit", move: Move | undefined, seconds: number) {
  if (move === undefined || seconds < leastMoveSeconds) return {};
  const named = typeof move === "string" ? { name: move } : move;
  return { [role]: { ...named, seconds: toThousandths(seconds) } };
}

const centerOf = ({ x, y, width, height }: Box, { width: w, height: h }: Canvas) => ({
  centerX: toTenths(x + width / 2 - w / 2),
  centerY: toTenths(y + height / 2 - h / 2),
});

function textOf(shown: Shown, at: number): Placed {
  const { design, frame, element, box, times } = shown;
  const { attributes, name } = element;
  const { colors, look, words } = design;
  const unit = unitOf(frame.canvas);
  const number = (key: string, byDefault: number) => Number(attributes[`data-${key}`] ?? byDefault);
  const text = words[name] ?? "";
  const style = styleFor(look, (attributes["data-type"] ?? "text") as TypeRole, text);
  const padding = number("padding", 0) * unit;
  const room = {
    width: Math.max(1, box.width - 2 * padding) / style.width,
    height: (Math.max(1, box.height - 2 * padding) * lineHeight) / style.lineHeight,
    maxLines: number("lines", 3),
    maxFontSize: number("size", 80) * style.size * unit,
  };
  const { lines, fontSize } = setLarge(text, room);
  const background = attributes["data-background"];
  const { start, end, moves } = motionOf(shown);
  return {
    id: `words-${times.index}-${at}`,
    ...{ start, end },
    overlay: {
      ...(attributes["data-strike"] === undefined ? { text: lines.join("\n") } : struck(lines.join("\n"))),
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
        ...{ radius: Math.round(number("radius", 0) * unit) },
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

const startOfAll = (words: SceneDesign["words"]): "left" | "right" => startOf(Object.values(words).join(" "));

const colorOf = (colors: SceneColors, name: string): string =>
  ({ ...colors, "on-shape": colors.onShape, "on-emphasis": colors.onEmphasis })[name] ?? colors.ink;

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
  return [{ id: `${groupOf(times)}-${element.name}`, start, end, overlay }];
}

/** How much a photo grows while it is seen. */
const photoZoom = 1.08;

function pictureOf(shown: Shown): readonly Placed[] {
  const { design, frame, box, times } = shown;
  if (!design.picture) return [];
  const { start, moves } = motionOf(shown);
  const { assetId, isWhole } = design.picture;
  const size = { width: Math.round(box.width), height: Math.round(box.height), ...centerOf(box, frame.canvas) };
  const zoom = [
    { at: 0, value: 1 },
    { at: toThousandths(times.end - start), value: photoZoom },
  ];
  const overlay = {
    ...{ assetId, opacity: 1, rotation: 0, maintainAspectRatio: true, group: groupOf(times), ...size },
    ...(isWhole ? { fit: "contain" } : { fit: "cover", keyframes: { zoom } }),
    ...moves,
  };
  return [{ id: `${groupOf(times)}-picture`, start, end: toThousandths(times.end), overlay }];
}

/** A part of the page as a layer of its own. */
function layerOf(shown: Shown): PlacedLayer {
  const { design, frame, element, box, times } = shown;
  const { start, end, moves } = motionOf(shown);
  const isSubject = element.kind === "subject";
  const area = isSubject ? box : bledBox(box, Number(element.attributes["data-bleed"] ?? 0) * unitOf(frame.canvas));
  const card = isSubject
    ? subjectCard(design.subject ?? "")
    : cutOut(layoutCard(design, frame, element.name), area, frame.canvas);
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

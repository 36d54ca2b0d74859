import type { LayerInput } from "../../exports/request/layers/inputs.ts";
import { maxDepth } from "../../exports/request/layers/nesting.ts";
import type { Draft, ReadContext } from "../reading/draft.ts";
import { ignored, type Property, used } from "../reading/property.ts";
import { readBy, rounded, within } from "../reading/rows.ts";
import type { Element, ElementContext, Parent, Times } from "./element.ts";
import { firstOf, hasPrevious } from "./element-properties.ts";
import { elementTypes } from "./element-types.ts";
import { layerOf } from "./layers.ts";
import { boxOf } from "./places.ts";
import { framesOf, isKeyed, pixelsOf, secondsOf } from "./values.ts";

/** Seconds that an element lasts by itself: by its duration, its file or its content; undefined until its parent ends. */
export function ownLength(element: Property, context: ReadContext): number | undefined {
  const duration = element.at("duration");
  const type = element.at("type").text;
  const given = duration.text === "media" ? undefined : secondsOf(duration);
  if (given !== undefined) return Math.max(0.01, given);
  const isEndless = duration.raw === null || element.at("loop").flag === true;
  if ((type === "video" || type === "audio") && !isEndless) {
    const trimmed = secondsOf(element.at("trim_duration"));
    if (trimmed !== undefined) return Math.max(0.01, trimmed);
    const seconds = context.media(element.at("source"), type)?.seconds;
    return seconds === undefined ? undefined : Math.max(0.01, seconds - (secondsOf(element.at("trim_start")) ?? 0));
  }
  if (type === "composition") return contentLength(element.at("elements"), context);
  return undefined;
}

type PlacedElement = {
  readonly element: Property;
  readonly start: number;
  readonly length: number | undefined;
  readonly follows: boolean;
};

/** When the elements of a list begin: those of one track follow each other, and overlap by their transitions. */
export function timesOf(list: Property, context: ReadContext, parentLength = 0): readonly PlacedElement[] {
  const ends = new Map<string, number>();
  return list.items.map((element) => {
    const track = element.at("track");
    const key = track.number === undefined ? undefined : String(track.number);
    const before = key === undefined ? undefined : ends.get(key);
    const transition = element.at("animations").items.find((each) => each.at("transition").flag === true);
    const overlap = transition && before !== undefined ? (secondsOf(transition.at("duration")) ?? 1) : 0;
    const given = secondsOf(element.at("time"), parentLength);
    const start = within(given ?? Math.max(0, (before ?? 0) - overlap), { min: 0, max: 3600 });
    const length = ownLength(element, context);
    if (key !== undefined) ends.set(key, start + (length ?? Math.max(0, parentLength - start)));
    return { element, start, length, follows: before !== undefined };
  });
}

/** Seconds until the last element of a list ends; undefined if none has an end of its own. */
export function contentLength(list: Property, context: ReadContext): number | undefined {
  const ends = timesOf(list, context).flatMap(({ start, length }) => (length === undefined ? [] : [start + length]));
  return ends.length > 0 ? Math.min(3600, Math.max(...ends)) : undefined;
}

/** The layers of a list of elements, bottom first, and the transitions between them. */
export function readElements(list: Property, parent: Parent, context: ElementContext): readonly Draft[] {
  if (list.items.length === 0 && !list.isAbsent) list.mark(used("nothing"));
  const read = timesOf(list, context, parent.length).flatMap(({ element, start, length, follows }, index) => {
    const rest = Math.max(0.01, parent.length - start);
    const end = Math.min(start + (length ?? rest), 3600);
    const isLoop = element.at("type").text === "composition" && element.at("loop").flag === true;
    const plays = element.at("plays").number;
    const last = isLoop && length !== undefined ? start + (plays === undefined ? rest : plays * length) : end;
    const times = { position: rounded(start), end: rounded(within(last, { min: start + 0.01, max: 3600 })) };
    const made = readElement(element, { times, parent, follows, length: isLoop ? length : undefined }, context);
    return made ? [{ ...made, index, track: element.at("track").number ?? index + 1 }] : [];
  });
  const ordered = read.toSorted(
    (one, other) => (one.z ?? one.track) - (other.z ?? other.track) || one.index - other.index,
  );
  return withMasks(ordered, context);
}

type Made = { readonly draft: Draft; readonly z: number | undefined; readonly maskMode: string | undefined };

/** A mask shows a part of what lies just below it. */
function withMasks(made: readonly Made[], context: ElementContext): readonly Draft[] {
  const drafts: Draft[] = [];
  for (const { draft, maskMode } of made) {
    const below = drafts.at(-1);
    if (!maskMode || !below) {
      drafts.push(draft);
      continue;
    }
    const id = draft.layer.id ?? context.nextId();
    const [by, inverted] = maskMode.split("-");
    const mask = { layer: id, by: by as "alpha" | "luma", ...(inverted && { invert: true }) };
    const masked = below.layer.mask ? below : { ...below, layer: { ...below.layer, mask } as LayerInput };
    if (masked === below) draft.from.at("mask_mode").mark(ignored("A layer has one mask."));
    drafts.splice(-1, 1, { ...draft, layer: { ...draft.layer, id } as LayerInput }, masked);
  }
  return drafts;
}

type Placing = {
  readonly times: Times;
  readonly parent: Parent;
  readonly follows: boolean;
  /** Seconds of one pass of a composition that loops. */
  readonly length: number | undefined;
};

function readElement(from: Property, placing: Placing, context: ElementContext): Made | undefined {
  const { times, parent, follows, length = times.end - times.position } = placing;
  const type = from.at("type").text ?? "";
  const table = Object.hasOwn(elementTypes, type) ? elementTypes[type] : undefined;
  if (!table) {
    from.mark(ignored("Is not a type of element that is known here."));
    return undefined;
  }
  if (from.at("visible").flag === false) {
    from.mark(used("nothing: it is not visible"));
    return undefined;
  }
  const box = boxOf(from, type, parent);
  const fixed = isKeyed(from.at("font_size"))
    ? pixelsOf(firstOf(from.at("font_size")), parent.size.height, parent.frame)
    : pixelsOf(from.at("font_size"), parent.size.height, parent.frame);
  const isAuto = type === "text" && fixed === undefined && !box.hasNone;
  const element: Element = {
    from,
    type,
    times,
    length,
    box: box.inner,
    parent,
    look: {},
    keyframes: {},
    filter: {},
    words: "",
    isAuto,
    ...(type === "text" && !isAuto && { fontSize: within(fixed ?? 0.05 * parent.frame.height, { min: 1, max: 1000 }) }),
    stroke: {},
    isMuted: false,
    fades: { in: 0, out: 0 },
    layers: [],
    isRepeated: false,
    z: undefined,
  };
  if (type === "text") readWords(element, context);
  if (follows) hasPrevious.add(from.at("animations"));
  if (type === "composition") {
    const inside = readInside(element, context);
    if (!inside) return undefined;
  }
  readBy(table, from, element, context);
  const layer = layerOf(element, box, context);
  if (!layer) return undefined;
  const transition = element.animated?.transition;
  return { draft: { from, layer, ...(transition && { transition }) }, z: element.z, maskMode: element.maskMode };
}

function readWords(element: Element, context: ElementContext): void {
  const text = firstOf(element.from.at("text"));
  const own = (text.template ?? "").slice(0, 10_000);
  const key = context.placeholderOf(element.from, "text");
  element.words = key ? `{{${key}}}` : own;
  if (isKeyed(element.from.at("text"))) {
    element.keyframes.text = framesOf(element.from.at("text"), element.length, (each) =>
      each.template?.slice(0, 10_000),
    );
  }
}

/** Reads the elements of a composition; undefined if groups would nest too deep. */
function readInside(element: Element, context: ElementContext): true | undefined {
  const { from, box, parent, times } = element;
  const isLoop = from.at("loop").flag === true;
  if (parent.depth >= maxDepth) {
    from.mark(ignored(`Groups nest at most ${maxDepth} deep.`));
    return undefined;
  }
  const inside: Parent = {
    size: box,
    frame: parent.frame,
    length: isLoop ? element.length : (contentLength(from.at("elements"), context) ?? element.length),
    start: parent.start + times.position,
    depth: parent.depth + 1,
  };
  const whole = isLoop ? inside.length : Math.max(inside.length, element.length);
  const drafts = readElements(from.at("elements"), { ...inside, length: whole }, context);
  element.layers = drafts.map(({ layer, transition }) => {
    if (!transition || layer.enter) return layer;
    return { ...layer, enter: { ...entranceOf(transition.kind), seconds: transition.seconds } } as LayerInput;
  });
  return true;
}

const entranceOf = (kind: string) => {
  const direction = (["left", "right", "up", "down"] as const).find((name) => kind.endsWith(name));
  if (kind.startsWith("wipe") && direction) return { name: "wipe", direction };
  if (kind.startsWith("push") && direction) return { name: "fly", direction };
  return kind === "circleopen" ? { name: "wipe", direction: "circle" as const } : { name: "fade" };
};

import type { ActiveMove, Effects, Filter, Keyframes, Mask, Motion, NumberProperty } from "../timeline/motion.ts";
import type { Box, DrawnState, GroupContent, GroupLayer, Overlay, Stretch, TextContent } from "../timeline/overlay.ts";
import { type FrameRate, toSeconds } from "../timeline/time.ts";
import { footageTime, lottieFrame, pictureAt } from "./footage.ts";
import { colorAt, fillAt, textAt, valueAt } from "./keyframes.ts";

/** The middle of a frame of the timeline, in seconds: when drawn motion is sampled. */
export const sampleTime = (frame: number, rate: FrameRate): number => toSeconds(frame + 0.5, rate);

/** The appearance of an overlay on a frame in its range; undefined if it shows nothing there. */
export function stateOn(overlay: Overlay, frame: number, rate: FrameRate): DrawnState | undefined {
  const { range, motion } = overlay;
  const start = toSeconds(range.start, rate) - (motion?.lead ?? 0);
  return stateAt({ ...overlay, start }, { seconds: sampleTime(frame, rate), half: toSeconds(0.5, rate) });
}

/** An overlay at rest: at the middle of the time between its entrance and its exit, without its moves. */
export function restingState(overlay: Overlay, rate: FrameRate): DrawnState | undefined {
  const { range, motion } = overlay;
  const start = toSeconds(range.start, rate) - (motion?.lead ?? 0);
  const lengths = motion ? moveSeconds(motion) : { enter: 0, exit: 0 };
  const seconds = motion?.seconds ?? toSeconds(range.end - range.start, rate);
  const still = motion && { ...motion, enter: undefined, exit: undefined, loop: undefined, motions: undefined };
  const middle = start + (lengths.enter + seconds - lengths.exit) / 2;
  return stateAt({ ...overlay, start, motion: still }, { seconds: middle, half: 0 });
}

type Timed = Omit<GroupLayer, "end">;

/** A moment of a clock, and half a frame on it: footage shows its own time at the beginning of a frame. */
type Moment = { readonly seconds: number; readonly half: number };

/** The appearance of a visible layer at a time of the clock that its times are on. */
function stateAt(layer: Timed, clock: Moment): DrawnState | undefined {
  const { motion, effects, within, view } = layer;
  const time = clock.seconds - layer.start;
  const keyed = motion?.keyframes;
  const numbers = numbersAt(keyed, time);
  const content = contentAt(layer.content, { keyed, numbers, time, half: clock.half });
  const opacity = numbers.opacity ?? layer.opacity;
  if (!content || opacity <= 0) return undefined;
  const mask = effects?.mask && maskAt(effects.mask, clock);
  if (mask === "hides") return undefined;
  const shown = effectsAt(effects, numbers, layer.content.kind, mask);
  const moves = motion ? movesAt(motion, time) : [];
  return {
    content,
    opacity: rounded(opacity),
    rotationDegrees: rounded(numbers.rotation ?? layer.rotationDegrees),
    ...(within && { within }),
    ...(shown && { effects: shown }),
    ...(moves.length > 0 && { moves }),
    ...(view && { view }),
  };
}

/** Six decimals: equal looks at different times get equal descriptions. */
const rounded = (value: number): number => Math.round(value * 1e6) / 1e6;

type Numbers = Readonly<Partial<Record<NumberProperty, number>>>;

const colorProperties = new Set(["fontColor", "strokeColor", "fill", "text"]);

function numbersAt(keyed: Keyframes | undefined, time: number): Numbers {
  if (!keyed) return {};
  const properties = Object.keys(keyed).filter((name) => !colorProperties.has(name)) as NumberProperty[];
  return Object.fromEntries(properties.map((name) => [name, rounded(valueAt(keyed[name]!, time))]));
}

type Sample = {
  readonly keyed: Keyframes | undefined;
  readonly numbers: Numbers;
  readonly time: number;
  readonly half: number;
};

function contentAt(content: GroupLayer["content"], sample: Sample): DrawnState["content"] | undefined {
  const { keyed, numbers, time, half } = sample;
  switch (content.kind) {
    case "caption":
      return content;
    case "text":
      return keyed ? textContentAt(content, sample) : content;
    case "image": {
      const { plays, ...image } = content;
      const { focusX = image.focus?.x ?? 0.5, focusY = image.focus?.y ?? 0.5, zoom } = numbers;
      const isFocused = numbers.focusX !== undefined || numbers.focusY !== undefined;
      return {
        ...image,
        box: boxAt(image.box, numbers),
        ...(plays && { picture: pictureAt(plays, time - half) }),
        ...(isFocused && { focus: { x: focusX, y: focusY } }),
        ...(zoom !== undefined && { zoom }),
      };
    }
    case "shape": {
      const { strokeWidth, radius, trimStart, trimEnd, trimOffset } = numbers;
      const { trim = { start: 0, end: 1, offset: 0 }, stroke } = content;
      const isTrimmed = trimStart !== undefined || trimEnd !== undefined || trimOffset !== undefined;
      return {
        ...content,
        box: boxAt(content.box, numbers),
        ...(keyed?.fill && { fill: fillAt(keyed.fill, time) }),
        ...(radius !== undefined && { radius }),
        ...(stroke && {
          stroke: {
            ...stroke,
            ...(strokeWidth !== undefined && { width: strokeWidth }),
            ...(keyed?.strokeColor && { color: colorAt(keyed.strokeColor, time) }),
          },
        }),
        ...(isTrimmed && {
          trim: { start: trimStart ?? trim.start, end: trimEnd ?? trim.end, offset: trimOffset ?? trim.offset },
        }),
      };
    }
    case "html": {
      const { moments, box, ...card } = content;
      return { ...card, box: boxAt(box, numbers), timeMs: cssTimeAt(moments, time) };
    }
    case "lottie": {
      const { frameRate, from, to, repeats, ...animation } = content;
      const frame = rounded(lottieFrame({ frameRate, from, to, repeats }, time - half));
      return { ...animation, box: boxAt(content.box, numbers), frame };
    }
    case "group":
      return groupAt(content, numbers, { seconds: time, half });
    case "video": {
      const { kind, source, fit, chromaKey, focus = middlePoint, zoom } = content;
      const { focusX = focus.x, focusY = focus.y } = numbers;
      return {
        ...{ kind, source, fit, box: boxAt(content.box, numbers), focus: { x: focusX, y: focusY } },
        ...((numbers.zoom ?? zoom) !== undefined && { zoom: numbers.zoom ?? zoom }),
        ...(chromaKey && { chromaKey }),
        at: rounded(footageTime(content, keyed?.speed, { seconds: time - half, half })),
      };
    }
  }
}

const middlePoint = { x: 0.5, y: 0.5 };

/** Keeps the left or top side if that is keyed, else the middle. */
function boxAt(box: Box, numbers: Numbers): Box {
  const { width = box.width, height = box.height, x, y, centerX, centerY } = numbers;
  const middle = { x: centerX ?? box.x + box.width / 2, y: centerY ?? box.y + box.height / 2 };
  return { x: x ?? middle.x - width / 2, y: y ?? middle.y - height / 2, width, height };
}

function textContentAt(content: TextContent, { keyed = {}, numbers, time }: Sample): TextContent {
  const { anchor, style } = content;
  const { fontSize, letterSpacing, strokeWidth, radius } = numbers;
  const stroke = style.stroke ?? { color: { red: 0, green: 0, blue: 0, alpha: 1 }, width: 0 };
  const strokes = strokeWidth !== undefined || keyed.strokeColor !== undefined;
  const fill = keyed.fill && fillAt(keyed.fill, time);
  const { spans, ...plain } = content;
  return {
    ...plain,
    ...(keyed.text ? { text: textAt(keyed.text, time) } : spans && { spans }),
    anchor: {
      ...anchor,
      x: (anchor.at === "center" ? numbers.centerX : numbers.x) ?? anchor.x,
      y: (anchor.at === "center" ? numbers.centerY : numbers.y) ?? anchor.y,
    },
    style: {
      ...style,
      ...(fontSize !== undefined && { fontSize }),
      ...(letterSpacing !== undefined && { letterSpacing }),
      ...(keyed.fontColor && { fontColor: colorAt(keyed.fontColor, time) }),
      ...(fill && ("stops" in fill ? { fill } : { fontColor: fill })),
      ...(strokes && {
        stroke: {
          width: strokeWidth ?? stroke.width,
          color: keyed.strokeColor ? colorAt(keyed.strokeColor, time) : stroke.color,
        },
      }),
      ...(radius !== undefined && style.background && { background: { ...style.background, radius } }),
    },
  };
}

/** The layers that are visible at a time of the group's parent, sampled on the group's own clock. */
function groupAt({ kind, box, clips, ...group }: GroupContent, numbers: Numbers, time: Moment): DrawnState["content"] {
  const clock = clockOf(group, time);
  const { seconds } = clock;
  const visible = group.layers.filter(({ start, end }) => seconds >= start - tolerance && seconds < end - tolerance);
  const layers = visible.flatMap((layer) => stateAt(layer, clock) ?? []);
  return { kind, box: boxAt(box, numbers), clips, layers };
}

/** Between animations, the time after the last one that ended. */
function cssTimeAt(moments: readonly Stretch[], time: number): number {
  const current = moments.findLast(({ from }) => time >= from - tolerance);
  if (!current) return 0;
  const { to } = current;
  const isRunning = to === undefined || time < to - tolerance;
  return isRunning ? Math.round(time * 1000) : Math.ceil(to * 1000) + 1;
}

const tolerance = 1e-6;

function clockOf({ speed, repeats, seconds }: Omit<GroupContent, "kind" | "box" | "clips">, time: Moment): Moment {
  const own = time.seconds * speed;
  return { seconds: repeats && seconds > 0 ? own % seconds : own, half: time.half * speed };
}

type MaskState = Mask<DrawnState> | "hides" | undefined;

/** A mask whose layer is not visible hides everything, or nothing if it is inverted. */
function maskAt(mask: Mask<GroupLayer>, clock: Moment): MaskState {
  if (mask.kind !== "layer") return mask;
  const { layer } = mask;
  const isVisible = clock.seconds >= layer.start - tolerance && clock.seconds < layer.end - tolerance;
  const state = isVisible ? stateAt(layer, clock) : undefined;
  if (!state) return mask.invert ? undefined : "hides";
  return { ...mask, layer: state };
}

type EffectsOf = Effects<GroupLayer> | undefined;

function effectsAt(effects: EffectsOf, numbers: Numbers, kind: string, mask: MaskState) {
  const { mask: _, filter, ...rest } = effects ?? {};
  const { scale = 1, skewX, skewY, radius } = numbers;
  const isScaled = numbers.scale !== undefined;
  const { scaleX: stillX = 1, scaleY: stillY = 1 } = isScaled ? {} : rest;
  const scaleX = stillX * (numbers.scaleX ?? 1);
  const scaleY = stillY * (numbers.scaleY ?? 1);
  const filters = filterAt(filter, numbers);
  const keepsRadius = kind !== "text" && kind !== "shape";
  const all: Effects<DrawnState> = {
    ...rest,
    ...(scale * scaleX !== 1 || rest.scaleX !== undefined ? { scaleX: rounded(scale * scaleX) } : {}),
    ...(scale * scaleY !== 1 || rest.scaleY !== undefined ? { scaleY: rounded(scale * scaleY) } : {}),
    ...(skewX !== undefined && { skewX }),
    ...(skewY !== undefined && { skewY }),
    ...(radius !== undefined && keepsRadius && { radius }),
    ...(filters && { filter: filters }),
    ...(mask && mask !== "hides" && { mask }),
  };
  const shown = Object.entries(all).filter(([name, value]) => value !== neutral[name]);
  return shown.length > 0 ? (Object.fromEntries(shown) as Effects<DrawnState>) : undefined;
}

/** The values that change nothing: a layer with only these is drawn like one without effects. */
const neutral: Readonly<Record<string, unknown>> = {
  ...{ scaleX: 1, scaleY: 1, skewX: 0, skewY: 0, radius: 0, blend: "normal" },
};

const filterProperties = [
  "brightness",
  "contrast",
  "saturation",
  "grayscale",
  "sepia",
  "invert",
  "hue",
  "blur",
] as const;

const neutralFilter = { brightness: 1, contrast: 1, saturation: 1, grayscale: 0, sepia: 0, invert: 0, hue: 0, blur: 0 };

function filterAt(filter: Filter | undefined, numbers: Numbers): Filter | undefined {
  const values = filterProperties.flatMap((name) => {
    const value = numbers[name] ?? filter?.[name];
    return value === undefined || value === neutralFilter[name] ? [] : [[name, value] as const];
  });
  const amount = numbers.tint ?? filter?.tint?.amount ?? 0;
  const tint = filter?.tint && amount > 0 ? { tint: { ...filter.tint, amount } } : {};
  const found: Filter = { ...Object.fromEntries(values), ...tint };
  return Object.keys(found).length > 0 ? found : undefined;
}

/** The seconds of the entrance and the exit, which both shrink if they do not fit. */
export function moveSeconds({ enter, exit, seconds }: Motion): { readonly enter: number; readonly exit: number } {
  const wanted = (enter?.seconds ?? 0) + (exit?.seconds ?? 0);
  const share = wanted > seconds ? seconds / wanted : 1;
  return { enter: (enter?.seconds ?? 0) * share, exit: (exit?.seconds ?? 0) * share };
}

/** The moves in progress at a time from the layer's start. */
function movesAt(motion: Motion, time: number): readonly ActiveMove[] {
  const lengths = moveSeconds(motion);
  const exitStart = motion.seconds - lengths.exit;
  const { enter, exit, loop, motions = [] } = motion;
  const active: ActiveMove[] = [];
  const add = (move: NonNullable<Motion["enter"]>, kind: ActiveMove["kind"], progress: number, seconds: number) =>
    active.push({ ...move, kind, progress: rounded(progress), seconds: rounded(seconds) });
  if (enter && lengths.enter > 0 && time < lengths.enter - tolerance) {
    add(enter, "enter", Math.max(0, time / lengths.enter), lengths.enter);
  }
  if (exit && lengths.exit > 0 && time > exitStart + tolerance) {
    add(exit, "exit", Math.min(1, (time - exitStart) / lengths.exit), lengths.exit);
  }
  const span = exitStart - lengths.enter;
  if (loop && span > 0 && time >= lengths.enter - tolerance && time <= exitStart + tolerance) {
    // whole turns, so that the loop ends at rest
    const period = span / Math.max(1, Math.round(span / loop.seconds));
    const phase = Math.max(0, (time - lengths.enter) / period);
    add(loop, "loop", phase - Math.floor(phase), period);
  }
  for (const { at, ...move } of motions) {
    if (time < at || time >= at + move.seconds) continue;
    add(move, "middle", (time - at) / move.seconds, move.seconds);
  }
  return active;
}

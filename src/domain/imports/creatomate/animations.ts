import type { TransitionKind } from "../../../engine/timeline/track.ts";
import type { KeyframeInput, LoopInput, MotionInput, MoveInput } from "../../exports/request/layers/inputs.ts";
import { easingOf } from "../reading/easings.ts";
import { changed, ignored, type Property, used, type Verdict } from "../reading/property.ts";
import { rounded, within } from "../reading/rows.ts";
import { measureOf, pixelsOf, type Size, secondsOf, shareOf } from "./values.ts";

type Direction = NonNullable<MoveInput["direction"]>;

/** What the animations of an element become. */
export type Animated = {
  enter?: MoveInput;
  exit?: MoveInput;
  loop?: LoopInput;
  motions: MotionInput[];
  keyframes: Record<string, KeyframeInput<number>[]>;
  transition?: { kind: TransitionKind; seconds: number };
};

export type AnimationStage = {
  readonly type: string;
  /** Seconds of the element. */
  readonly length: number;
  readonly box: Size;
  readonly frame: Size;
  /** False for the first element of a track, which comes from nothing. */
  readonly hasPrevious: boolean;
};

type Result = {
  readonly move?: Omit<MoveInput, "seconds" | "easing">;
  readonly loop?: LoopInput;
  /** Values from the start of the animation to its end. */
  readonly frames?: Readonly<Record<string, readonly [from: number, to: number]>>;
  readonly transition?: TransitionKind;
  /** Why it differs. */
  readonly why?: string;
};

type Make = (animation: Property, stage: AnimationStage) => Result;

const share = { min: 0, max: 1 };

/** The way of a movement at an angle: 0° is to the right, 90° up. */
function directionOf(property: Property, byDefault: Direction): Direction {
  const text = property.text ?? "";
  if (text === "up" || text === "down" || text === "left" || text === "right") return text;
  const angle = measureOf(property)?.value;
  if (angle === undefined) return byDefault;
  const turned = ((angle % 360) + 360) % 360;
  return (["right", "up", "left", "down"] as const)[Math.round(turned / 90) % 4]!;
}

const isAcross = (direction: Direction) => direction === "left" || direction === "right";

function anchorOf(animation: Property) {
  const [x, y] = [shareOf(animation.at("x_anchor")), shareOf(animation.at("y_anchor"))];
  if (x === undefined && y === undefined) return {};
  return { anchor: { x: within(x ?? 0.5, share), y: within(y ?? 0.5, share) } };
}

const fadeOf = (animation: Property) => (animation.at("fade").flag === false ? { fade: false } : {});

const pushes: Readonly<Record<string, TransitionKind>> = {
  left: "push-left",
  right: "push-right",
  up: "push-up",
  down: "push-down",
};

/** Words, letters or lines one after another. */
function unitsOf(animation: Property, byDefault: "line" | "word" | "letter") {
  const by = (["line", "word", "letter"] as const).find((unit) => unit === animation.at("split").text) ?? byDefault;
  const overlap = shareOf(animation.at("overlap"));
  const order = animation.at("order").text;
  return {
    by,
    ...(overlap !== undefined && { overlap: within(overlap, share) }),
    ...(order === "reversed" && { order: "backward" as const }),
    ...(order === "random" && { order: "random" as const }),
  };
}

const frequencyOf = (animation: Property) => {
  const value = measureOf(animation.at("frequency"))?.value;
  return value === undefined ? {} : { frequency: within(value, { min: 0.01, max: 60 }) };
};

const rampOf = (animation: Property) => {
  const value = shareOf(animation.at("ramp_duration"));
  return value === undefined ? {} : { ramp: within(value, { min: 0, max: 0.5 }) };
};

const wipeDirection = (animation: Property): Direction => {
  const x = shareOf(animation.at("x_anchor"));
  const y = shareOf(animation.at("y_anchor"));
  if (x !== undefined && x !== 0.5) return x < 0.5 ? "right" : "left";
  if (y !== undefined && y !== 0.5) return y < 0.5 ? "down" : "up";
  return "right";
};

const scaleFrames = (animation: Property, byDefault: number) => {
  const [from, to] = [shareOf(animation.at("start_scale")) ?? byDefault, shareOf(animation.at("end_scale")) ?? 1];
  const axis = animation.at("axis").text;
  const names = axis === "x" ? ["scaleX"] : axis === "y" ? ["scaleY"] : ["scale"];
  return Object.fromEntries(names.map((name) => [name, [from, to] as const]));
};

const pictures = ["image", "video"];

/** What each type of animation becomes. Reported as changed where the movement differs. */
const animations: Readonly<Record<string, Make>> = {
  fade: () => ({ move: { name: "fade" }, transition: "fade" }),
  slide: (animation, { box }) => {
    const direction = directionOf(animation.at("direction"), "up");
    const distance = (shareOf(animation.at("distance")) ?? 1) * (isAcross(direction) ? box.width : box.height);
    return {
      move: {
        name: "slide",
        direction,
        distance: rounded(within(Math.abs(distance), { min: 0, max: 16_384 })),
        ...fadeOf(animation),
      },
      transition: pushes[direction]!,
    };
  },
  scale: (animation, { type }) => {
    const from = shareOf(animation.at("start_scale")) ?? 0;
    const isWhole = (shareOf(animation.at("end_scale")) ?? 1) === 1 && (animation.at("axis").text ?? "both") === "both";
    if (isWhole && !animation.at("time").isAbsent) {
      return {
        move: {
          name: "scale",
          from: within(from, { min: -100, max: 100 }),
          ...anchorOf(animation),
          ...fadeOf(animation),
        },
        transition: "zoom",
      };
    }
    const frames = scaleFrames(animation, 0);
    const { scale } = frames;
    // inside of its box, which stays where it is
    const isInside = scale && pictures.includes(type) && Math.min(...scale) >= 1;
    return { frames: isInside ? { zoom: scale } : frames };
  },
  spin: (animation) => {
    const turn = measureOf(animation.at("rotation"))?.value ?? 180;
    return {
      move: {
        name: "spin",
        amount: within(Math.abs(turn), { min: 0, max: 1000 }),
        from: 1,
        ...(turn < 0 && { reversed: true }),
        ...anchorOf(animation),
        ...fadeOf(animation),
      },
      transition: "spin",
    };
  },
  flip: (animation) => {
    const x = Math.abs(measureOf(animation.at("x_rotation"))?.value ?? 0);
    return {
      move: { name: "flip", direction: x > 0 ? "up" : "left", ...fadeOf(animation) },
      transition: x > 0 ? "push-up" : "push-left",
      why: "A card turns once, without the angles.",
    };
  },
  wipe: (animation) => ({
    move: { name: "wipe", direction: wipeDirection(animation) },
    transition: ({ left: "wipeleft", right: "wiperight", up: "wipeup", down: "wipedown" } as const)[
      wipeDirection(animation) as "left"
    ],
    ...(animation.at("start_angle").isAbsent ? {} : { why: "Has a straight edge." }),
  }),
  "circular-wipe": (animation) => ({
    move: { name: "wipe", direction: "circle" },
    transition: "circleopen",
    ...(animation.at("ring_color").isAbsent ? {} : { why: "Has no ring." }),
  }),
  "color-wipe": (animation) => {
    const direction = directionOf(animation.at("direction"), "right");
    return {
      move: { name: "wipe", direction },
      transition: ({ left: "wipeleft", right: "wiperight", up: "wipeup", down: "wipedown" } as const)[
        direction as "left"
      ],
      why: "Has no color of its own.",
    };
  },
  "film-roll": (animation) => {
    const direction = directionOf(animation.at("direction"), "up");
    return { move: { name: "fly", direction }, transition: pushes[direction]!, why: "Comes once, from outside." };
  },
  "rotate-slide": (animation) => {
    const direction = directionOf(animation.at("direction"), "up");
    return { move: { name: "fly", direction }, transition: pushes[direction]!, why: "Moves without a turn." };
  },
  squash: (animation) => ({
    move: { name: "squash", ...fadeOf(animation) },
    transition: "fade",
    why: "Swings in both directions.",
  }),
  bounce: (animation) => ({ loop: { name: "pulse", ...anchorOf(animation) }, why: "Is the loop pulse." }),
  shift: (animation) => ({
    loop: { name: "float", direction: directionOf(animation.at("direction"), "up") },
    why: "Is the loop float.",
  }),
  shake: (animation, { box, frame }) => {
    const distance = pixelsOf(animation.at("distance"), Math.min(box.width, box.height), frame);
    return {
      loop: {
        name: "shake",
        direction: directionOf(animation.at("direction"), "right"),
        ...(distance !== undefined && { distance: rounded(within(Math.abs(distance), { min: 0, max: 16_384 })) }),
        ...frequencyOf(animation),
        ...rampOf(animation),
      },
      ...(animation.at("randomness").isAbsent ? {} : { why: "Swings evenly." }),
    };
  },
  wiggle: (animation) => {
    const turn = measureOf(animation.at("z_rotation"))?.value;
    return {
      loop: {
        name: "wiggle",
        ...(turn !== undefined && { amount: within(turn, { min: -1000, max: 1000 }) }),
        ...frequencyOf(animation),
        ...rampOf(animation),
      },
      ...(animation.at("randomness").isAbsent ? {} : { why: "Swings evenly." }),
    };
  },
  pan: (animation, { type }) => {
    const value = (name: string, byDefault: number) => shareOf(animation.at(name)) ?? byDefault;
    const scale = [Math.max(0.1, value("start_scale", 1.2)), Math.max(0.1, value("end_scale", 1.2))] as const;
    const x = [within(value("start_x", 0.5), share), within(value("end_x", 0.5), share)] as const;
    const y = [within(value("start_y", 0.5), share), within(value("end_y", 0.5), share)] as const;
    if (pictures.includes(type)) {
      const frames: Record<string, readonly [number, number]> = { zoom: scale };
      if (x[0] !== x[1]) frames.focusX = x;
      if (y[0] !== y[1]) frames.focusY = y;
      return { frames };
    }
    const moves = x[0] !== x[1] || y[0] !== y[1];
    return { frames: { scale }, ...(moves && { why: "Is zoomed in its middle." }) };
  },
  "text-appear": (animation) => ({
    move: { name: "fade", ...unitsOf(animation, "letter") },
    ...(animation.at("start_opacity").isAbsent ? {} : { why: "Comes from nothing." }),
  }),
  "text-slide": (animation, { box }) => {
    const direction = directionOf(animation.at("direction"), "up");
    const isClipped = animation.at("scope").text === "split-clip";
    const units = unitsOf(animation, "line");
    if (isClipped) return { move: { name: "reveal", direction, ...units } };
    const size = box.height * 0.15 * (shareOf(animation.at("distance")) ?? 1);
    return {
      move: {
        name: "slide",
        direction,
        distance: rounded(within(isAcross(direction) ? size * 3 : size, { min: 0, max: 16_384 })),
        ...units,
        ...fadeOf(animation),
      },
      ...(["sliding", "scaling", "scaling-clip"].includes(animation.at("background_effect").text ?? "")
        ? { why: "The ground moves with its line." }
        : {}),
    };
  },
  "text-fly": (animation) => ({
    move: { name: "scale", from: 2, ...unitsOf(animation, "line"), ...fadeOf(animation) },
    why: "Comes from the front without a perspective.",
  }),
  "text-reveal": (animation) => ({
    move: { name: "wipe", direction: wipeDirection(animation), ...unitsOf(animation, "line") },
  }),
  "text-scale": (animation) => ({
    move: { name: "scale", from: 0, ...unitsOf(animation, "letter"), ...anchorOf(animation), ...fadeOf(animation) },
    ...(["x", "y"].includes(animation.at("axis").text ?? "") ? { why: "Grows in both directions." } : {}),
  }),
  "text-spin": (animation) => ({
    move: {
      name: "spin",
      amount: within(Math.abs(measureOf(animation.at("rotation"))?.value ?? 180), { min: 0, max: 1000 }),
      ...unitsOf(animation, "letter"),
      ...fadeOf(animation),
    },
  }),
  "text-typewriter": (animation) => ({ move: { name: "typewriter", by: unitsOf(animation, "letter").by } }),
  "text-wave": (animation) => ({ move: { name: "wave", ...unitsOf(animation, "letter"), ...fadeOf(animation) } }),
  "text-counter": (animation) => ({
    move: {
      name: "count",
      from: within(measureOf(animation.at("start_value"))?.value ?? 0, { min: -1e15, max: 1e15 }),
    },
  }),
};

const common = ["type", "time", "duration", "easing", "reversed", "transition"];

/** The parameters that are read, besides the common ones. */
const parameters = [
  ...["scope", "direction", "distance", "fade", "start_scale", "end_scale", "axis", "x_anchor", "y_anchor", "rotation"],
  ...[
    "x_rotation",
    "y_rotation",
    "z_rotation",
    "start_angle",
    "end_angle",
    "ring_color",
    "ring_width",
    "color",
    "frequency",
  ],
  ...[
    "ramp_duration",
    "randomness",
    "count",
    "phase",
    "start_x",
    "start_y",
    "end_x",
    "end_y",
    "split",
    "overlap",
    "order",
  ],
  ...["start_opacity", "background_effect", "start_reveal", "typing_start", "typing_duration", "start_value", "fixed"],
  ...["perspective", "repetitions", "clockwise", "backface_visible", "wavelength", "cursor_frequency", "clip", "scale"],
  // of the editor's files
  ...["track", "property"],
];

const mark = (animation: Property, verdict: Verdict): void => {
  for (const key of animation.keys) {
    if (common.includes(key) || parameters.includes(key)) animation.at(key).mark(verdict);
  }
};

const secondsRange = { min: 0.01, max: 3600 };

/** Reads the animations of an element. Marks each of them. */
export function animationsOf(list: Property, stage: AnimationStage): Animated {
  const result: Animated = { motions: [], keyframes: {} };
  if (list.items.length === 0 && !list.isAbsent) list.mark(used("nothing"));
  for (const animation of list.items) {
    const type = animation.at("type").text ?? "";
    const make = Object.hasOwn(animations, type) ? animations[type] : undefined;
    if (!make) {
      animation.mark(ignored("Is not an animation that is known here."));
      continue;
    }
    const isText = type.startsWith("text-");
    if (isText && stage.type !== "text") {
      animation.mark(ignored("Is for texts."));
      continue;
    }
    const verdict = place(animation, make(animation, stage), stage, result);
    if (verdict.kind === "ignored") animation.mark(verdict);
    else mark(animation, verdict);
  }
  return result;
}

/** Puts an animation where it belongs, by its time. */
function place(animation: Property, made: Result, stage: AnimationStage, result: Animated): Verdict {
  const { length } = stage;
  const time = animation.at("time");
  const isAtEnd = time.text === "end";
  const isWhole = time.isAbsent && animation.at("duration").isAbsent;
  const own = secondsOf(animation.at("duration"), length);
  const typing = shareOf(animation.at("typing_duration"));
  const seconds = rounded(
    within(
      (own ?? (isWhole ? length : Math.min(1, length))) * (typing !== undefined && typing <= 1 ? typing : 1),
      secondsRange,
    ),
  );
  const at = secondsOf(time, length) ?? 0;
  const easing = easingOf(animation.at("easing").text ?? "");
  const eased = easing ? { easing } : {};
  const because = (as: string): Verdict => (made.why ? changed(`Is ${as}. ${made.why}`) : used(as));
  if (animation.at("transition").flag === true && made.transition && stage.hasPrevious) {
    if (!result.transition) result.transition = { kind: made.transition, seconds };
    return because(`the transition ${made.transition}`);
  }
  if (made.loop) {
    if (result.loop) return ignored("A layer has one loop.");
    const whole = Math.max(0.01, Math.min(seconds, length));
    result.loop = { ...made.loop, ...(isWhole ? {} : { seconds: rounded(whole) }) };
    return because(`loop: ${made.loop.name}`);
  }
  if (made.frames) {
    const start = isAtEnd ? Math.max(0, length - seconds) : Math.max(0, at);
    for (const [name, [from, to]] of Object.entries(made.frames)) {
      const isReversed = animation.at("reversed").flag === true;
      result.keyframes[name] = [
        { at: rounded(start), value: rounded(isReversed ? to : from) },
        {
          at: rounded(Math.min(start + seconds, Math.max(start, length))),
          value: rounded(isReversed ? from : to),
          ...eased,
        },
      ];
    }
    return because(`keyframes: ${Object.keys(made.frames).join(", ")}`);
  }
  if (!made.move) return ignored("Is not shown.");
  const move = { ...made.move, seconds, ...eased };
  if (isAtEnd || (animation.at("reversed").flag === true && at + seconds >= length - 0.01)) {
    if (result.exit) return ignored("A layer has one exit.");
    result.exit = move;
    return because(`exit: ${move.name}`);
  }
  if (at < 0.001 && !result.enter) {
    result.enter = move;
    return because(`enter: ${move.name}`);
  }
  // in the middle, a spin is the loop of this name: a second entrance turns by keyframes
  if (move.name === "spin") {
    const turn = (move.amount ?? 180) * (move.reversed ? 1 : -1);
    result.keyframes.rotation = [
      { at: rounded(Math.max(0, at)), value: rounded(turn) },
      { at: rounded(Math.max(0, at) + seconds), value: 0, ...eased },
    ];
    return because("keyframes: rotation");
  }
  result.motions.push({ ...move, at: rounded(within(at, { min: 0, max: 3600 })) });
  return because(`motions: ${move.name}`);
}

import type { SKRSContext2D } from "@napi-rs/canvas";
import type { Box } from "../drawing/box.ts";
import { grow, type Point, union } from "../drawing/box.ts";
import { cssColor } from "../drawing/css-color.ts";
import type { Drawing } from "../drawing/drawing.ts";
import { easingOf } from "../motion/easing.ts";
import { moveDefaults } from "../motion/moves.ts";
import { splitGraphemes } from "../text/line-breaks.ts";
import type { TextDrawing, TextUnit, UnitPose } from "../text/units.ts";
import type { ActiveMove } from "../timeline/motion.ts";
import type { TextContent } from "../timeline/overlay.ts";
import type { Canvas } from "../timeline/timeline.ts";
import { hash, hasMove, type SplitMoves, statesOfUnits, type UnitState } from "./moved.ts";
import { revealedBox } from "./reveal.ts";

/** The text with its number on the way, while it counts, in the box of the final one. */
export function counted(drawing: TextDrawing, moves: readonly ActiveMove[]): TextDrawing {
  const move = hasMove(moves, "count");
  if (!move) return drawing;
  const progress = move.kind === "exit" ? 1 - move.progress : move.progress;
  const eased = easingOf(move.easing ?? moveDefaults.easing)(progress);
  return { ...drawing.counted({ from: move.from ?? 0, progress: eased }), center: drawing.center };
}

type UnitsOptions = { readonly moves: SplitMoves; readonly frame: Canvas };

/** A text whose lines, words or letters move by themselves. */
export function unitsDrawing(content: TextContent, drawing: TextDrawing, { moves, frame }: UnitsOptions): Drawing {
  const { by } = moves;
  const units = drawing.units(by);
  const away = { up: frame.height, down: frame.height, left: frame.width, right: frame.width };
  const states = statesOfUnits(moves, units, { text: content.text, frame, away });
  const poses = states.map((state, index) => poseOf(state, units[index]!, moves.units));
  const highlight = hasMove(moves.units, "highlight");
  const typing = moves.units.find(({ name, caret }) => name === "typewriter" && caret);
  const options = { background: backgroundAlpha(moves.units, states) };
  const poseAt = (_: TextUnit, index: number) => poses[index];
  const reached = drawing.unitBounds(by, poseAt, options);
  const bounds = union([reached, ...(highlight || typing ? units.map(({ box }) => grow(box, box.height / 4)) : [])]);
  return {
    ...drawing,
    bounds,
    paint(context) {
      context.save();
      if (highlight) paintHighlights(context, highlight, content, { units, states });
      drawing.paintUnits(context, by, poseAt, options);
      context.restore();
      if (typing) paintCaret(context, content, { units, poses });
    },
  };
}

function poseOf(state: UnitState, unit: TextUnit, moves: readonly ActiveMove[]): UnitPose | undefined {
  if (state.alpha <= 0) return undefined;
  const { scaleX, scaleY, rotation, alpha, blur, reveal } = state;
  const { x, y } = aboutAnchor(state, unit.box);
  const clip = hasMove(moves, "highlight")
    ? leftBehind(unit, state.progress)
    : hasMove(moves, "reveal")
      ? edgeOf(unit.box)
      : reveal && revealedBox(unit.box, reveal);
  const text = hasMove(moves, "scramble") && state.progress < 1 ? scrambled(unit.text, state.progress) : undefined;
  return { x, y, scaleX, scaleY, rotation, alpha: Math.min(1, alpha), blur, clip, text };
}

/** The position of a unit that turns and scales about its anchor instead of its middle. */
function aboutAnchor({ x, y, scaleX, scaleY, rotation, anchor }: UnitState, { width, height }: Box): Point {
  if (!anchor) return { x, y };
  const arm = { x: (anchor.x - 0.5) * width, y: (anchor.y - 0.5) * height };
  const radians = (rotation * Math.PI) / 180;
  const [cos, sin] = [Math.cos(radians), Math.sin(radians)];
  return {
    x: x + arm.x - (cos * scaleX * arm.x - sin * scaleY * arm.y),
    y: y + arm.y - (sin * scaleX * arm.x + cos * scaleY * arm.y),
  };
}

/** The part of a unit that the box of `highlight` has left. */
function leftBehind({ box, direction }: TextUnit, progress: number): Box | undefined {
  if (progress >= 1) return undefined;
  const whole = edgeOf(box);
  return revealedBox(whole, {
    direction: direction === "ltr" ? "right" : "left",
    share: 2 * progress - 1,
    inverse: false,
  });
}

/** Accents and descenders may exceed the line. */
const edgeOf = (box: Box): Box => grow(box, box.height * 0.05);

/** Letters of the same kind that change several times until the unit rests. */
function scrambled(text: string, progress: number): string {
  const step = Math.floor(progress * 12);
  return splitGraphemes(text)
    .map((letter, index) => {
      const pool = pools.find(({ test }) => test.test(letter))?.letters;
      return pool ? pool[hash(`${text} ${index} ${step}`) % pool.length]! : letter;
    })
    .join("");
}

const pools = [
  { test: /^\p{Lu}$/u, letters: [..."ABCDEFGHKLMNPRSTUVXYZ"] },
  { test: /^\p{Script=Latin}$/u, letters: [..."abcdefghkmnoprstuvxyz"] },
  { test: /^\p{Nd}$/u, letters: [..."0123456789"] },
  { test: /^\p{Script=Cyrillic}$/u, letters: [..."абвгдежзиклмнопрстуф"] },
  { test: /^\p{Script=Greek}$/u, letters: [..."αβγδεζηθκλμνξπρστφχψω"] },
  { test: /^\p{Script=Han}$/u, letters: [..."日月火水木金土山川田"] },
  { test: /^[\p{Script=Hiragana}\p{Script=Katakana}]$/u, letters: [..."あいうえおかきくけこさしすせそ"] },
];

/** The background is there with the first unit; of words that are typed or rise, from the start. */
function backgroundAlpha(moves: readonly ActiveMove[], states: readonly UnitState[]): number {
  const keeps = ["typewriter", "scramble", "highlight", "reveal"].some((name) => hasMove(moves, name));
  return keeps ? 1 : Math.min(1, Math.max(0, ...states.map(({ alpha }) => alpha)));
}

type Highlighted = { readonly units: readonly TextUnit[]; readonly states: readonly UnitState[] };

/** A box grows over each unit from where it begins, and leaves it behind. */
function paintHighlights(
  context: SKRSContext2D,
  { color }: ActiveMove,
  content: TextContent,
  { units, states }: Highlighted,
): void {
  context.save();
  context.fillStyle = cssColor(color ?? content.style.fontColor);
  for (const [index, { box, direction }] of units.entries()) {
    const { progress } = states[index]!;
    const [from, to] = progress < 0.5 ? [0, 2 * progress] : [2 * progress - 1, 1];
    if (progress <= 0 || progress >= 1 || to <= from) continue;
    const padded = { ...box, x: box.x - box.height * 0.08, width: box.width + box.height * 0.16 };
    const left = direction === "ltr" ? from : 1 - to;
    context.fillRect(padded.x + left * padded.width, padded.y, (to - from) * padded.width, padded.height);
  }
  context.restore();
}

type Typed = { readonly units: readonly TextUnit[]; readonly poses: readonly (UnitPose | undefined)[] };

/** A bar after the last typed unit, or before the first one. */
function paintCaret(context: SKRSContext2D, { style }: TextContent, { units, poses }: Typed): void {
  const last = poses.findLastIndex((pose) => pose !== undefined);
  const unit = units[Math.max(0, last)];
  if (!unit) return;
  const { box, direction } = unit;
  const isAtRight = last >= 0 === (direction === "ltr");
  const width = Math.max(1, box.height * 0.05);
  const x = isAtRight ? box.x + box.width + width / 2 : box.x - 1.5 * width;
  context.save();
  context.fillStyle = cssColor(style.fontColor);
  context.fillRect(x, box.y + box.height * 0.12, width, box.height * 0.76);
  context.restore();
}

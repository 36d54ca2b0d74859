import type { Color } from "../../platform/colors.ts";
import type { NamedMove } from "../motion/move-table.ts";
import { defaultSeconds, findMove } from "../motion/moves.ts";
import { stateOn } from "../motion/state.ts";
import type { Motion, Move } from "../timeline/motion.ts";
import type { DrawnState, GroupContent, Overlay, ShapeContent, TextContent } from "../timeline/overlay.ts";
import type { Canvas } from "../timeline/timeline.ts";

/** Parameters of a move instead of its defaults. */
export type MovedParameters = Partial<Omit<Move, "name">>;

/** The frames of a small animation of a move. */
export type MoveScene = {
  readonly states: readonly (DrawnState | null)[];
  readonly canvas: Canvas;
  readonly backdrop: string;
  readonly rate: number;
};

const canvas: Canvas = { width: 180, height: 120 };
const rate = 15;
const backdrop = "#14142b";
const accent: Color = { red: 255, green: 107, blue: 53, alpha: 1 };
const light: Color = { red: 255, green: 248, blue: 240, alpha: 1 };
const dark: Color = { red: 20, green: 20, blue: 43, alpha: 1 };

/** How long the layer is away, and how long it rests. */
const hiddenFrames = 4;
const restFrames = 12;

/** Longer rounds are shown faster: an animation has few frames. */
const maxLoopSeconds = 3;

/** Undefined for a name that has no move in this role. */
export function sceneOf({ role, name }: NamedMove, parameters: MovedParameters = {}): MoveScene | undefined {
  const entry = findMove(name, role);
  if (!entry) return undefined;
  const content = entry.type === "text" ? textOf(name) : entry.type === "shape" ? star : card;
  const own = parameters.seconds ?? defaultSeconds(name, role);
  const seconds = role === "loop" ? Math.min(own, maxLoopSeconds) : own;
  const moving = Math.ceil(seconds * rate);
  const visible = role === "loop" ? moving : moving + restFrames;
  const before = role === "enter" ? hiddenFrames : 0;
  const after = role === "exit" ? hiddenFrames : 0;
  const motion: Motion = {
    lead: 0,
    seconds: visible / rate,
    [role]: { name, ...presets[name], ...parameters, seconds: moving / rate },
  };
  const overlay: Overlay = { ...still, range: { start: before, end: before + visible }, content, motion };
  const states = Array.from({ length: before + visible + after }, (_, frame) =>
    frame >= before && frame < before + visible ? (stateOn(overlay, frame, { num: rate, den: 1 }) ?? null) : null,
  );
  return { states, canvas, backdrop, rate };
}

const still = { opacity: 1, rotationDegrees: 0, animateIn: "none", animateOut: "none" } as const;

/** What shows a move better than its defaults. */
const presets: Readonly<Record<string, MovedParameters>> = { highlight: { color: accent } };

/** Moves of texts are shown with words that they suit. */
const words: Readonly<Record<string, string>> = { reveal: "Hello\nthere", count: "1,250" };

const textOf = (name: string): TextContent => textContent(words[name] ?? "Hello", { fontSize: 40, fontColor: light });

const textContent = (text: string, look: { readonly fontSize: number; readonly fontColor: Color }): TextContent => ({
  kind: "text",
  text,
  language: "en",
  anchor: { at: "center", x: canvas.width / 2, y: canvas.height / 2 },
  style: { ...look, fontWeight: 700, align: "center", lineHeight: 1.2, letterSpacing: 0 },
});

const star: ShapeContent = {
  kind: "shape",
  shape: "star",
  points: 5,
  inner: 0.45,
  box: { x: 50, y: 18, width: 80, height: 80 },
  stroke: { color: accent, width: 5, cap: "round", join: "round" },
};

const cardSize: Canvas = { width: 92, height: 60 };

const plate: ShapeContent = {
  kind: "shape",
  shape: "rect",
  radius: 12,
  fill: accent,
  box: { x: 0, y: 0, ...cardSize },
};

const letters = textContent("Aa", { fontSize: 34, fontColor: dark });

/** A plate with letters, which move as one. */
const card: GroupContent = {
  kind: "group",
  box: { x: (canvas.width - cardSize.width) / 2, y: (canvas.height - cardSize.height) / 2, ...cardSize },
  clips: false,
  speed: 1,
  repeats: false,
  seconds: 60,
  layers: [
    { ...still, start: 0, end: 60, content: plate },
    {
      ...{ ...still, start: 0, end: 60 },
      content: { ...letters, anchor: { at: "center", x: cardSize.width / 2, y: cardSize.height / 2 } },
    },
  ],
};

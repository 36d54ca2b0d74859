import { defaultSeconds } from "../../../engine/ports.ts";
import type { Box } from "../../../engine/timeline/overlay.ts";
import { toThousandths } from "../../../platform/values.ts";
import { readingSeconds } from "../../exports/request/reading-time.ts";
import { type Gesture, sameAs } from "../../looks/looks.ts";
import type { Kind, LayoutElement, SceneDesign, SceneFrame } from "./layout-card.ts";

/** Seconds on the timeline; the scene before it leaves during its first `transition` seconds, and it during `leaving`. */
export type SceneTimes = {
  /** The beats of the music: prices and numbers come on one. */
  readonly grid?: { readonly beats: readonly number[]; readonly bars: readonly number[] };
  readonly index: number;
  readonly start: number;
  readonly end: number;
  readonly transition: number;
  readonly leaving: number;
};

/** An element of a layout in its box. */
export type Shown = {
  readonly design: SceneDesign;
  readonly frame: SceneFrame;
  readonly element: LayoutElement;
  readonly box: Box;
  readonly times: SceneTimes;
};

type General = "words" | "parts" | "picture" | "subject";

const generals: Readonly<Record<Kind, General>> = {
  ...{ text: "words", part: "parts", picture: "picture", subject: "subject", logo: "subject" },
};

/** The gesture of a box, or that of all others of its kind. */
function gestureOf({ look, layout }: SceneDesign, name: string, general: General): Gesture {
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

/** The share of a transition until which the words of the scene before it are seen: no ground stands alone before a cut. */
const left = 0.3;

/** The start, the end and the moves of an element; the first frame of a film shows its headline. */
export function motionOf(shown: Shown) {
  const { element, times, design } = shown;
  const general = element.name === "device" ? "picture" : generals[element.kind];
  if (general === "picture" && !design.look.motion.picture) return withTheScene(times);
  const { enter, exit, loop, delay } = gestureOf(design, element.name, general);
  const isFirst = times.start === 0 && element.attributes["data-first"] !== undefined;
  const isLast = design.layout === "end-card";
  const entrance = isFirst ? undefined : enter;
  const leaving = isLast ? undefined : exit;
  // words come when most of the picture has come
  const from = times.start + (isFirst ? 0 : arrived * times.transition);
  // of all elements, so that parts keep up with their words
  const reading = Math.max(...Object.values(design.words).map(readingSeconds)) + roundingSeconds;
  const until = times.end + left * times.leaving;
  // what is left of the scene beside the time to read
  const spare = until - from - reading;
  const [enterSeconds, exitSeconds] = [secondsOf(entrance, "enter"), secondsOf(leaving, "exit")];
  const share = Math.min(1, Math.max(0, spare) / Math.max(1e-6, enterSeconds + exitSeconds));
  const latest = Math.min(Math.max(0, spare - enterSeconds - exitSeconds), until - from - leastSeconds);
  const late = Math.max(0, Math.min(delay, latest));
  return {
    start: toThousandths(from + (isFirst ? 0 : onBeat(shown, { from, late, latest }))),
    end: toThousandths(until),
    moves: {
      ...shortened("enter", entrance, enterSeconds * share),
      ...shortened("exit", leaving, exitSeconds * share),
      ...(loop !== undefined && { loop }),
    },
  };
}

/** A photo comes and leaves as the picture of its scene does, so that no half of a page is empty. */
export function withTheScene({ start, end, transition, leaving }: SceneTimes) {
  const fade = (role: "enter" | "exit", seconds: number) =>
    seconds > 0 && { [role]: { name: "fade", seconds: toThousandths(seconds) } };
  const moves = { ...fade("enter", transition), ...fade("exit", leaving) };
  return { start: toThousandths(start), end: toThousandths(end + leaving), moves };
}

/** The boxes that come on a beat. */
const accented = ["price", "number"];

/** How far a box moves to a beat, in seconds, and how near to it others move with it. */
const beatReach = 0.3;
const together = 0.15;

type Delay = { readonly from: number; readonly late: number; readonly latest: number };

/** The delay with which a price, a number, or what comes together with it begins on a beat, at best the first of a bar. */
function onBeat({ design, times }: Shown, { from, late, latest }: Delay): number {
  const name = accented.find((each) => design.words[each]);
  if (!times.grid || name === undefined) return late;
  const { delay: own } = gestureOf(design, name, "words");
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

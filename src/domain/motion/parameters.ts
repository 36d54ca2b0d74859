import { type MoveEntry, type MoveParameter, type MoveRole, moveDefaults } from "../../engine/ports.ts";
import { type Direction, moveOrders, moveUnits } from "../../engine/timeline/motion.ts";
import { moveBounds } from "../exports/request/layers/move-parameters.ts";

export const parameterTypes = ["number", "boolean", "choice", "easing", "color", "point"] as const;

/** A share is a part of the layer's size, or of the whole move for `overlap`. */
export const parameterUnits = ["seconds", "pixels", "degrees", "share", "per second"] as const;

/** A parameter of a move, for people and programs that offer it. */
export type ParameterView = {
  readonly name: string;
  readonly type: (typeof parameterTypes)[number];
  readonly min?: number;
  readonly max?: number;
  /** Absent if it depends on the frame or on the layer. */
  readonly default?: number | boolean | string | { readonly x: number; readonly y: number };
  readonly values?: readonly string[];
  readonly unit?: (typeof parameterUnits)[number];
};

type NamedEntry = MoveEntry & { readonly name: string; readonly role: MoveRole };

type OwnParameter = MoveParameter | "seconds" | "easing";

/** The parameters of a move; loops have no easing, because they begin and end at rest. */
export function parametersOf(entry: NamedEntry): readonly ParameterView[] {
  const names: readonly OwnParameter[] = [
    "seconds",
    ...(entry.role === "loop" ? [] : (["easing"] as const)),
    ...entry.parameters,
  ];
  return names.map((name) => {
    const { [name]: byDefault = generalDefaults[name] } = entry.defaults;
    // safe because no default of a move is a color
    const value = byDefault as ParameterView["default"];
    return { name, ...kindOf(name, entry), ...(value !== undefined && { default: value }) };
  });
}

/** The defaults of moves that have none of their own. */
const generalDefaults: { readonly [Name in OwnParameter]?: ParameterView["default"] } = {
  ...moveDefaults,
  fade: true,
  reversed: false,
  caret: false,
  anchor: { x: 0.5, y: 0.5 },
};

const sides: readonly Direction[] = ["up", "down", "left", "right"];

function kindOf(name: OwnParameter, entry: NamedEntry): Omit<ParameterView, "name" | "default"> {
  switch (name) {
    case "seconds":
      return { type: "number", ...moveBounds.seconds, unit: "seconds" };
    case "overlap":
      return { type: "number", ...moveBounds.overlap, unit: "share" };
    case "distance":
      return { type: "number", ...moveBounds.distance, unit: "pixels" };
    case "amount":
      return { type: "number", ...moveBounds.amount, unit: unitsOfAmounts[entry.name] ?? "share" };
    case "from":
      return { type: "number", ...moveBounds.from, ...(entry.name !== "count" && { unit: "share" as const }) };
    case "to":
      return { type: "number", ...moveBounds.to, unit: "share" };
    case "ramp":
      return { type: "number", ...moveBounds.ramp, unit: "share" };
    case "frequency":
      return { type: "number", ...moveBounds.frequency, unit: "per second" };
    case "anchor":
      return { type: "point", ...moveBounds.anchor, unit: "share" };
    case "by":
      return { type: "choice", values: moveUnits };
    case "order":
      return { type: "choice", values: moveOrders };
    case "direction":
      return { type: "choice", values: entry.directions ?? sides };
    case "easing":
      return { type: "easing" };
    case "color":
      return { type: "color" };
    default:
      return { type: "boolean" };
  }
}

const unitsOfAmounts: Readonly<Record<string, ParameterView["unit"]>> = {
  blur: "pixels",
  spin: "degrees",
  wiggle: "degrees",
};

import {
  easingForms,
  easingNames,
  findMove,
  loopTable,
  type MoveRole,
  type MoveType,
  moveTable,
  type NamedMove,
} from "../../engine/ports.ts";
import type { LayerInput } from "../exports/request/layers/inputs.ts";
import { requireFound } from "../shared/versioned.ts";
import { type ParameterView, parametersOf } from "./parameters.ts";

export const moveRoles = ["enter", "exit", "loop"] as const satisfies readonly MoveRole[];

type LayerType = LayerInput["type"];

/** The moves of a type of layers, besides those of all. */
const ownMoves: { readonly [Type in LayerType]: MoveType } = {
  text: "text",
  image: "all",
  video: "all",
  shape: "shape",
  html: "all",
  lottie: "all",
  group: "all",
};

// safe because the table is a constant with exactly these keys
export const layerTypes = Object.keys(ownMoves) as LayerType[];

export type MoveView = {
  readonly name: string;
  /** The types of layers that have it. */
  readonly types: readonly LayerType[];
  readonly parameters: readonly ParameterView[];
  /** The URL of a small animation. */
  readonly preview: string;
};

export type MotionView = { readonly [Role in MoveRole]: readonly MoveView[] } & {
  /** `forms` take numbers. */
  readonly easings: { readonly names: readonly string[]; readonly forms: readonly string[] };
};

type PreviewUrl = (move: NamedMove) => string;

/** All entrances, exits, loops and easings. */
export function motionView(previewOf: PreviewUrl): MotionView {
  const viewsOf = (role: MoveRole) => namesOf(role).map((name) => viewOf({ role, name }, previewOf));
  return {
    enter: viewsOf("enter"),
    exit: viewsOf("exit"),
    loop: viewsOf("loop"),
    easings: { names: easingNames, forms: easingForms },
  };
}

function namesOf(role: MoveRole): readonly string[] {
  if (role === "loop") return Object.keys(loopTable);
  return Object.entries(moveTable).flatMap(([name, { roles }]) => (roles.includes(role) ? [name] : []));
}

function viewOf(move: NamedMove, previewOf: PreviewUrl): MoveView {
  const entry = requireFound(findMove(move.name, move.role));
  const has = (type: LayerType) => entry.type === "all" || entry.type === ownMoves[type];
  return {
    name: move.name,
    types: layerTypes.filter(has),
    parameters: parametersOf({ ...entry, ...move }),
    preview: previewOf(move),
  };
}

/** Throws not_found for an unknown name. */
export function requireMove(role: string, name: string): NamedMove {
  const known = requireFound(moveRoles.find((each) => each === role));
  requireFound(namesOf(known).find((each) => each === name));
  return { role: known, name };
}

import { z } from "zod";
import { findMove, loopTable, type MoveRole, type MoveType, moveTable } from "../../../../engine/ports.ts";
import { directions, moveOrders, moveUnits } from "../../../../engine/timeline/motion.ts";
import { CssColor, maxVideoSeconds, named, namedObject, optional } from "../../../shared/schemas.ts";
import type { MoveInput } from "./inputs.ts";
import { Easing } from "./keyframes.ts";
import { moveBounds } from "./move-parameters.ts";
import { oneOf } from "./names.ts";
import { between } from "./numbers.ts";

const maxMotions = 50;

const MovePoint = namedObject("MovePoint", { x: between(moveBounds.anchor), y: between(moveBounds.anchor) });

const seconds = between(moveBounds.seconds);

const amount = optional(between(moveBounds.amount)).describe("How strong the move is: see GET /api/motion.");

const distance = optional(between(moveBounds.distance)).describe("Pixels.");

const direction = optional(z.enum(directions)).describe("The way of the movement, of an exit too.");

const anchor = optional(MovePoint).describe("What it turns and scales about, as shares of the box.");

const parameterFields = {
  by: optional(z.enum(moveUnits)).describe("What moves one after another; `layer` by default."),
  order: optional(z.enum(moveOrders)).describe("`forward` by default; `random` is the same in every run."),
  overlap: optional(between(moveBounds.overlap)).describe(
    "The share of its time that a unit shares with the next; 0.6 by default.",
  ),
  direction,
  distance,
  amount,
  fade: optional(z.boolean()).describe("False: it does not fade besides."),
  from: optional(between(moveBounds.from)).describe("The scale at the start, or the number that `count` starts at."),
  to: optional(between(moveBounds.to)).describe("The scale at the end of an exit; by default that of `from`."),
  reversed: optional(z.boolean()).describe("The other way round."),
  caret: optional(z.boolean()).describe("`typewriter` shows a caret."),
  color: optional(CssColor).describe("The color of the box of `highlight`."),
  anchor,
};

const timeFields = {
  seconds: optional(seconds).describe("The whole move; by default as GET /api/motion says, mostly 0.6."),
  easing: optional(Easing).describe("`out-cubic` by default."),
};

type Named = { readonly name: string } & { readonly [field: string]: unknown };

const fieldsOfEveryMove: readonly string[] = ["name", "seconds", "easing", "at"];

/** Adds an issue for each field that a move of this name does not have. */
function requireParameters(move: Named, role: MoveRole | "middle", context: z.core.$RefinementCtx): void {
  const entry = findMove(move.name, role);
  if (!entry) return;
  for (const [field, value] of Object.entries(move)) {
    if (value === undefined || fieldsOfEveryMove.includes(field)) continue;
    if (!entry.parameters.some((parameter) => parameter === field)) {
      context.addIssue({ code: "custom", path: [field], message: `Is not a parameter of ${move.name}.` });
    }
    if (field === "direction" && entry.directions && !entry.directions.some((each) => each === value)) {
      context.addIssue({ code: "custom", path: [field], message: `Must be one of: ${entry.directions.join(", ")}.` });
    }
  }
}

/** The names of a role that layers of a type have. */
const namesOf = (role: "enter" | "exit", type: MoveType): readonly string[] =>
  Object.entries(moveTable)
    .filter(([, entry]) => entry.roles.includes(role) && (entry.type === "all" || entry.type === type))
    .map(([name]) => name);

/** A move by its name, or as an object with its parameters. */
function moveOf(name: string, role: "enter" | "exit", type: MoveType) {
  const names = oneOf(namesOf(role, type));
  const withParameters = named(
    name,
    z
      .object({ name: names, ...timeFields, ...parameterFields })
      .superRefine((move, context) => requireParameters(move, role, context)),
  );
  return z.union([names, withParameters], { error: "Must be a name, or { name, … }." });
}

const loopFields = {
  amount,
  distance,
  direction,
  anchor,
  frequency: optional(between(moveBounds.frequency)),
  ramp: optional(between(moveBounds.ramp)).describe(
    "The share of a round in which swings grow, and in which they fade.",
  ),
};

const loopNames = oneOf(Object.keys(loopTable));

const LoopRequest = named(
  "Loop",
  z
    .object({
      name: loopNames,
      seconds: optional(seconds).describe("One round; by default as GET /api/motion says."),
      ...loopFields,
      frequency: loopFields.frequency.describe("Swings a second."),
      reversed: parameterFields.reversed,
    })
    .superRefine((move, context) => requireParameters(move, "loop", context)),
);

function motionsOf(name: string, type: MoveType) {
  const motion = z
    .object({
      at: z.number().min(0).max(maxVideoSeconds).describe("Seconds from the layer's position."),
      // a loop plays once
      name: oneOf([...new Set([...namesOf("enter", type), ...Object.keys(loopTable)])]),
      ...timeFields,
      ...parameterFields,
      frequency: loopFields.frequency,
      ramp: loopFields.ramp,
    })
    .superRefine((move, context) => requireParameters(move, "middle", context));
  return optional(z.array(named(name, motion)).max(maxMotions));
}

/** The moves of one type of layers; the names of the schemas begin with `name`. */
const moveFieldsOf = (name: string, type: MoveType, entrance = moveOf(`${name}Entrance`, "enter", type)) => ({
  enter: optional(entrance).describe("The entrance, a name or an object; it ends at rest."),
  exit: optional(moveOf(`${name}Exit`, "exit", type)).describe("The exit, a name or an object; it begins at rest."),
  loop: optional(z.union([loopNames, LoopRequest], { error: "Must be a name, or { name, … }." })).describe(
    "A motion that repeats between the entrance and the exit.",
  ),
  motions: motionsOf(`${name}Motion`, type).describe(
    "At most 50 entrances or loops in between, each once and from its own time on. A name of both is the loop.",
  ),
});

export const movesOfTexts = moveFieldsOf("Text", "text");
export const movesOfShapes = moveFieldsOf("Shape", "shape");

const entranceOfAll = moveOf("LayerEntrance", "enter", "all");
export const movesOfOthers = moveFieldsOf("Layer", "all", entranceOfAll);

/** An entrance that every layer has, with the type of its input written out. */
export const Entrance: z.ZodType<z.output<typeof entranceOfAll>, string | MoveInput> = entranceOfAll;

export type MoveFields = z.output<z.ZodObject<typeof movesOfTexts>>;

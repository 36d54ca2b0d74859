import { expect, test } from "bun:test";
import { z } from "zod";
import { movesOfShapes, movesOfTexts } from "../../../src/domain/exports/request/layers/moves.ts";
import { type MoveView, motionView, moveRoles } from "../../../src/domain/motion/moves.ts";
import type { ParameterView } from "../../../src/domain/motion/parameters.ts";
import { drawAnimation } from "../../../src/engine/thumbnails/draw-animation.ts";
import { type MovedParameters, sceneOf } from "../../../src/engine/thumbnails/move-scene.ts";

const motion = motionView(({ role, name }) => `${role} ${name}`);

/** A value that differs from the default in what is drawn. */
function otherValue({ name, type, values = [], default: byDefault, min = 0, max = 1 }: ParameterView): unknown {
  if (type === "boolean") return !byDefault;
  if (type === "choice") return values.findLast((value) => value !== byDefault);
  if (type === "easing") return byDefault === "linear" ? "in-cubic" : "linear";
  if (type === "color") return { red: 0, green: 200, blue: 0, alpha: 1 };
  if (type === "point") return { x: 0, y: 0 };
  const number = typeof byDefault === "number" ? byDefault : 5;
  if (name === "from") return number + 0.5;
  return number === 0 ? max / 2 : Math.min(max, Math.max(min, number / 3));
}

const draw = async (role: (typeof moveRoles)[number], name: string, parameters: MovedParameters = {}) =>
  Buffer.from(await drawAnimation(sceneOf({ role, name }, parameters)!)).toString("base64");

/** Only words have parts, which need several units to be seen. */
const ofParts: readonly string[] = ["by", "order", "overlap"];

const isOfParts = ({ types }: MoveView) => types.length === 1 && types[0] === "text";

const all = moveRoles.flatMap((role) => motion[role].map((move) => [role, move.name, move] as const));

test.each(all)("%s %s: each parameter changes what is drawn", async (role, name, move) => {
  const parameters = move.parameters.filter((parameter) => isOfParts(move) || !ofParts.includes(parameter.name));
  const unchanged: string[] = [];
  for (const parameter of parameters) {
    const others = parameter.name === "order" || parameter.name === "overlap" ? { by: "letter" as const } : {};
    const value = { [parameter.name]: otherValue(parameter) };
    if ((await draw(role, name, { ...others, ...value })) === (await draw(role, name, others))) {
      unchanged.push(parameter.name);
    }
  }
  expect(unchanged).toEqual([]);
});

const requests = { text: z.object(movesOfTexts), shape: z.object(movesOfShapes) };

/** The paths of what a request with this move is refused for. */
function refused(role: (typeof moveRoles)[number], { name, types }: MoveView, parameters: object): readonly string[] {
  const schema = types.includes("text") ? requests.text : requests.shape;
  const { error } = schema.safeParse({ [role]: { name, ...parameters } });
  return (error?.issues ?? []).map(({ path, code }) => (code === "invalid_union" ? role : path.join(".")));
}

/** Every value that the list names, and the bounds. */
function listedValues({ type, min, max, values = [], default: byDefault }: ParameterView): readonly unknown[] {
  if (type === "number") return [min, max];
  if (type === "boolean") return [true, false];
  if (type === "color") return ["#ff0000"];
  if (type === "point") return [min, max].map((each) => ({ x: each, y: each }));
  return type === "choice" ? values : [byDefault];
}

const isNumber = ({ type }: ParameterView) => type === "number";

test.each(all)("%s %s: a request takes each parameter within its bounds, and no further", (role, _, move) => {
  for (const parameter of move.parameters) {
    const { name } = parameter;
    for (const value of listedValues(parameter)) expect(refused(role, move, { [name]: value })).toEqual([]);
    const { min = 0, max = 0 } = parameter;
    for (const value of isNumber(parameter) ? [min - 0.1 * Math.max(1, -min), 1.001 * max] : []) {
      expect([value, refused(role, move, { [name]: value }).length]).toEqual([value, 1]);
    }
  }
});

test("a request takes every easing of the list", () => {
  const { names, forms } = motion.easings;
  const numbers: Readonly<Record<string, string>> = { steps: "4", "cubic-bezier": "0.2,0,0,1", spring: "200,15" };
  const withNumbers = forms.map((form) => form.replace(/^(.*)\(.*\)$/, (_, name) => `${name}(${numbers[name]})`));
  for (const easing of [...names, ...withNumbers]) {
    expect([easing, refused("enter", motion.enter[0]!, { easing })]).toEqual([easing, []]);
  }
});

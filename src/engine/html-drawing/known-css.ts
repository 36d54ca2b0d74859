import { Renderer } from "@takumi-rs/core";
import type { Node } from "@takumi-rs/helpers";
import { familiesIn } from "../html/families.ts";
import type { CssDeclaration } from "../ports.ts";
import { isBundledFamily } from "./fonts.ts";

/** Declarations whose number bounds the width of the picture that answers. */
const atOnce = 1000;

/** Tells which declarations the renderer draws, and which font families are there. */
export async function areKnown(declarations: readonly CssDeclaration[]): Promise<readonly boolean[]> {
  const answers: boolean[] = [];
  for (let from = 0; from < declarations.length; from += atOnce) {
    answers.push(...(await supportOf(declarations.slice(from, from + atOnce))));
  }
  return declarations.map(
    ({ property, value }, index) =>
      answers[index]! && (property !== "font-family" || familiesIn(value).every(isBundledFamily)),
  );
}

/** The renderer answers with one red pixel for each `@supports` that holds. */
async function supportOf(declarations: readonly CssDeclaration[]): Promise<readonly boolean[]> {
  // as text: the renderer refuses a rule that is an object and is unknown
  const css = declarations.map(
    ({ property, value }, index) => `@supports (${property}: ${value}) { .n${index} { background-color: #f00 } }`,
  );
  const pixel = (_: CssDeclaration, index: number): Node => ({
    ...{ type: "container", className: `n${index}`, style: { width: 1, height: 1, flexShrink: 0 } },
  });
  const node: Node = {
    ...{ type: "container", style: { display: "flex", width: declarations.length, height: 1 } },
    children: declarations.map(pixel),
  };
  const options = { css, width: declarations.length, height: 1, format: "raw" } as const;
  const pixels = await new Renderer().render(node, options);
  return declarations.map((_, index) => pixels[4 * index] === 255);
}

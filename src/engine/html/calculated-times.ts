import { type CssNode, type Declaration, generate, type List, walk } from "css-tree";
import { secondsOf } from "./calculate.ts";
import type { StyleDeclaration, Styles } from "./css.ts";
import { type Variables, variablesOf } from "./variables.ts";

/**
 * Replaces calculations in the times of animations, which the renderer does not know. One with a variable becomes a
 * variable that is set wherever its own is, so that each element gets its own time.
 */
export function calculateTimes(styles: Styles): void {
  const { declarations, ignored } = styles;
  const variables = variablesOf(declarations);
  const named = new Map<string, string>();
  for (const declaration of [...declarations]) {
    if (!/^(-webkit-)?animation/.test(declaration.property)) continue;
    for (const { calculation, replace } of calculationsIn(declaration.node)) {
      const replaced = replacement(calculation, { declarations, variables, named });
      if (replaced === undefined) {
        const { field, line, property } = declaration;
        ignored.push({ field, line, what: `${property}: ${calculation}` });
      } else replace(replaced);
    }
  }
}

type Calculation = { readonly calculation: string; replace(by: string): void };

function calculationsIn({ value }: Declaration): readonly Calculation[] {
  const found: Calculation[] = [];
  walk(value, {
    visit: "Function",
    enter(node: CssNode, item: Parameters<List<CssNode>["remove"]>[0]) {
      if (node.type !== "Function" || node.name.toLowerCase() !== "calc") return;
      found.push({
        calculation: generate(node),
        replace: (by) => {
          // spaces keep it apart from its neighbors
          item.data = { type: "Raw", value: ` ${by} ` };
        },
      });
    },
  });
  return found;
}

type Known = {
  readonly declarations: readonly StyleDeclaration[];
  readonly variables: Variables;
  /** The names of the variables that stand for calculations. */
  readonly named: Map<string, string>;
};

const variable = /var\(\s*(--[\w-]+)\s*(?:,([^()]*))?\)/g;

/** A time, or a variable that has it; undefined if it cannot be known. */
function replacement(calculation: string, { declarations, variables, named }: Known): string | undefined {
  const found = named.get(calculation);
  if (found !== undefined) return found;
  const constant = calculation.replace(variable, (use: string, name: string, byDefault?: string) => {
    const values = variables.get(name) ?? [];
    if (values.length === 0 && byDefault !== undefined) return byDefault.trim();
    return values.length === 1 && byDefault === undefined ? values[0]! : use;
  });
  const names = [...new Set([...constant.matchAll(variable)].map(([, name = ""]) => name))];
  if (names.length === 0) return timeOf(constant);
  const [name] = names;
  if (names.length > 1 || named.size >= maxVariables) return undefined;
  const own = `--calculated-${named.size}`;
  const timeWith = (value: string | undefined) =>
    value === undefined ? undefined : timeOf(constant.replace(variable, () => value.trim()));
  for (const declaration of declarations) {
    if (declaration.property !== name) continue;
    const time = timeWith(declaration.value);
    if (time !== undefined) declaration.add(own, time);
  }
  const [, , byDefault] = [...constant.matchAll(variable)][0] ?? [];
  const result = `var(${own},${timeWith(byDefault) ?? "0s"})`;
  named.set(calculation, result);
  return result;
}

const maxVariables = 20;

function timeOf(calculation: string): string | undefined {
  const seconds = secondsOf(calculation);
  return seconds === undefined ? undefined : `${Math.round(seconds * 1e4) / 1e4}s`;
}

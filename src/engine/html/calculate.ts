import { type CssNode, parse } from "css-tree";

export const finite = (value: number | undefined): number | undefined =>
  value !== undefined && Number.isFinite(value) ? value : undefined;

/** The seconds of a time such as 300ms, or of a calculation with times; undefined for anything else. */
export function secondsOf(value: string): number | undefined {
  try {
    const tree = parse(value, { context: "value" });
    return tree.type === "Value" ? finite(calculated(tree.children.toArray())) : undefined;
  } catch {
    return undefined;
  }
}

/** The value of a sum of products; times count as seconds. */
function calculated(nodes: readonly CssNode[]): number | undefined {
  let [sum, product, sign] = [0, undefined as number | undefined, 1];
  let operator = "*";
  for (const node of nodes) {
    if (node.type === "Operator" && product !== undefined) {
      operator = node.value.trim();
      if (operator === "+" || operator === "-") {
        sum += sign * product;
        [product, sign] = [undefined, operator === "+" ? 1 : -1];
      }
      continue;
    }
    const value = numberOf(node);
    if (value === undefined) return undefined;
    product = product === undefined ? value : operator === "/" ? product / value : product * value;
  }
  return product === undefined ? undefined : sum + sign * product;
}

function numberOf(node: CssNode): number | undefined {
  if (node.type === "Number") return Number(node.value);
  if (node.type === "Dimension") {
    const unit = node.unit.toLowerCase();
    return unit === "s" ? Number(node.value) : unit === "ms" ? Number(node.value) / 1000 : undefined;
  }
  if (node.type === "Parentheses") return calculated(node.children.toArray());
  return node.type === "Function" && node.name === "calc" ? calculated(node.children.toArray()) : undefined;
}

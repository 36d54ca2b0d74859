import { type CssNode, type Declaration, generate, List } from "css-tree";

const sizes: ReadonlySet<string> = new Set([
  ...["xx-small", "x-small", "small", "medium", "large", "x-large", "xx-large", "smaller", "larger"],
]);
const styles: ReadonlySet<string> = new Set(["italic", "oblique"]);
const weights: ReadonlySet<string> = new Set(["bold", "bolder", "lighter"]);

/** The declarations that `font` stands for; undefined for another property, or for a form that is not known. */
export function expandFont(node: Declaration): readonly Declaration[] | undefined {
  if (node.property.toLowerCase() !== "font" || node.value.type !== "Value") return undefined;
  const parts = node.value.children.toArray();
  const sizeAt = parts.findIndex(isSize);
  if (sizeAt < 0) return undefined;
  const before = parts.slice(0, sizeAt);
  const hasHeight = textOf(parts[sizeAt + 1]) === "/";
  const families = parts.slice(sizeAt + (hasHeight ? 3 : 1));
  if (families.length === 0) return undefined;
  const style = before.find((part) => styles.has(textOf(part)));
  const weight = before.find((part) => part.type === "Number" || weights.has(textOf(part)));
  const declare = (property: string, value: readonly CssNode[]): Declaration => ({
    ...node,
    property,
    value: { type: "Value", children: new List<CssNode>().fromArray([...value]) },
  });
  const word = (name: string): CssNode => ({ type: "Identifier", name });
  return [
    declare("font-style", [style ?? word("normal")]),
    declare("font-weight", [weight ?? word("normal")]),
    declare("font-size", [parts[sizeAt]!]),
    declare("line-height", [hasHeight ? parts[sizeAt + 2]! : word("normal")]),
    declare("font-family", families),
  ];
}

const isSize = (node: CssNode): boolean =>
  node.type === "Dimension" || node.type === "Percentage" || node.type === "Function" || sizes.has(textOf(node));

const textOf = (node: CssNode | undefined): string => (node ? generate(node).toLowerCase() : "");

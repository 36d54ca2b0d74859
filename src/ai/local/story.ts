/** What a scene does for the film. */
export type Beat = "hook" | "context" | "product" | "benefit" | "detail" | "action";

const short: readonly (readonly Beat[])[] = [
  ["product"],
  ["hook", "action"],
  ["hook", "product", "action"],
  ["hook", "product", "benefit", "action"],
  ["hook", "context", "product", "benefit", "action"],
  ["hook", "context", "product", "detail", "benefit", "action"],
];

/** From the first look to the one thing that is asked for. Longer films show more of the product in use and from near. */
export function beatsOf(sceneCount: number): readonly Beat[] {
  const known = short[sceneCount - 1];
  if (known) return known;
  const middle = Array.from({ length: sceneCount - 4 }, (_, index): Beat => (index % 2 === 0 ? "benefit" : "detail"));
  return ["hook", "context", "product", ...middle, "action"];
}

import type { Figure } from "../figures.ts";
import { medianOf } from "../measure.ts";

/** A figure of numbers of which fewer are better: their median and the worst. */
export function figureOf(figure: string, numbers: readonly number[], goal = "", digits = 3): Figure {
  const median = medianOf(numbers).toFixed(digits);
  const worst = Math.max(...numbers).toFixed(digits);
  return { figure, measured: `${median} (worst ${worst} of ${numbers.length})`, goal };
}

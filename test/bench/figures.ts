/** One line of the results: a measurement and its goal. */
export type Figure = { readonly figure: string; readonly measured: string; readonly goal: string };

/** Prints the figures and sends them to the process that runs all benches. */
export function report(figures: readonly Figure[]): void {
  printTable(figures);
  process.send?.(figures);
}

export function printTable(figures: readonly Figure[]): void {
  const rows = [{ figure: "figure", measured: "measured", goal: "goal" }, ...figures];
  const widthOf = (column: keyof Figure) => Math.max(...rows.map((row) => row[column].length));
  const figureWidth = widthOf("figure");
  const measuredWidth = widthOf("measured");
  for (const { figure, measured, goal } of rows) {
    console.log(`  ${figure.padEnd(figureWidth)}  ${measured.padStart(measuredWidth)}  ${goal}`.trimEnd());
  }
}

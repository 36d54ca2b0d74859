/** Cells that a spreadsheet would read as a formula. */
const formula = /^[=+\-@\t\r]/;

/** Starts of cells in programs that use another separator; none if the line begins with quotes. */
const innerFormula = /(?<=[;\t\r\n]\s*)(?=[=+\-@])/g;

function cellOf(text: string, at: number): string {
  const safe = formula.test(text) ? `'${text}` : text;
  const inner = at === 0 ? safe : safe.replaceAll(innerFormula, "'");
  return /[",;\t\r\n]/.test(inner) ? `"${inner.replaceAll('"', '""')}"` : inner;
}

/** A line of RFC 4180 with its line break. Formulas get an apostrophe in front, also where `;` separates cells. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(cellOf).join(",")}\r\n`;

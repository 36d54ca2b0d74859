/** Cells that a spreadsheet would take for a formula. */
const formula = /^[=+\-@\t\r]/;

/** Where one that opens the file with another sign between cells begins a cell, unless the line begins with quotes. */
const innerFormula = /(?<=[;\t\r\n]\s*)(?=[=+\-@])/g;

function cellOf(text: string, at: number): string {
  const safe = formula.test(text) ? `'${text}` : text;
  const inner = at === 0 ? safe : safe.replaceAll(innerFormula, "'");
  return /[",;\t\r\n]/.test(inner) ? `"${inner.replaceAll('"', '""')}"` : inner;
}

/** A line of RFC 4180, with its line break. What would begin a formula gets an apostrophe, also where `;` separates. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(cellOf).join(",")}\r\n`;

import { expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { csvLine } from "../../src/platform/texts.ts";

test("quotes what another spreadsheet would separate", () => {
  expect(csvLine(["y;=1+1", "2", "", "a;=1+1", "x\ty", "=1", "plain"])).toBe(
    `"y;=1+1",2,,"a;'=1+1","x\ty",'=1,plain\r\n`,
  );
});

const pieces = fc.array(fc.constantFrom("=1+1", ";", ",", "\n", "\t", '"', "a", " ", "@x", "-2"), { maxLength: 6 });

test("no sign between cells makes a formula of a text", () => {
  fc.assert(
    fc.property(fc.array(pieces, { minLength: 1, maxLength: 4 }), (cells) => {
      const line = csvLine(["first", ...cells.map((parts) => parts.join(""))]);
      for (const cell of line.split(/[;\t\r\n]/).slice(1)) expect(cell).not.toMatch(/^\s*[=@-]/);
      const read: string[][] = parse(line);
      expect(read).toHaveLength(1);
      expect(read[0]).toHaveLength(cells.length + 1);
    }),
  );
});

import { expect, test } from "bun:test";
import { frames, pages, palettes, wordsOf } from "../../support/template-pages.ts";

const long = "Donaudampfschifffahrtsgesellschaft für alle Kundinnen und Kunden";
const arabic = "آلة صنع القهوة مع رغوة الحليب";
const shown = [
  ...palettes.map((palette) => ({ palette })),
  ...[{ value: long }, { value: arabic, direction: "rtl" as const }],
];

/** A few pixels of accents. */
const allowed = 8;

test.each(pages)("$id is readable in every frame, with any palette and any words", async (design) => {
  for (const canvas of Object.values(frames)) {
    for (const each of shown) {
      const { outside, pale } = await wordsOf(design, { canvas, ...each });
      expect([outside <= allowed, pale < 0.1, each, canvas]).toEqual([true, true, each, canvas]);
    }
  }
});

import { expect, test } from "bun:test";
import { filmPalette } from "../../../../src/domain/films/look/palette.ts";
import { filmTemplate, fromLastScene } from "../../../../src/domain/films/steps/template.ts";
import type { Project } from "../../../../src/domain/projects/projects.ts";
import type { Work } from "../../../../src/domain/works/works.ts";
import { designs } from "../../../support/template-pages.ts";

// safe because a template of the library is not looked up
const ports = { templateDesigns: designs } as never;

const template = { library: "end-card", values: { headline: "Warm", action: "Buy", address: "cup.example" } };

/** The colors behind the texts of a library's template in a film of a project with this style guide. */
async function groundsOf(styleGuide: object) {
  const used = await filmTemplate(ports, { styleGuide } as unknown as Project, template, "en");
  return new Set(used.content.textOverlays.map(({ background }) => background));
}

test("a template of the library has the brand's colors, else those that the film makes of the style guide's", async () => {
  const styleGuide = { color_palette: ["#0b6e4f", "#f4d35e", "#fdfaf3"] };
  const { lead, accent, dark, light } = filmPalette(styleGuide, "");
  const ofGuide = await groundsOf(styleGuide);
  expect(ofGuide.size).toBeGreaterThan(0);
  for (const ground of ofGuide) expect([lead, accent, dark, light]).toContain(ground!);
  const palette = { primary: "#111111", secondary: "#222222", accent: "#333333", background: "#444444" };
  const ofBrand = await groundsOf({ ...styleGuide, brand: { palette } });
  for (const ground of ofBrand) expect(Object.values(palette)).toContain(ground!);
  expect(ofBrand.size).toBeGreaterThan(0);
});

test("a template with an end begins with the last scene", async () => {
  const { content } = await filmTemplate(ports, {} as unknown as Project, template, "en");
  const startsIn = (seconds: readonly number[]) => {
    const scenes = seconds.map((duration_seconds) => ({ duration_seconds })) as unknown as Work["scenes"];
    return new Set(
      fromLastScene(content, { scenes }).textOverlays.map(({ startPercent = 0 }) => Number(startPercent.toFixed(6))),
    );
  };
  expect(startsIn([2, 2, 6])).toEqual(new Set([40]));
  expect(startsIn([4, 4, 2])).toEqual(new Set([80]));
  expect(startsIn([10])).toEqual(new Set([70]));
});

import { expect, test } from "bun:test";
import { draftOf, withEditor } from "../../studio/src/work/draft.ts";
import { colorsIn, familiesIn, withColor, withFamily } from "../../studio/src/work/film-colors.ts";
import { logoOf, logoSpots, placeLogo, withLogo, withoutLogo } from "../../studio/src/work/film-logo.ts";
import { putOverlay } from "../../studio/src/work/overlays.ts";

const draft = withEditor(draftOf({ scenes: [], generatedScenes: [] } as never), {
  textOverlays: {
    a: { text: "Tea #112233", fontColor: "#FFF4E6", fontFamily: "Anton" },
    b: { text: "Now", fontColor: "#fff4e6", background: "#112233", fontFamily: "Anton" },
    c: { text: "Here", fontColor: "#aa3619", fontFamily: "Inter" },
  },
  layers: [{ id: "card", type: "html", css: ".box{color:#112233}" }],
});

test("a film's colors are those of its texts and layers, and one replaces another everywhere", () => {
  expect(colorsIn(draft)).toEqual(["#fff4e6", "#112233", "#aa3619"]);
  const { editor } = withColor(draft, "#fff4e6", "#00ff00");
  expect([editor.textOverlays.a?.fontColor, editor.textOverlays.b?.fontColor]).toEqual(["#00ff00", "#00ff00"]);
  const dark = withColor(draft, "#112233", "#000000").editor;
  expect(dark.layers?.[0]?.css).toBe(".box{color:#000000}");
  // words are not colors
  expect(dark.textOverlays.a?.text).toBe("Tea #112233");
});

test("all texts of a family are set in another", () => {
  expect(familiesIn(draft)).toEqual(["Anton", "Inter"]);
  expect(familiesIn(withFamily(draft, "Anton", "Inter"))).toEqual(["Inter"]);
});

test("a logo keeps its place and its size when another one replaces it, and stays where it was dragged", () => {
  // safe because a logo needs no more of an image
  const image = (id: string, width: number, height: number) => ({ id, width, height }) as never;
  const first = withLogo(draft, image("asset_a", 400, 200));
  expect(logoOf(first)).toEqual({ assetId: "asset_a", spot: logoSpots[2], share: 1 / 6 });
  const left = placeLogo(placeLogo(first, { spot: logoSpots[6]! }), { share: 0.2 });
  expect(left.editor.layers?.at(-1)).toMatchObject({ width: 216, height: 108, centerX: -312, centerY: 234 });
  expect(logoOf(withLogo(left, image("asset_b", 100, 100)))).toEqual({
    ...{ assetId: "asset_b", spot: logoSpots[6], share: 0.2 },
  });
  const dragged = putOverlay(left, { kind: "layer", id: "film-logo" }, { centerX: 7, centerY: 9 });
  const larger = placeLogo(dragged, { share: 0.3 });
  expect(larger.editor.layers?.at(-1)).toMatchObject({ width: 324, centerX: 7, centerY: 9 });
  expect(logoOf(larger)?.spot).toBeUndefined();
  expect(withoutLogo(larger).editor.layers).toEqual(draft.editor.layers);
});

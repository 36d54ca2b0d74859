import { expect, test } from "bun:test";
import { draftOf, withEditor } from "../../studio/src/work/draft.ts";
import { colorsIn, familiesIn, withColor, withFamily } from "../../studio/src/work/film-colors.ts";

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

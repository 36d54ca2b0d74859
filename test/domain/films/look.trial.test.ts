import { expect, test } from "bun:test";
import { paleWords, scenes, shapes, wrongPlaces } from "../../support/look-scenes.ts";
import { looks } from "../../support/looks.ts";

// safe because the table is a constant with exactly these keys
const languages = Object.keys(scenes) as (keyof typeof scenes)[];

test.each([...looks.keys()])("the words of all scenes are in the safe zone of all frames, apart: %s", async (name) => {
  expect(await wrongPlaces(looks.get(name)!, shapes, languages)).toEqual([]);
});

test.each([...looks.keys()])("words are readable on what is drawn under them, in all palettes: %s", async (name) => {
  const look = looks.get(name)!;
  for (const palette of look.palettes) {
    expect(await paleWords({ ...look, palettes: [palette] }, [shapes[0]!, shapes[3]!])).toEqual([]);
  }
});

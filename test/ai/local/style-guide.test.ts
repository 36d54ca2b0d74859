import { expect, test } from "bun:test";
import { findColors } from "../../../src/ai/local/style-guide/colors.ts";
import { styleGuideByRules } from "../../../src/ai/local/style-guide/style-guide.ts";
import { StyleGuideOutput } from "../../../src/domain/ai/output-schemas.ts";

const brand = `Title: Nordlicht Coffee – Fresh from the roaster
Description: Small-batch coffee, roasted on Mondays.
Colors: #14213d, #fca311

We are warm, honest and a little playful. Our colors are #14213D and rgb(252 163 17).
Cuts are quick. The camera stays close, handheld, near the hands.
Our voice is plain: we speak to you like a neighbor.
Always show the paper bag, a steaming cup. Never show plastic cups, stock smiles or neon.
Made for people who get up early.`;

test("extracts tone, colors, tempo, camera style, voice, lists and product", () => {
  expect(styleGuideByRules(brand)).toEqual({
    style_guide: {
      tone: "warm, honest, playful",
      color_palette: ["#14213d", "#fca311"],
      tempo: "fast",
      camera_style: "The camera stays close, handheld, near the hands.",
      brand_voice: "Our voice is plain: we speak to you like a neighbor.",
      must_include: ["paper bag", "a steaming cup"],
      must_avoid: ["plastic cups", "stock smiles", "neon"],
    },
    product: {
      name: "Nordlicht Coffee",
      description: "Small-batch coffee, roasted on Mondays.",
      target_audience: "people who get up early",
    },
  });
});

test("guesses neither tempo nor voice from the writing", () => {
  const short = "You wake up early. You want real bread. Your baker is here.";
  const { style_guide } = styleGuideByRules(short);
  expect([style_guide.tempo, style_guide.brand_voice]).toEqual(["", ""]);
});

test("reads color names only in a text without CSS colors", () => {
  expect(findColors("Blue walls, a blue door, white sand")).toEqual(["#0000ff", "#ffffff"]);
  expect(findColors("Blue walls, #ff0000")).toEqual(["#ff0000"]);
});

test("reads 2,000 lines and as many sentences of a long text", () => {
  const toneAfter = (text: string) => styleGuideByRules(`${text}\nTone: warm`).style_guide.tone;
  expect([toneAfter("- a\n".repeat(1990)), toneAfter("- a\n".repeat(2010))]).toEqual(["warm", ""]);
  expect([toneAfter("a. ".repeat(1990)), toneAfter("a. ".repeat(2010))]).toEqual(["warm", ""]);
});

test("returns empty fields for a text without facts, and a valid result for any text", () => {
  const { style_guide } = styleGuideByRules("Hm");
  expect([style_guide.tone, style_guide.tempo, style_guide.color_palette]).toEqual(["", "", []]);
  for (const text of [
    "",
    "\u0000",
    "a".repeat(200_000),
    "never ".repeat(20_000),
    "🙂\n".repeat(5000),
    "no, or ".repeat(9000),
  ]) {
    expect(StyleGuideOutput.safeParse(styleGuideByRules(text)).success).toBe(true);
  }
});

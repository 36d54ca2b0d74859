import { expect, test } from "bun:test";
import { avoided, imagePrompt, type ShotSpec, videoPrompt } from "../../../../src/domain/ai/generation/prompts.ts";
import { defaultPrompts } from "../../../../src/domain/projects/default-prompts.ts";

const shot: ShotSpec = { prompt: "A kettle on a stove", negativePrompt: "", instruction: "Draw." };

const styleGuide = {
  tone: "warm",
  tempo: "slow",
  color_palette: ["#ff0000", "rgb(0 0 0)", "dusk"],
  camera_style: "handheld",
  must_include: ["the logo", "steam"],
  must_avoid: ["people", "Text"],
};

test("an image prompt contains the instruction, the style, the content and the negative prompt", () => {
  expect(imagePrompt({ ...shot, negativePrompt: "text, blur", styleGuide })).toBe(`Draw.

The style of the film
- Tone: warm
- Main colors: red (#ff0000), black (rgb(0 0 0)), dusk
- Camera: handheld
- Must be in the picture: the logo, steam

What the picture shows
A kettle on a stove

Leave out of the picture: Text, blur, people.`);
});

test("a video prompt leaves out what the image already shows", () => {
  expect(videoPrompt({ ...shot, styleGuide })).toBe(`Draw.

The style of the film
- Tone: warm
- Tempo: slow
- Camera: handheld

What happens in this shot
A kettle on a stove

Keep out of the shot: people, Text.`);
});

test("empty sections have no heading", () => {
  const empty = { tone: " ", color_palette: [], must_avoid: [""] };
  expect(imagePrompt({ ...shot, styleGuide: empty })).toBe("Draw.\n\nWhat the picture shows\nA kettle on a stove");
  expect(videoPrompt(shot)).toBe("Draw.\n\nWhat happens in this shot\nA kettle on a stove");
});

test("an empty instruction is replaced by the built-in one", () => {
  const { imageSystemPrompt, videoSystemPrompt } = defaultPrompts("blank");
  expect(imagePrompt({ ...shot, instruction: " " })).toStartWith(imageSystemPrompt);
  expect(videoPrompt({ ...shot, instruction: "" })).toStartWith(videoSystemPrompt);
});

test("joins the negative prompt and must_avoid without duplicates", () => {
  expect(avoided({ ...shot, negativePrompt: "People; hands,\nhands, ", styleGuide })).toBe("people, hands, Text");
});

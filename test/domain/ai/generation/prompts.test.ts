import { expect, test } from "bun:test";
import { avoided, imagePrompt, type ShotWish, videoPrompt } from "../../../../src/domain/ai/generation/prompts.ts";
import { defaultPrompts } from "../../../../src/domain/projects/default-prompts.ts";

const plain: ShotWish = { prompt: "A kettle on a stove", negativePrompt: "", instruction: "Draw." };

const styleGuide = {
  tone: "warm",
  tempo: "slow",
  color_palette: ["#ff0000", "rgb(0 0 0)", "dusk"],
  camera_style: "handheld",
  must_include: ["the logo", "steam"],
  must_avoid: ["people", "Text"],
};

test("a picture's prompt says how, in which style, what, and what not", () => {
  expect(imagePrompt({ ...plain, negativePrompt: "text, blur", styleGuide })).toBe(`Draw.

The style of the film
- Tone: warm
- Main colors: red (#ff0000), black (rgb(0 0 0)), dusk
- Camera: handheld
- Must be in the picture: the logo, steam

What the picture shows
A kettle on a stove

Leave out of the picture: Text, blur, people.`);
});

test("a video's prompt leaves out what its picture shows already", () => {
  expect(videoPrompt({ ...plain, styleGuide })).toBe(`Draw.

The style of the film
- Tone: warm
- Tempo: slow
- Camera: handheld

What happens in this shot
A kettle on a stove

Keep out of the shot: people, Text.`);
});

test("what is not said has no heading", () => {
  const empty = { tone: " ", color_palette: [], must_avoid: [""] };
  expect(imagePrompt({ ...plain, styleGuide: empty })).toBe("Draw.\n\nWhat the picture shows\nA kettle on a stove");
  expect(videoPrompt(plain)).toBe("Draw.\n\nWhat happens in this shot\nA kettle on a stove");
});

test("without an instruction the built-in one holds", () => {
  const { imageSystemPrompt, videoSystemPrompt } = defaultPrompts("blank");
  expect(imagePrompt({ ...plain, instruction: " " })).toStartWith(imageSystemPrompt);
  expect(videoPrompt({ ...plain, instruction: "" })).toStartWith(videoSystemPrompt);
});

test("what is to be avoided is named once, whoever names it", () => {
  expect(avoided({ ...plain, negativePrompt: "People; hands,\nhands, ", styleGuide })).toBe("people, hands, Text");
});

import { expect, test } from "bun:test";
import { imageInputHash, imageShotOf, type SceneSource } from "../../../../src/domain/ai/generation/scene-source.ts";

// safe because only these fields are read
const sourceWith = (styleGuide: object) =>
  ({
    project: { styleGuide },
    work: { imageSystemPrompt: "" },
    scene: { image_prompt: "A kettle", negative_prompt: "" },
  }) as unknown as SceneSource;

test("a brand is not an input of images: to change it makes no image anew", () => {
  const plain = sourceWith({ tone: "calm" });
  const branded = sourceWith({ tone: "calm", brand: { palette: { primary: "navy" } } });
  expect(imageInputHash(branded)).toBe(imageInputHash(plain));
  expect(imageShotOf(branded).styleGuide).toEqual({ tone: "calm" });
});

test("a text in place of a brand is an input, as before brands had fields", () => {
  const named = sourceWith({ tone: "calm", brand: "Bright Loaf" });
  expect(imageInputHash(named)).not.toBe(imageInputHash(sourceWith({ tone: "calm" })));
  expect(imageShotOf(named).styleGuide).toEqual({ tone: "calm", brand: "Bright Loaf" });
});

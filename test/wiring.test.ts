import { expect, test } from "bun:test";
import { readEnvironment } from "../src/env.ts";
import { modelsOf } from "../src/wiring.ts";

type Parts = Parameters<typeof modelsOf>[1];

/** Nothing is made before somebody asks for it. */
const unused: Parts = {
  studio: { drawStoryboard: () => Promise.reject(), moveCamera: () => Promise.reject() },
  files: { receive: () => Promise.reject() },
};
const started = (variables: Record<string, string>) => modelsOf(readEnvironment(variables), unused);

test.each([
  ["DEFAULT_VISION_PROVIDER", "nobody", "openai, google, local"],
  ["DEFAULT_LLM_PROVIDER", "dalle", "openai, google, local"],
  ["DEFAULT_IMAGE_PROVIDER", "nobody", "openai, google, local"],
  ["DEFAULT_VIDEO_PROVIDER", "openai", "google, local"],
])("%s cannot be %p, and the start says so", (setting, value, offered) => {
  expect(() => started({ [setting]: value })).toThrow(`Bad setting ${setting}: must be one of ${offered}.`);
});

test("a default may be any name that callers may use", () => {
  const models = started({ DEFAULT_IMAGE_PROVIDER: "dalle", DEFAULT_VIDEO_PROVIDER: "Gemini" });
  expect([models.provider("image", {}).id, models.provider("video", {}).id]).toEqual(["openai", "google"]);
});

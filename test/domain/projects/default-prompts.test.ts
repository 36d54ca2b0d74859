import { expect, test } from "bun:test";
import { defaultPrompts, projectTypes } from "../../../src/domain/projects/default-prompts.ts";

test("each project type has its own system prompt", () => {
  const prompts = projectTypes.map((type) => defaultPrompts(type).systemPrompt);
  expect(new Set(prompts).size).toBe(projectTypes.length);
});

test("the default analyzer prompt is empty, which means the built-in one", () => {
  expect(defaultPrompts("blank").analyzerPrompt).toBe("");
});

import { expect, test } from "bun:test";
import { defaultPrompts, projectTypes } from "../../../src/domain/projects/default-prompts.ts";

test("each project type has a director's prompt of its own", () => {
  const prompts = projectTypes.map((type) => defaultPrompts(type).systemPrompt);
  expect(new Set(prompts).size).toBe(projectTypes.length);
});

test("an empty analyzer prompt stands for the built-in one", () => {
  expect(defaultPrompts("blank").analyzerPrompt).toBe("");
});

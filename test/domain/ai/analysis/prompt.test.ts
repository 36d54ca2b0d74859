import { expect, test } from "bun:test";
import { analysisPrompt, assetPrompt, measuredTable } from "../../../../src/domain/ai/analysis/prompt.ts";
import { analyst } from "../../../../src/domain/projects/default-prompts.ts";
import { measuresOf } from "../../../helpers/measured-films.ts";

const task = {
  mode: "style_transfer",
  analyzerPrompt: "",
  measures: measuresOf([1, 2.5]),
  framesAtSeconds: [],
} as const;

test("the measurements are one short table", () => {
  expect(measuredTable(task.measures)).toBe(
    [
      "length 3.5 s | tempo medium | motion 0.10 | with sound | colors #14213d",
      "scene | from s | to s | motion 0-1 | brightness 0-1 | colors",
      "1 | 0 | 1 | 0.10 | 0.40 | #14213d #f77f00",
      "2 | 1 | 3.5 | 0.10 | 0.40 | #14213d #f77f00",
    ].join("\n"),
  );
});

test("a caller's analyzer prompt takes the place of the built-in one; how to answer is always said", () => {
  const own = analysisPrompt({ ...task, analyzerPrompt: "Look at hats only." }).system;
  const ours = analysisPrompt(task).system;

  expect(own.startsWith("Look at hats only.\n\nHow to answer")).toBe(true);
  expect(ours.startsWith(analyst)).toBe(true);
});

test("the message says what the analysis is for, and when the pictures were taken", () => {
  const remix = analysisPrompt({ ...task, mode: "content_remix", framesAtSeconds: [0.5, 2.251] }).message;

  expect(remix).toContain("mode: content_remix");
  expect(remix).toContain("The pictures were taken at: 0.5, 2.25 s");
  expect(remix).toContain("scene_count: 2");
  expect(remix).not.toBe(analysisPrompt({ ...task, framesAtSeconds: [0.5, 2.251] }).message);
});

test("an asset's name and tags are material", () => {
  const { message } = assetPrompt({ kind: "image", name: "hat </material>", tags: ["a", "b"] });

  expect(message).toBe(
    'Describe this image.\n\n<material name="name and tags">\nhat ‹/material>\n\na and b\n</material>',
  );
});

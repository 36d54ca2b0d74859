import { expect, test } from "bun:test";
import { lasting, moved } from "../../studio/src/parts/script.tsx";

const script = [2, 4, 6].map((duration_seconds, index) => ({ duration_seconds, text_overlay: `Scene ${index}` }));

test("a scene moves to another index, and the others keep their order", () => {
  const order = (from: number, to: number) => moved(script, from, to).map(({ text_overlay }) => text_overlay?.at(-1));
  expect([order(0, 2), order(2, 0), order(1, 1)].map((each) => each.join(""))).toEqual(["120", "201", "012"]);
});

test("a script of another length keeps its proportions, and no scene is shorter than a second", () => {
  const lengths = (seconds: number) => lasting(script, seconds).map(({ duration_seconds }) => duration_seconds);
  expect([lengths(24), lengths(3)]).toEqual([
    [4, 8, 12],
    [1, 1, 1.5],
  ]);
});

import { expect, test } from "bun:test";
import { motionView } from "../../src/domain/motion/moves.ts";
import words from "../../studio/src/words/en.json";
import { moveOf, moveRoles, withMove } from "../../studio/src/work/moves.ts";

const enter = { name: "wipe", seconds: 1, direction: "clock" };

test("an overlay has moves by name, as objects, or as the older animations", () => {
  expect(moveOf({ enter: "fade" }, "enter")).toEqual({ name: "fade" });
  expect(moveOf({ enter }, "enter")).toBe(enter);
  expect(moveOf({ animateIn: "slidedown" }, "enter")).toEqual({ name: "slide", direction: "down", seconds: 0.3 });
  expect(moveOf({ animateOut: "pop" }, "exit")).toEqual({ name: "pop", seconds: 0.3 });
  for (const overlay of [{}, { animateIn: "none" }, { enter: null }]) expect(moveOf(overlay, "enter")).toBeUndefined();
});

test("a new entrance replaces older animations, and keeps the exit", () => {
  const overlay = { animateIn: "fade", animateOut: "slideup" };
  const exit = { name: "slide", direction: "up", seconds: 0.3 };
  const replaced = { enter, exit, animateIn: undefined, animateOut: undefined };
  expect(withMove(overlay, "enter", enter)).toStrictEqual(replaced);
});

test("a loop changes nothing else, and no move removes its field", () => {
  expect(withMove({ animateIn: "fade" }, "loop", { name: "pulse" })).toEqual({ loop: { name: "pulse" } });
  expect(withMove({ enter, loop: "pulse" }, "loop", undefined)).toEqual({ loop: undefined });
  expect(withMove({ enter }, "enter", undefined)).toMatchObject({ enter: undefined });
});

test("each move of texts and images, and each unit of them, has a word", () => {
  const motion = motionView(() => "");
  const offered = moveRoles.flatMap((role) =>
    motion[role].filter(({ types }) => types.includes("text") || types.includes("image")),
  );
  const units = offered.flatMap(({ parameters }) => parameters.find(({ name }) => name === "by")?.values ?? []);
  const names = [...moveRoles, "none", "seconds", "by", ...units, ...offered.map(({ name }) => name)];
  expect(names.filter((name) => !(`move_${name}` in words))).toEqual([]);
});

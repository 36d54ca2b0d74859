import { describe, expect, test } from "bun:test";
import { type Draft, draftOf } from "../../studio/src/work/draft.ts";
import { keyTimes, moveKey, posed, putKeyed, removeKey, setEasing, setKey } from "../../studio/src/work/keyframes.ts";
import { overlaysOf, type Placed, putOverlay } from "../../studio/src/work/overlays.ts";

// safe because a draft needs no other fields of a work
const empty = draftOf({ scenes: [], generatedScenes: [] } as never);
const name = { kind: "text", id: "title" } as const;
const placedIn = (draft: Draft): Placed => overlaysOf(draft).find(({ id }) => id === name.id)!; // safe because it was put
const title = putOverlay(empty, name, { text: "Hi", centerX: 100, centerY: 0, targets: {} }, { start: 2, end: 6 });

/** Keys at 3 s, where the title is, and at 5 s, where it was dragged to. */
const keyed = (() => {
  const first = setKey(title, placedIn(title), { centerX: 100, centerY: 0 }, 3);
  return putKeyed(first, placedIn(first), { centerX: 300, centerY: 40 }, 5);
})();

describe("the keys of an overlay", () => {
  test("hold its place, scale, turn and opacity at a time of its own", () => {
    expect(placedIn(setKey(title, placedIn(title), { centerX: 100, centerY: 0 }, 3)).overlay.keyframes).toEqual({
      centerX: [{ at: 1, value: 100 }],
      centerY: [{ at: 1, value: 0 }],
      scale: [{ at: 1, value: 1 }],
      rotation: [{ at: 1, value: 0 }],
      opacity: [{ at: 1, value: 1 }],
    });
  });

  test("are set where something with keys is changed, and what has none keeps its field", () => {
    expect(keyTimes(placedIn(keyed))).toEqual([3, 5]);
    const larger = putKeyed(keyed, placedIn(keyed), { fontSize: 90, centerX: 310 }, 5);
    const { overlay } = placedIn(larger);
    expect([overlay.fontSize, overlay.centerX]).toEqual([90, 100]);
    expect(posed(placedIn(larger), 5)).toMatchObject({ centerX: 310, centerY: 40, fontSize: 90 });
    // its places in other formats are derived again
    expect(overlay.targets).toBeUndefined();
  });

  test("travel evenly between two times, and hold before and after", () => {
    const at = (time: number) => posed(placedIn(keyed), time).centerX;
    expect([2, 3, 4, 5, 6].map(at)).toEqual([100, 100, 200, 300, 300]);
  });

  test("are moved within the overlay, and replace those that they meet", () => {
    const moved = (to: number) => keyTimes(placedIn(moveKey(keyed, placedIn(keyed), 5, to)));
    expect([moved(4), moved(9), moved(2.5), moved(3)]).toEqual([[3, 4], [3, 6], [2.5, 3], [3]]);
  });

  test("are removed, and the last one leaves no trace", () => {
    const one = removeKey(keyed, placedIn(keyed), 3);
    expect(keyTimes(placedIn(one))).toEqual([5]);
    expect(placedIn(removeKey(one, placedIn(one), 5)).overlay.keyframes).toBeUndefined();
  });

  test("have a pace, and times as shares of the length", () => {
    const soft = setEasing(keyed, placedIn(keyed), 5, "ease-in-out");
    expect(placedIn(soft).overlay.keyframes).toMatchObject({
      centerX: [{ at: 1 }, { at: 3, easing: "ease-in-out" }],
    });
    const shares = putOverlay(title, name, { keyframes: { opacity: [{ at: "25%", value: 0 }] } });
    expect(keyTimes(placedIn(shares))).toEqual([3]);
  });
});

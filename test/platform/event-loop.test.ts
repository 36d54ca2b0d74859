import { expect, spyOn, test } from "bun:test";
import { yieldIfBusy } from "../../src/platform/cpu.ts";

function blockThread(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

test("steps that block the thread leave turns of the event loop to others", async () => {
  const order: string[] = [];
  setTimeout(() => order.push("other"), 0);
  for (let step = 0; step < 4; step++) {
    await yieldIfBusy();
    blockThread(15);
    order.push("step");
  }

  expect(order.slice(0, 3)).toContain("other");
});

test("short steps run in the same turn", async () => {
  using _ = spyOn(performance, "now").mockReturnValue(performance.now());
  // what waits from before has its turn, and the turn that began before the clock stopped ends
  await yieldIfBusy();
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
  let isNextTurn = false;
  setImmediate(() => {
    isNextTurn = true;
  });
  for (let step = 0; step < 5; step++) await yieldIfBusy();

  expect(isNextTurn).toBe(false);
});

test("a step that waits is not overtaken by the steps of others that came later", async () => {
  const order: string[] = [];
  const endless = async () => {
    for (let step = 0; step < 30; step++) {
      await yieldIfBusy();
      blockThread(4);
      order.push("endless");
    }
  };
  const other = async () => {
    await yieldIfBusy();
    order.push("other");
  };
  const all = [endless(), endless()];
  // until both wait for the next turn
  for (let tick = 0; tick < 50; tick++) await Promise.resolve();
  await Promise.all([...all, other()]);

  expect(order.indexOf("other")).toBeLessThan(10);
});

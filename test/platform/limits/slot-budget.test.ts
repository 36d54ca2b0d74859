import { expect, test } from "bun:test";
import fc from "fast-check";
import { concurrencyLimit } from "../../../src/platform/limits/concurrency-limit.ts";
import { type SlotBudget, slotBudget } from "../../../src/platform/limits/slot-budget.ts";

const limitOn = (budget: SlotBudget, concurrency = 10) => concurrencyLimit({ concurrency, budget });

/** Tasks that run until they are ended. */
function heldTasks() {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const task = (name: string) => () => {
    started.push(name);
    return new Promise<void>((resolve) => ends.set(name, resolve));
  };
  const end = async (name: string) => {
    ends.get(name)!();
    // until no step is left
    for (let turns = 0; turns < 20; turns++) await Promise.resolve();
  };
  return { task, started, end };
}

test("limits share the slots of a budget, and a free one goes to the limit that joined first", async () => {
  const budget = slotBudget(2);
  const [high, low] = [limitOn(budget), limitOn(budget)];
  const { task, started, end } = heldTasks();
  for (const name of ["low 1", "low 2", "low 3"]) void low(task(name));
  void high(task("high"));
  expect(started).toEqual(["low 1", "low 2"]);
  expect(budget.running()).toBe(2);

  await end("low 2");
  expect(started.slice(2)).toEqual(["high"]);
  await end("high");
  expect(started.slice(3)).toEqual(["low 3"]);
});

test("a group takes no more than its part, and leaves the rest to others", async () => {
  const budget = slotBudget(3);
  const part = budget.group(2);
  const [one, other, outside] = [limitOn(part), limitOn(part), limitOn(budget)];
  const { task, started, end } = heldTasks();
  void one(task("one"));
  void other(task("other"));
  void other(task("waits for its group"));
  void outside(task("outside"));
  expect(started).toEqual(["one", "other", "outside"]);

  await end("outside");
  expect(started).toHaveLength(3);
  await end("one");
  expect(started[3]).toBe("waits for its group");
});

test("a limit that has its own number of tasks leaves a free slot to the next limit", async () => {
  const budget = slotBudget(2);
  const [high, low] = [limitOn(budget, 1), limitOn(budget)];
  const { task, started, end } = heldTasks();
  for (const name of ["high 1", "high 2"]) void high(task(name));
  for (const name of ["low 1", "low 2"]) void low(task(name));
  expect(started).toEqual(["high 1", "low 1"]);

  await end("low 1");
  expect(started[2]).toBe("low 2");
});

test("a task that holds a slot needs no second one for what it starts", async () => {
  const budget = slotBudget(1);
  const [outer, inner] = [limitOn(budget), limitOn(budget.group(1))];
  let most = 0;
  const nested = outer(() =>
    inner(() =>
      outer(async () => {
        most = budget.running();
        return "done";
      }),
    ),
  );
  expect(await nested).toBe("done");
  expect([most, budget.running()]).toEqual([1, 0]);
});

test("what a task leaves behind takes a slot of its own once the task has ended", async () => {
  const budget = slotBudget(1);
  const limit = limitOn(budget);
  const { task, started, end } = heldTasks();
  const ended = Promise.withResolvers<void>();
  let left: Promise<unknown> | undefined;
  await limit(async () => {
    left = ended.promise.then(() => limit(task("left behind")));
  });
  void limit(task("next"));
  ended.resolve();
  await Promise.resolve();
  expect(started).toEqual(["next"]);

  await end("next");
  expect(started).toEqual(["next", "left behind"]);
  await end("left behind");
  await left;
});

test("an aborted or failed task gives its slot back once", async () => {
  const budget = slotBudget(1);
  const limit = limitOn(budget);
  const failing = limit(async () => {
    throw new Error("failed");
  });
  const leaving = new AbortController();
  const waiting = limit(async () => "never", { signal: leaving.signal });
  leaving.abort(new Error("left"));
  const outcomes = await Promise.allSettled([failing, waiting]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await limit(async () => budget.running())).toBe(1);
  expect(budget.running()).toBe(0);
});

/** A task of a group that starts others one after the other or at once, each through a group again. */
type Task = { readonly group: number; readonly owner: string; readonly isParallel: boolean; readonly children: Task[] };

const tasks: fc.Arbitrary<Task> = fc.letrec<{ task: Task }>((tie) => ({
  task: fc.record({
    group: fc.nat(3),
    owner: fc.constantFrom("ann", "bob", "eve"),
    isParallel: fc.boolean(),
    children: fc.oneof({ maxDepth: 3 }, fc.constant<Task[]>([]), fc.array(tie("task"), { maxLength: 3 })),
  }),
})).task;

test("tasks that start tasks never wait for each other, and never take more slots than there are", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(tasks, { maxLength: 12 }), async (slots, all) => {
      const budget = slotBudget(slots);
      const groups = [budget, budget.group(1), budget.group(2), budget.group(3)];
      const limits = groups.map((group) => concurrencyLimit({ concurrency: 3, perOwner: 2, budget: group }));
      let [ended, most] = [0, 0];
      const run = (task: Task): Promise<void> =>
        limits[task.group]!(
          async () => {
            most = Math.max(most, budget.running());
            await Promise.resolve();
            if (task.isParallel) await Promise.all(task.children.map(run));
            else for (const child of task.children) await run(child);
            ended++;
          },
          { owner: task.owner },
        );
      await Promise.all(all.map(run));
      const count = (task: Task): number => task.children.reduce((sum, child) => sum + count(child), 1);
      expect(ended).toBe(all.reduce((sum, task) => sum + count(task), 0));
      expect(most).toBeLessThanOrEqual(slots);
      expect(groups.map((group) => group.running())).toEqual([0, 0, 0, 0]);
    }),
  );
});

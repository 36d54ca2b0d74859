import { expect, test } from "bun:test";
import { type CpuBudget, cpuBudget } from "../../../src/platform/limits/cpu-budget.ts";

type Kind = Exclude<keyof CpuBudget, "usage">;

/** A budget, many tasks of each of its kinds by many users, and those that have started. */
function saturated(kinds: readonly Kind[], concurrency = 2) {
  const cpu = cpuBudget(concurrency);
  const started: string[] = [];
  const held = Promise.withResolvers<void>();
  const start = (kind: Kind, owner: string) =>
    cpu[kind](
      () => {
        started.push(kind);
        return held.promise;
      },
      { owner },
    );
  for (const kind of kinds) for (let user = 0; user < 20; user++) void start(kind, `user ${user}`);
  const count = (kind: Kind) => started.filter((each) => each === kind).length;
  return { cpu, start, count, started, end: held.resolve };
}

const waitedFor = ["frames", "sandbox", "uploads", "models"] as const;

test("exports and what runs in the background leave slots to all that users wait for", () => {
  const { start, count } = saturated(["background", "exports"]);
  expect([count("background"), count("exports")]).toEqual([1, 2]);
  for (const kind of waitedFor) {
    void start(kind, "ann");
    expect(count(kind)).toBe(1);
  }
});

test("uploads and analyses leave a slot to frames, and everything leaves one to exports", () => {
  const { cpu, start, count } = saturated(["models", "uploads"]);
  expect([count("models"), count("uploads")]).toEqual([3, 2]);
  void start("frames", "ann");
  expect(count("frames")).toBe(1);
  for (let user = 0; user < 20; user++) void start("sandbox", `user ${user}`);
  void start("exports", "ann");
  expect(count("exports")).toBe(1);
  const { running, slots } = cpu.usage();
  expect(running).toBe(slots);
});

test("films of tables leave a slot to exports, and give them the next free one", async () => {
  const { cpu, start, started, count, end } = saturated(["batches"]);
  expect(count("batches")).toBe(2);
  void start("exports", "ann");
  void start("exports", "ann");
  expect(count("exports")).toBe(1);
  end();
  await cpu.batches(async () => {});
  expect(started[3]).toBe("exports");
});

test("a frame takes the next free slot before what came earlier", async () => {
  const { cpu, start, started, end } = saturated(["sandbox", "models", "uploads"], 1);
  const begun = started.length;
  void start("frames", "ann");
  expect(started).toHaveLength(begun);
  end();
  await cpu.models(async () => {});
  expect(started[begun]).toBe("frames");
});

test.each(["frames", "sandbox", "uploads", "models", "exports"] as const)(
  "one user never holds all slots of %s",
  (kind) => {
    for (const concurrency of [1, 2, 8]) {
      const cpu = cpuBudget(concurrency);
      const started: string[] = [];
      const start = (owner: string) => {
        const task = () => {
          started.push(owner);
          return new Promise<never>(() => {});
        };
        void cpu[kind](task, { owner });
      };
      for (let index = 0; index < 50; index++) start("ann");
      start("bob");
      expect(started.at(-1)).toBe("bob");
    }
  },
);

import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  dependentsOf,
  endedStatus,
  type Gates,
  mergePlan,
  type PlanWishes,
  planSteps,
  readySteps,
  restOf,
  type StepState,
  stops,
  withSkipped,
  withStale,
} from "../../../src/domain/films/plan.ts";

const wishes: fc.Arbitrary<PlanWishes> = fc.record({
  ...{ matches: fc.boolean(), videos: fc.boolean(), voices: fc.boolean() },
  ...{ music: fc.boolean(), captions: fc.boolean() },
});

const nothing: PlanWishes = { matches: false, videos: false, voices: false, music: false, captions: false };

const waitingSteps = (wish: PlanWishes, scenes: number): readonly StepState[] =>
  planSteps(wish, scenes).map((step) => ({ ...step, status: "waiting" }));

const free: Gates = { stopAt: [], approved: [] };

const withStatus = (steps: readonly StepState[], id: string, status: StepState["status"]) =>
  steps.map((step) => (step.id === id ? { ...step, status } : step));

/** Lets steps run in an order that `choose` decides, as far as they get. */
function runAll(steps: readonly StepState[], gates: Gates, choose: (count: number) => number): readonly StepState[] {
  let current = steps;
  for (;;) {
    const ready = readySteps(current, gates);
    const step = ready[choose(ready.length)];
    if (!step) return current;
    const undone = step.dependsOn.filter((id) => {
      const status = current.find((each) => each.id === id)?.status;
      return status !== "done" && status !== "skipped";
    });
    expect(undone).toEqual([]);
    // the news of its end may come twice
    current = withStatus(withStatus(current, step.id, "done"), step.id, "done");
  }
}

const anyOrder = fc.array(fc.nat(), { minLength: 1 });

const chooser = (numbers: readonly number[]) => {
  let at = 0;
  return (count: number) => (count === 0 ? 0 : numbers[at++ % numbers.length]! % count);
};

test("whatever the order in which steps end, all are done, each after those that it depends on", () => {
  fc.assert(
    fc.property(wishes, fc.integer({ min: 1, max: 6 }), anyOrder, (wish, scenes, numbers) => {
      const ended = runAll(waitingSteps(wish, scenes), free, chooser(numbers));
      expect(ended.every(({ status }) => status === "done")).toBe(true);
      expect(restOf(ended, free)).toEqual({ state: "done" });
    }),
  );
});

test("a lost step is made again, and what depends on it, and nothing else", () => {
  fc.assert(
    fc.property(wishes, fc.integer({ min: 1, max: 6 }), fc.nat(), anyOrder, (wish, scenes, lost, numbers) => {
      const done = runAll(waitingSteps(wish, scenes), free, chooser(numbers));
      const { id } = done[lost % done.length]!;
      const stale = withStale(done, [id]);
      const affected = dependentsOf(done, [id]);
      const again = stale.filter(({ status }) => status === "stale").map((step) => step.id);
      expect(new Set(again)).toEqual(new Set([id, ...affected]));
      expect(readySteps(stale, free).map((step) => step.id)).toEqual([id]);
      expect(runAll(stale, free, chooser(numbers)).every(({ status }) => status === "done")).toBe(true);
    }),
  );
});

/** `repeat`: an end that is stored, and then told again. */
const whats = ["begin", "end", "repeat", "fail", "die", "retry"] as const;

/** Events of a film with concurrent steps, each with a number that chooses the step. */
const happenings = fc.array(fc.record({ what: fc.constantFrom(...whats), at: fc.nat() }));

const idsOf = (steps: readonly StepState[], ...statuses: readonly StepState["status"][]) =>
  steps.filter(({ status }) => statuses.includes(status)).map(({ id }) => id);

/**
 * A film as its rows are, beside what was made from what: each result names the results that it was made from, so that a
 * stale one is seen.
 */
class Happening {
  steps: readonly StepState[];
  readonly #made = new Map<string, string>();
  /** Steps that run, with what they are made from. */
  readonly #running: { readonly id: string; readonly from: string }[] = [];
  #versions = 0;

  constructor(steps: readonly StepState[]) {
    this.steps = steps;
  }

  #inputOf(id: string): string {
    const { dependsOn } = this.steps.find((step) => step.id === id)!;
    return dependsOn.map((other) => this.#made.get(other)).join();
  }

  #expectReady(id: string): void {
    const { dependsOn } = this.steps.find((step) => step.id === id)!;
    expect(idsOf(this.steps, "done", "skipped")).toEqual(expect.arrayContaining([...dependsOn]));
  }

  begin(id: string): void {
    this.#expectReady(id);
    this.#running.push({ id, from: this.#inputOf(id) });
    this.steps = withStatus(this.steps, id, "running");
  }

  end(at: number, status: "done" | "error", isToldAgain = false): void {
    const place = at % this.#running.length;
    const [run] = isToldAgain ? [this.#running[place]] : this.#running.splice(place, 1);
    const step = run && this.steps.find(({ id }) => id === run.id)!;
    if (!step) return;
    const ended = endedStatus(step, status);
    if (step.status !== "done" && ended === "done") {
      this.#expectReady(run.id);
      expect(run.from).toBe(this.#inputOf(run.id));
      this.#made.set(run.id, `${run.id} ${++this.#versions}`);
    }
    this.steps = withStatus(this.steps, run.id, ended);
  }

  /** Nothing of what ran is heard of again. */
  die(): void {
    this.#running.length = 0;
    this.steps = this.steps.map((step) => (step.status === "running" ? { ...step, status: "waiting" } : step));
  }

  retry(id: string): void {
    this.steps = withStale(this.steps, [id]);
  }

  /** The steps that can begin: a stale step that still runs begins again once it has ended. */
  ready(): readonly string[] {
    const running = this.#running.map(({ id }) => id);
    return readySteps(this.steps, free).flatMap(({ id }) => (running.includes(id) ? [] : id));
  }

  hasRunning = () => this.#running.length > 0;
}

test("steps that run side by side, fail, die and are retried in any order end in one state, none made from a stale one", () => {
  fc.assert(
    fc.property(wishes, fc.integer({ min: 1, max: 3 }), happenings, (wish, scenes, all) => {
      const film = new Happening(waitingSteps(wish, scenes));
      for (const { what, at } of all) {
        const of = (ids: readonly string[]) => ids[at % ids.length];
        const retried = of(idsOf(film.steps, "done", "error", "stale"));
        const begun = of(film.ready());
        if (what === "begin" && begun) film.begin(begun);
        else if (what === "end" && film.hasRunning()) film.end(at, "done");
        else if (what === "repeat" && film.hasRunning()) film.end(at, "done", true);
        else if (what === "fail" && film.hasRunning()) film.end(at, "error");
        else if (what === "die") film.die();
        else if (what === "retry" && retried) film.retry(retried);
      }
      while (film.hasRunning()) film.end(0, "done");
      for (;;) {
        const [next] = film.ready();
        const [failed] = idsOf(film.steps, "error");
        if (next) {
          film.begin(next);
          film.end(0, "done");
        } else if (failed) film.retry(failed);
        else break;
      }
      expect(film.steps).toEqual(planSteps(wish, scenes).map((step) => ({ ...step, status: "done" })));
    }),
    { numRuns: 500 },
  );
});

test("no step behind a stop begins before it is passed, and one approval passes one stop", () => {
  fc.assert(
    fc.property(wishes, fc.subarray([...stops], { minLength: 1 }), anyOrder, (wish, stopAt, numbers) => {
      let steps = waitingSteps(wish, 3);
      let approved: Gates["approved"] = [];
      for (const stop of stopAt) {
        const gates = { stopAt, approved };
        steps = runAll(steps, gates, chooser(numbers));
        expect(restOf(steps, gates)).toEqual({ state: "approval", at: stop });
        approved = [...approved, stop];
      }
      expect(restOf(runAll(steps, { stopAt, approved }, chooser(numbers)), free)).toEqual({ state: "done" });
    }),
  );
});

test("a failed scene holds the film, and none of the other scenes", () => {
  const wish = { ...nothing, videos: true, captions: true };
  const failed = runAll(withStatus(waitingSteps(wish, 3), "scene-1-image", "error"), free, () => 0);
  const made = failed.filter(({ status }) => status === "done").map(({ id }) => id);
  expect(made).toEqual(["read", "scenario", "scene-0-image", "scene-0-video", "scene-2-image", "scene-2-video"]);
  expect(restOf(failed, free)).toEqual({ state: "step", step: "scene-1-image" });

  const skipped = withSkipped(failed, "scene-1-image");
  expect(skipped.filter(({ status }) => status === "skipped").map(({ id }) => id)).toEqual([
    "scene-1-image",
    "scene-1-video",
  ]);
  expect(
    restOf(
      runAll(skipped, free, () => 0),
      free,
    ),
  ).toEqual({ state: "done" });
});

test("a film without a scene ends", () => {
  const steps = waitingSteps(nothing, 2);
  const none = withSkipped(withSkipped(steps, "scene-0-image"), "scene-1-image");
  expect(restOf(none, free)).toEqual({ state: "empty" });
});

test("the scenario decides how many scenes there are; what was made stays", () => {
  const wish = nothing;
  const known = runAll(waitingSteps(wish, 2), free, () => 0);
  const more = mergePlan(planSteps(wish, 3), known, (step): StepState => ({ ...step, status: "waiting" }));
  expect(more.find(({ id }) => id === "scene-1-image")?.status).toBe("done");
  expect(more.find(({ id }) => id === "scene-2-image")?.status).toBe("waiting");
  const fewer = mergePlan(planSteps(wish, 1), known, (step): StepState => ({ ...step, status: "waiting" }));
  expect(fewer.map(({ id }) => id)).not.toContain("scene-1-image");
  expect(
    restOf(
      runAll(withStale(fewer, ["scenario"]), free, () => 0),
      free,
    ),
  ).toEqual({ state: "done" });
});

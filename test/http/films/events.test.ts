import { afterAll, expect, test } from "bun:test";
import { eventsOf } from "../../support/events.ts";
import { orderFilm, restedFilm } from "../../support/films.ts";
import { instantExports } from "../../support/media/instant-exports.ts";
import { testService } from "../../support/service.ts";

const service = await testService({}, undefined, instantExports);
afterAll(service.close);
const ann = await service.register("Ann");

/** Reads events up to the first of this name. */
async function until(events: ReturnType<typeof eventsOf>, name: string) {
  const read = [];
  for (;;) {
    const { value } = await events.next();
    if (!value) throw new Error(`There is no event ${name}.`);
    read.push(value);
    if (value.event === name) return read;
  }
}

test("events tell of a film and of each of its steps, and reconnect where they were", async () => {
  const { path, film } = await orderFilm(ann, { stopAt: ["scenario"] });
  const events = eventsOf(await ann.request(`${path}/events`));
  const begun = await until(events, "waiting");
  expect(begun[0]).toMatchObject({
    event: "snapshot",
    data: { id: film.id, steps: [{ id: "read" }, { id: "scenario" }] },
  });
  expect(begun.at(-1)!.data).toMatchObject({ status: "waiting", waitingFor: "approval", waitingAt: "scenario" });
  for (const { id, data } of begun)
    expect([id, data.status]).toEqual([expect.stringMatching(/^\d/), expect.any(String)]);

  const seen = begun.at(-1)!.id;
  const again = eventsOf(await ann.request(`${path}/events`, { headers: { "last-event-id": seen } }));
  await ann.json("POST", `${path}/approve`);
  const rest = await Array.fromAsync(events);
  const ended = rest.at(-1)!;
  const steps = rest.filter(({ event }) => event === "step").map(({ data }) => data);
  expect(steps.map(({ step }) => [(step as { id: string }).id, (step as { status: string }).status])).toContainEqual([
    "export",
    "done",
  ]);
  expect(steps[0]).toMatchObject({ id: film.id, spent: { amount: "0.00" } });
  expect(steps[0]).not.toHaveProperty("steps");
  expect(ended).toMatchObject({ event: "done", data: { status: "done", files: [{ target: "9:16" }] } });

  const resumed = await Array.fromAsync(again);
  expect(resumed.every(({ id }) => Number.parseFloat(id) > Number(seen))).toBe(true);
  expect(resumed.at(-1)).toEqual(ended);
  const head = { "last-event-id": ended.id };
  expect((await ann.request(`${path}/events`, { headers: head })).status).toBe(204);
  const late = await Array.fromAsync(eventsOf(await ann.request(`${path}/events`)));
  expect(late.map(({ event }) => event)).toEqual(["snapshot", "done"]);

  // what has ended holds no stream open: more of them than streams
  const unread = await Promise.all(Array.from({ length: 60 }, () => ann.request(`${path}/events`)));
  expect(new Set(unread.map(({ status }) => status))).toEqual(new Set([200]));
  expect(unread[0]!.headers.get("x-accel-buffering")).toBe("no");
});

test("a stream takes a token in its address, and ends with the project; the film is nobody else's", async () => {
  const { path, projectId } = await orderFilm(ann, { stopAt: ["scenario"] });
  await restedFilm(ann, path);
  const response = await service.app.request(`${path}/events?token=${ann.accessToken}`);
  const events = eventsOf(response);
  expect((await until(events, "waiting")).map(({ event }) => event)).toEqual(["snapshot", "waiting"]);
  const bob = await service.register("Bob");
  expect((await bob.request(`${path}/events`)).status).toBe(404);

  await ann.json("DELETE", `/api/projects/${projectId}`);
  expect((await Array.fromAsync(events)).map(({ event }) => event)).toEqual(["cancelled"]);
});

import { expect, test } from "bun:test";
import type { Film } from "../../../src/domain/films/film.ts";
import { eventOfChange } from "../../../src/domain/films/webhook-events.ts";

const webhook = { url: "https://example.com/hook" };
// safe because no other field is read
const film = (fields: Partial<Film>) => ({ status: "running", steps: [], webhook, ...fields }) as unknown as Film;
const doneSteps = (count: number) =>
  Array.from({ length: count }, () => ({ status: "done" })) as unknown as Film["steps"];

test("each wait and each end is told of once, and a provider that stays away once until a step is done", () => {
  const approval = film({ status: "waiting", waitingFor: "approval", waitingAt: "scenario" });
  expect(eventOfChange(film({}), approval)?.type).toBe("film.waiting");
  expect(eventOfChange(approval, approval)).toBeUndefined();
  expect(eventOfChange(approval, { ...approval, waitingAt: "images" })?.type).toBe("film.waiting");
  expect(eventOfChange(film({}), film({ status: "cancelled" }))).toBeUndefined();
  const { webhook: _, ...silent } = approval;
  expect(eventOfChange(film({}), silent)).toBeUndefined();

  const away = film({ status: "waiting", waitingFor: "provider", steps: doneSteps(2) });
  const told = eventOfChange(film({}), away)!;
  expect(told).toEqual({ type: "film.waiting", webhook: { ...webhook, toldAt: 2 } });
  expect(eventOfChange(film({}), { ...away, webhook: told.webhook })).toBeUndefined();
  const later = { ...away, webhook: told.webhook, steps: doneSteps(3) };
  expect(eventOfChange(film({}), later)?.webhook.toldAt).toBe(3);
});

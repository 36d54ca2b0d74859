import { afterAll, beforeEach, expect, test } from "bun:test";
import { exportStates } from "../../../src/storage/changes/states.ts";
import { jsonClient } from "../../support/json-client.ts";
import { controlledRenderer } from "../../support/media/controlled-renderer.ts";
import { testService } from "../../support/service.ts";
import { newPictureFilm } from "../../support/work-videos.ts";
import { silences, silent } from "./silent-exports.ts";

const { renderer, next: nextRendering, reset } = controlledRenderer();
const service = await testService({}, undefined, (services) => {
  const exports = silent(services.exports);
  return { renderer: renderer(services), exports, exportStates: exportStates(exports, services.changes) };
});
const ann = await service.register("Ann");
const api = jsonClient(ann);
const { request } = await newPictureFilm(ann);

afterAll(() => service.close());
beforeEach(() => {
  silences.clear();
  reset();
});

const lastStateIn = (events: string) => JSON.parse([...events.matchAll(/^data: (.*)$/gm)].at(-1)![1]!);

/** The last state that the events of an export report. */
const lastState = async (id: string) => lastStateIn(await (await ann.request(`/api/exports/${id}/events`)).text());

test.each(["acquire", "recordLayout", "end"] as const)(
  "an export is tried again after the database was silent at `%s`",
  async (method) => {
    silences.set(method, 1);
    const first = nextRendering();
    const { body } = await api("POST", "/api/exports", request);
    if (method === "end") {
      const rendering = await first;
      const second = nextRendering();
      await rendering.finish();
      await (await second).finish();
    } else {
      await (await first).finish();
    }
    expect(await lastState(body.id)).toMatchObject({ status: "done", size: 10 });
  },
);

test("a client that waits for its film receives it although the database was silent meanwhile", async () => {
  const rendering = nextRendering();
  const response = ann.json("POST", "/api/export", request);
  const { finish } = await rendering;
  silences.set("findState", 2);
  await finish();

  const film = await response;
  expect([film.status, await film.text()]).toEqual([200, "0123456789"]);
});

test("the events of an export go on after the database was silent", async () => {
  const rendering = nextRendering();
  const { body } = await api("POST", "/api/exports", request);
  const { finish } = await rendering;
  const events = await ann.request(`/api/exports/${body.id}/events`);
  silences.set("findState", 2);
  await finish();
  expect(lastStateIn(await events.text())).toMatchObject({ status: "done" });
});

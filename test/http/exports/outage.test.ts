import { afterAll, beforeEach, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import type { ExportStore } from "../../../src/domain/exports/jobs.ts";
import { DomainError } from "../../../src/errors.ts";
import { exportStates } from "../../../src/storage/changes/watched.ts";
import { jsonClient } from "../../support/json-client.ts";
import { controlledRenderer } from "../../support/media/controlled-renderer.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";
import { testService } from "../../support/service.ts";
import { newFilm } from "../../support/work-videos.ts";

/** Calls of the export store that fail as they do when the database does not respond, by method. */
const silences = new Map<keyof ExportStore, number>();

function silent(exports: ExportStore): ExportStore {
  const call = (name: keyof ExportStore) => {
    const remaining = silences.get(name) ?? 0;
    silences.set(name, remaining - 1);
    if (remaining > 0) throw new DomainError("unavailable", {});
  };
  return {
    ...exports,
    findState: async (...args) => {
      call("findState");
      return await exports.findState(...args);
    },
    acquire: async (...args) => {
      call("acquire");
      return await exports.acquire(...args);
    },
    recordLayout: async (...args) => {
      call("recordLayout");
      return await exports.recordLayout(...args);
    },
    end: async (...args) => {
      call("end");
      return await exports.end(...args);
    },
  };
}

const { renderer, next: nextRendering, reset } = controlledRenderer();
const service = await testService({}, undefined, (services) => {
  const exports = silent(services.exports);
  return { renderer: renderer(services), exports, exportStates: exportStates(exports, services.changes) };
});
const folder = await temporaryFolder();
const ann = await service.register("Ann");
const api = jsonClient(ann);
const { request } = await newFilm(ann, folder);

afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});
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

test("nobody waits for an unreachable export beyond its life", async () => {
  const { body } = await api("POST", "/api/exports", request);
  const expired = { id: body.id, userId: ann.user.id, expiresAt: Date.now() };
  silences.set("findState", 1);
  const states = service.services.exportStates.watch(expired, new AbortController().signal, "all");
  await expect(states[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: "unavailable" });
});

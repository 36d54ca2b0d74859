import { afterAll, expect, test } from "bun:test";
import { exportStates } from "../../../src/storage/changes/watched.ts";
import { jsonClient } from "../../support/json-client.ts";
import { controlledRenderer } from "../../support/media/controlled-renderer.ts";
import { testService } from "../../support/service.ts";
import { newPictureFilm } from "../../support/work-videos.ts";
import { silences, silent } from "./silent-exports.ts";

const { renderer } = controlledRenderer();
const service = await testService({}, undefined, (services) => {
  const exports = silent(services.exports);
  return { renderer: renderer(services), exports, exportStates: exportStates(exports, services.changes) };
});
const ann = await service.register("Ann");
const api = jsonClient(ann);
const { request } = await newPictureFilm(ann);
afterAll(() => service.close());

test("nobody waits for an unreachable export beyond its life", async () => {
  const { body } = await api("POST", "/api/exports", request);
  const expired = { id: body.id, userId: ann.user.id, expiresAt: Date.now() };
  silences.set("findState", 1);
  const states = service.services.exportStates.watch(expired, new AbortController().signal, "all");
  await expect(states[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: "unavailable" });
});

import { afterAll, beforeEach, expect, test } from "bun:test";
import { createApp } from "../../src/app.ts";
import { processStopped, requestInterrupted } from "../../src/platform/async.ts";
import { controlledRenderer } from "../support/media/controlled-renderer.ts";
import { jsonInit, testService } from "../support/service.ts";
import { newPictureFilm } from "../support/work-videos.ts";

const { renderer, next: nextRendering, reset } = controlledRenderer();
const service = await testService({}, undefined, (services) => ({ renderer: renderer(services) }));
const ann = await service.register("Ann");
const { request } = await newPictureFilm(ann);

afterAll(() => service.close());
beforeEach(() => reset());

const authorization = { authorization: `Bearer ${ann.accessToken}` };

/** A process that serves requests, and how it begins and ends its stop. */
function stoppableProcess() {
  const [stopped, draining, interrupted] = [new AbortController(), new AbortController(), new AbortController()];
  const deferredRequests = {
    signal: stopped.signal,
    drainSignal: draining.signal,
    interruptSignal: interrupted.signal,
    track: () => {},
  };
  return {
    app: createApp(service.services, { deferredRequests }),
    drain: () => draining.abort(),
    stop() {
      stopped.abort(processStopped);
      interrupted.abort(requestInterrupted);
    },
  };
}

const listed = async () => (await (await ann.request("/api/exports")).json()).exports;

test("a request that waits for its film when the process stops gets 503, and its export is cancelled", async () => {
  const { app, stop } = stoppableProcess();
  const rendering = nextRendering();
  const film = app.request("/api/export", jsonInit("POST", request, authorization));
  await rendering;
  stop();

  const response = await film;
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
  expect((await response.json()).code).toBe("busy");
  expect((await listed())[0].status).toBe("cancelled");
});

test("with an Idempotency-Key its export goes on, and a retry at another process gets it", async () => {
  const { app, stop } = stoppableProcess();
  const headers = { ...authorization, "idempotency-key": "film" };
  const rendering = nextRendering();
  const film = app.request("/api/export", jsonInit("POST", request, headers));
  const { finish } = await rendering;
  stop();
  expect((await film).status).toBe(503);
  const before = (await listed()).length;

  const retried = ann.json("POST", "/api/export", request, { "idempotency-key": "film" });
  await finish();
  const response = await retried;
  expect([response.status, await response.text()]).toEqual([200, "0123456789"]);
  expect((await listed()).length).toBe(before);
});

test("event streams end as soon as the process begins to stop, without an end of their export", async () => {
  const { app, drain } = stoppableProcess();
  const rendering = nextRendering();
  const { id } = await (await ann.json("POST", "/api/exports", request)).json();
  const { finish } = await rendering;
  const events = await app.request(`/api/exports/${id}/events`, { headers: authorization });
  drain();

  const text = await events.text();
  expect([...text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name)).not.toContain("cancelled");
  await finish();
});

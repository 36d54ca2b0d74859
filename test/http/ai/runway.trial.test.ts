import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { jsonClient } from "../../support/json-client.ts";
import { leaseEnds } from "../../support/lease-ends.ts";
import { draw } from "../../support/media/draw-media.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";
import { fakeServer, jsonBody } from "../../support/models/fake-server.ts";
import { testService } from "../../support/service.ts";
import { mp4, png } from "../../support/uploads.ts";

const folder = await temporaryFolder();
const video = await (await mp4()).bytes();
let failureCode: string | undefined;
const runway = fakeServer({
  "POST /v1/image_to_video": () => Response.json({ id: "job-1" }),
  "GET /v1/tasks/:id": () =>
    failureCode === undefined
      ? Response.json({ id: "job-1", status: "SUCCEEDED", output: [`${runway.url}/results/1.mp4`] })
      : Response.json({ id: "job-1", status: "FAILED", failureCode }),
  "GET /results/1.mp4": () => new Response(video),
});
const ends = leaseEnds();
const service = await testService({ RUNWAY_BASE_URL: runway.url }, undefined, ends.store);
const ann = await service.register("Ann");
const api = jsonClient(ann);
afterAll(async () => {
  await Promise.all([service.close(), runway.stop(), rm(folder, { recursive: true })]);
});

/** What an editor stores, though Runway has ended the model. */
const old = { "x-video-provider": "runway", "x-model-id": "gen3a_turbo", "x-api-key": "key_runway" };
const dataUrl = (bytes: Uint8Array) => `data:image/png;base64,${bytes.toBase64()}`;
const small = dataUrl(await png(64, 64).bytes());
const body = { prompt: "It turns", image_url: small, resolution: { width: 1080, height: 1920 } };

const shapes: [width: number, height: number, duration: number, ratio: string, seconds: number][] = [
  [1080, 1920, 1, "720:1280", 2],
  [1920, 1080, 7.4, "1280:720", 7],
  [1080, 1080, 7.6, "960:960", 8],
  [1080, 1350, 60, "832:1104", 10],
];

test("a model that Runway has ended is sent as its successor, with the nearest ratio and duration", async () => {
  for (const [width, height, duration, ratio, seconds] of shapes) {
    const request = { ...body, resolution: { width, height }, duration };
    const { status, headers, body: made } = await api("POST", "/api/generate/video", request, old);
    expect([status, made.duration, headers.get("x-model-id")]).toEqual([200, seconds, "gen4_turbo"]);
    const sent = jsonBody(runway.requestsTo("POST", /image_to_video/).at(-1));
    expect(sent).toMatchObject({ model: "gen4_turbo", ratio, duration: seconds, promptImage: small });
  }
});

test("refused content costs what a video costs, and any other failure nothing", async () => {
  const costOf = async (code: string) => {
    failureCode = code;
    const { headers, body: answer } = await api("POST", "/api/generate/video", { ...body, duration: 5 }, old);
    return [answer.code, headers.get("x-cost")];
  };
  expect(await costOf("SAFETY.INPUT.TEXT")).toEqual(["content_refused", "0.25 USD"]);
  expect(await costOf("INTERNAL.BAD_OUTPUT.CODE01")).toEqual(["provider_error", "0.00 USD"]);
  failureCode = undefined;
});

test("a picture that is too large for Runway is made smaller", async () => {
  const noise = join(folder, "noise.png");
  await draw(noise, "color=gray:s=1920x1440:r=1:d=1,format=rgb24,noise=alls=100:allf=t");
  const bytes = await Bun.file(noise).bytes();
  expect(bytes.length).toBeGreaterThan(5_000_000);
  const projectId = (await api("POST", "/api/projects", { name: "P" })).body.id;
  const form = new FormData();
  form.append("file", new File([bytes], "noise.png"));
  const asset = await (await ann.request(`/api/projects/${projectId}/assets`, { method: "POST", body: form })).json();
  expect((await api("POST", "/api/generate/video", { ...body, image_url: asset.url }, old)).status).toBe(200);
  const { promptImage } = jsonBody(runway.requestsTo("POST", /image_to_video/).at(-1));
  expect(promptImage).toStartWith("data:image/");
  expect(promptImage.length).toBeLessThan(5 * 1024 * 1024);
});

const replaced = { code: "model_replaced", message: expect.stringContaining("gen4_turbo was used instead") };

test("an operation and a film say that another model was asked", async () => {
  const deferred = await api("POST", "/api/generate/video", body, { ...old, prefer: "respond-async" });
  const operation = await ends.operation(deferred.headers.get("location")!, api);
  expect(operation).toMatchObject({ status: "done", responseStatus: 200, warnings: [replaced] });

  const projectId = (await api("POST", "/api/projects", { name: "P" })).body.id;
  const order = {
    ...{ brief: { text: "Cup: it keeps warm." }, seconds: 5, scenes: 1, resolution: { width: 90, height: 160 } },
    models: { video: { provider: "runway", model: "gen3a_turbo" } },
  };
  const headers = { "x-video-api-key": "key_runway" };
  const ordered = await api("POST", `/api/projects/${projectId}/films`, order, headers);
  const path = `/api/projects/${projectId}/films/${ordered.body.id}`;
  await (await ann.request(`${path}/events`)).text();
  const { body: film } = await api("GET", path);
  expect([film.status, film.waitingReason]).toEqual(["done", undefined]);
  expect(film.warnings).toContainEqual(expect.objectContaining({ ...replaced, path: "models.video" }));
});

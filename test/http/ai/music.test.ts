import { afterAll, expect, test } from "bun:test";
import { secondsOf, wavOf } from "../../../src/engine/timeline/samples.ts";
import { jsonClient } from "../../support/json-client.ts";
import { fakeServer } from "../../support/models/fake-server.ts";
import { tone } from "../../support/models/voice-server.ts";
import { rememberedMedia } from "../../support/remembered-media.ts";
import { testService } from "../../support/service.ts";
import { newProject } from "../../support/uploads.ts";

const samples = tone(4);
let bytes = wavOf(samples);
const sound = () => new Response(bytes, { headers: { "content-type": "audio/mpeg" } });
const provider = fakeServer({ "POST /v1/music": sound, "POST /v1/sound-generation": sound });
const service = await testService({ ELEVENLABS_BASE_URL: provider.url }, undefined, rememberedMedia);
const ann = await service.register("Ann");
const api = jsonClient(ann);
afterAll(async () => {
  await service.close();
  await provider.stop();
});

const eleven = { "x-music-provider": "elevenlabs", "x-api-key": "a-key" };
const request = { prompt: "Calm piano", seconds: 4, kind: "music" };
const compose = (body: object = {}, headers: Record<string, string> = eleven) =>
  api("POST", "/api/generate/music", { ...request, ...body }, headers);

test("music is a sound with a URL for a day", async () => {
  const { status, body } = await compose();
  expect([status, Object.keys(body).sort()]).toEqual([200, ["audioUrl", "duration"]]);
  expect(body.duration).toBeCloseTo(secondsOf(samples), 1);
  expect((await ann.request(body.audioUrl)).headers.get("content-type")).toStartWith("audio/");
});

test("music and effects cost their part of a minute", async () => {
  const costOf = async (kind: string) =>
    (await ann.json("POST", "/api/generate/music", { ...request, kind }, eleven)).headers.get("x-cost");
  // $0.60 and $0.12 a minute
  expect([await costOf("music"), await costOf("effect")]).toEqual(["0.04 USD", "0.008 USD"]);
});

test("with a project it becomes an asset, which needs a scope of its own", async () => {
  const projectId = await newProject(ann);
  const { status, body } = await compose({ projectId });
  expect([status, body.audioUrl]).toEqual([200, `/api/projects/${projectId}/assets/${body.assetId}`]);
  const { body: asset } = await api("GET", `${body.audioUrl}/meta`);
  expect([asset.type, asset.name]).toEqual(["audio", "Calm piano"]);
  expect((await compose({ projectId: "proj_00000000000000000000000000000000" })).status).toBe(404);
});

test("without a provider the missing headers are named, and nothing is sent", async () => {
  const before = provider.requests.length;
  const { status, body } = await compose({}, {});
  expect([status, body.code]).toEqual([400, "provider_key_required"]);
  expect(body.error).toContain("x-music-provider");
  expect((await compose({ seconds: 2 })).status).toBe(400);
  expect((await compose({ seconds: 301 })).status).toBe(400);
  expect((await compose({ kind: "song" })).status).toBe(400);
  expect(provider.requests.length).toBe(before);
});

test("the same request with an Idempotency-Key is paid for once", async () => {
  const before = provider.requests.length;
  const headers = { ...eleven, "idempotency-key": "music-1" };
  const [first, second] = [await compose({}, headers), await compose({}, headers)];
  expect([first.status, second.body]).toEqual([200, first.body]);
  expect(provider.requests.length).toBe(before + 1);
});

test("an answer that is no sound is not kept", async () => {
  bytes = new TextEncoder().encode("<html>busy</html>");
  const projectId = await newProject(ann);
  const { status, body } = await compose({ projectId });
  bytes = wavOf(samples);
  expect([status, body.code]).toEqual([502, "provider_bad_response"]);
  const { body: stored } = await api("GET", `/api/projects/${projectId}/assets`);
  expect(JSON.stringify(stored)).not.toContain("asset_");
});

test("the providers of music are listed", async () => {
  const rows: { id: string; category: string }[] = (await api("GET", "/api/providers")).body;
  expect(rows.filter(({ category }) => category === "music").map(({ id }) => id)).toEqual(["elevenlabs"]);
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import { serviceProcesses } from "../../support/processes.ts";
import { s3Server } from "../../support/s3-server.ts";
import { jsonInit } from "../../support/service.ts";
import { formOf, wav } from "../../support/uploads.ts";
import { youtubeServer } from "../../support/youtube-server.ts";

// biome-ignore lint/suspicious/noExplicitAny: JSON of a response
type Json = any;

const store = s3Server();
const bucket = store.newBucket();
const youtube = youtubeServer();
const received = new Map<string, number>();
let onReceived: () => Promise<void> = async () => {};
const receiver = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  async fetch(request) {
    const { byteLength } = await request.arrayBuffer();
    await onReceived();
    received.set(request.headers.get("idempotency-key") ?? "", byteLength);
    return new Response(null, { status: 204 });
  },
});
const hook = `http://127.0.0.1:${receiver.port}/upload`;

const processes = await serviceProcesses();
const portOf = (url: string) => new URL(url).port;
const settings = {
  FETCH_EXTRA_PORTS: [bucket.endpoint, hook, youtube.baseUrl].map(portOf).join(","),
  ALLOW_PRIVATE_NETWORK: "true",
  YOUTUBE_BASE_URL: youtube.baseUrl,
};
let running = await processes.start(settings);
let token = "";

const send = (path: string, init: RequestInit) =>
  fetch(running.url + path, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } });
const call = async (method: string, path: string, body?: unknown): Promise<Json> => {
  const response = await send(path, jsonInit(method, body));
  if (!response.ok) throw new Error(await response.text());
  return await response.json();
};

/** A sound of 20 MB, which goes in several parts. */
let request: Json;

beforeAll(async () => {
  const ann = { email: "ann@example.com", password: "a good long password", name: "Ann" };
  token = (await call("POST", "/api/auth/register", ann)).accessToken;
  const { id: projectId } = await call("POST", "/api/projects", { name: "Sounds" });
  const base = `/api/projects/${projectId}`;
  const { id: workId } = await call("POST", `${base}/works`, { name: "Sound" });
  await send(`${base}/works/${workId}/media/audio`, { method: "POST", body: formOf({ audio: wav() }) });
  const { endpoint, bucket: name, accessKeyId, secretAccessKey } = bucket;
  await call("PUT", `${base}/destinations/shelf`, { type: "s3", endpoint, bucket: name, accessKeyId, secretAccessKey });
  await call("PUT", `${base}/destinations/channel`, { type: "youtube", ...youtube.credentials });
  request = { projectId, workId, clips: [], audio: { loop: true }, options: { format: "wav", duration: 110 } };
}, 60_000);

afterAll(async () => {
  await processes.end();
  store.stop();
  await youtube.stop();
  await receiver.stop(true);
});

/** Ends the process as kill -9 does, and starts another one. */
const kill = async () => {
  running.launched.kill("SIGKILL");
  await running.launched.exited;
};

/** The deliveries once all have ended; a killed process is followed by another one. */
async function delivered(destination: object): Promise<{ readonly id: string; readonly deliveries: readonly Json[] }> {
  const { id } = await call("POST", "/api/exports", { ...request, destinations: [destination] });
  for (;;) {
    if (running.launched.exitCode !== null || running.launched.signalCode !== null) {
      running = await processes.start(settings);
    }
    const found = await call("GET", `/api/exports/${id}/deliveries`).catch(() => undefined);
    if (found?.deliveries.every(({ endedAt }: Json) => endedAt !== undefined))
      return { id, deliveries: found.deliveries };
    await Bun.sleep(50);
  }
}

/** Calls `act` at the given call only. */
const atCall = (number: number, act: () => Promise<void>) => {
  let calls = 0;
  return async () => {
    calls++;
    if (calls === number) await act();
  };
};

test.each([
  ["before the answer to its second part", "PUT", 2],
  ["before the upload has its id", "POST", 1],
  ["once the upload is complete", "POST", 2],
] as const)(
  "S3 has a file once after a kill %s",
  async (_, method, number) => {
    const killAt = atCall(number, kill);
    let completed = 0;
    store.failWith(async (sent, respond) => {
      if (sent.method === "POST" && sent.url.includes("uploadId=")) completed++;
      if (sent.method === method) await killAt();
      return respond();
    });
    const { id, deliveries } = await delivered({ type: "s3", name: "shelf" });
    expect(deliveries).toMatchObject([{ status: "delivered", attempts: 2 }]);
    const object = store.objectsOf(bucket).get(`${id}.wav`);
    expect([object?.bytes.length, completed, store.uploads.size]).toEqual([deliveries[0].sentBytes, 1, 0]);
  },
  120_000,
);

test.each([
  ["before the session is stored", ({ method, url }: Request) => method === "POST" && !url.endsWith("/token"), 1],
  ["while its first part is sent", ({ method }: Request) => method === "PUT", 1],
  ["while its last part is sent", ({ method }: Request) => method === "PUT", 3],
] as const)(
  "YouTube has a video once after a kill %s",
  async (_, isMeant, number) => {
    youtube.videos.length = 0;
    const killAt = atCall(number, kill);
    youtube.failWith(async (sent) => {
      if (isMeant(sent)) await killAt();
      return undefined;
    });
    const { deliveries } = await delivered({ type: "youtube", name: "channel" });
    expect(deliveries).toMatchObject([{ status: "delivered", attempts: 2, result: { videoId: "video-1" } }]);
    expect(youtube.videos.length).toBe(1);
  },
  120_000,
);

test("an address gets a file again under the same key after a kill before its answer", async () => {
  received.clear();
  onReceived = atCall(1, kill);
  const { deliveries } = await delivered({ type: "webhook-upload", url: hook });
  expect(deliveries).toMatchObject([{ status: "delivered", attempts: 2 }]);
  expect([...received]).toEqual([[deliveries[0].id, deliveries[0].sentBytes]]);
}, 120_000);

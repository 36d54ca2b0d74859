import { afterAll, expect, test } from "bun:test";
import { serviceProcesses } from "../../support/processes.ts";
import { jsonInit } from "../../support/service.ts";
import { png } from "../../support/uploads.ts";
import { webhookReceiver } from "../../support/webhook-receiver.ts";

// biome-ignore lint/suspicious/noExplicitAny: JSON of a response
type Json = any;

let onFetch: () => Promise<void> = async () => {};
const files = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  async fetch() {
    await onFetch();
    return new Response(png(), { headers: { "content-type": "image/png" } });
  },
});
const receiver = webhookReceiver();
const processes = await serviceProcesses();
const settings = {
  ...receiver.settings,
  COMPATIBLE_APIS: "shotstack,creatomate",
  FETCH_EXTRA_PORTS: `${receiver.settings.FETCH_EXTRA_PORTS},${files.port}`,
};
let running = await processes.start(settings);
let token = "";

const call = async (method: string, path: string, body?: unknown): Promise<Json> => {
  const init = jsonInit(method, body);
  const headers = { ...init.headers, authorization: `Bearer ${token}` };
  const response = await fetch(running.url + path, { ...init, headers });
  if (!response.ok) throw new Error(await response.text());
  return await response.json();
};

afterAll(async () => {
  await processes.end();
  await receiver.stop();
  await files.stop(true);
});

/** Ends the process as kill -9 does, and starts another one. */
const killAndStart = async () => {
  running.launched.kill("SIGKILL");
  await running.launched.exited;
  running = await processes.start(settings);
};

/** An edit whose picture is fetched from here, of which no two are equal. */
const orderOf = (name: string, seconds: number) => ({
  source: {
    ...{ output_format: "mp4", width: 64, height: 36, frame_rate: 10, duration: seconds },
    elements: [{ type: "image", source: `http://127.0.0.1:${files.port}/${name}.png` }],
  },
  webhook_url: receiver.webhook.url,
  metadata: name,
});

const ended = async (id: string): Promise<Json> => {
  for (;;) {
    const render = await call("GET", `/v1/renders/${id}`);
    if (["succeeded", "failed"].includes(render.status)) return render;
    await Bun.sleep(50);
  }
};

test("a render that was accepted ends after kills, and its webhook hears of it once", async () => {
  const ann = { email: "ann@example.com", password: "a good long password", name: "Ann" };
  token = (await call("POST", "/api/auth/register", ann)).accessToken;

  // as soon as it is accepted
  const accepted = await call("POST", "/v2/renders", orderOf("accepted", 0.5));
  await killAndStart();

  // while its file is fetched, which the next process fetches again
  const fetching = Promise.withResolvers<void>();
  onFetch = () => {
    onFetch = async () => {};
    fetching.resolve();
    return new Promise(() => {});
  };
  const imported = await call("POST", "/v2/renders", orderOf("imported", 0.5));
  await fetching.promise;
  await killAndStart();

  // while it is rendered
  const rendered = await call("POST", "/v2/renders", orderOf("rendered", 20));
  while ((await call("GET", `/v1/renders/${rendered.id}`)).status === "planned") await Bun.sleep(10);
  await killAndStart();

  for (const { id } of [accepted, imported, rendered]) expect(await ended(id)).toMatchObject({ status: "succeeded" });
  const events = (await receiver.receivedOnce(3)).map(({ body }) => JSON.parse(body));
  expect(events.map(({ metadata }) => metadata).toSorted()).toEqual(["accepted", "imported", "rendered"]);
  expect(new Set(events.map(({ status }) => status))).toEqual(new Set(["succeeded"]));
  const [{ id: projectId }] = await call("GET", "/api/projects");
  expect(await call("GET", `/api/projects/${projectId}/works`)).toHaveLength(3);
}, 240_000);

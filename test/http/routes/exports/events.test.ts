import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { jsonClient } from "../../../helpers/json-client.ts";
import { controlledRenderer } from "../../../helpers/media/controlled-renderer.ts";
import { temporaryFolder } from "../../../helpers/media/ffmpeg.ts";
import { testService } from "../../../helpers/service.ts";
import { listen } from "../../../helpers/uploads.ts";
import { newWork, numberedVideo } from "../../../helpers/work-videos.ts";

const { renderer, next: nextRendering, reset } = controlledRenderer();
const service = await testService({}, undefined, (services) => ({ renderer: renderer(services) }));
const folder = await temporaryFolder();

const ann = await service.register("Ann");
const api = jsonClient(ann);
const work = await newWork(ann, { name: "Film" });
await work.scene(0, await numberedVideo(folder, 100));
const request = {
  projectId: work.projectId,
  workId: work.workId,
  clips: [{ sceneIndex: 0, position: 0, end: 1 }],
  options: { width: 64, height: 36, fps: 30 },
};

afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

/** An export that a worker is rendering. */
async function startExport() {
  const rendering = nextRendering();
  const { body } = await api("POST", "/api/exports", request);
  return { id: body.id as string, rendering: await rendering };
}

const eventsPath = (id: string) => `/api/exports/${id}/events`;

beforeEach(reset);

describe("HEAD of the event stream", () => {
  test("has the status and headers of GET while the export runs, and no body", async () => {
    const { id, rendering } = await startExport();
    const server = listen(service);
    const client = new AbortController();
    const send = (method: string) =>
      fetch(server.url + eventsPath(id), {
        method,
        headers: { authorization: `Bearer ${ann.accessToken}` },
        signal: client.signal,
      });
    const head = await send("HEAD");
    const get = await send("GET");
    const described = ({ status, headers }: Response) => [
      status,
      headers.get("content-type"),
      headers.get("cache-control"),
      headers.get("content-length"),
    ];
    expect(described(head)).toEqual(described(get));
    expect([head.headers.get("content-type"), await head.text()]).toEqual(["text/event-stream", ""]);
    client.abort();
    await rendering.finish();
    await server.stop();
  });
});

import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { callTool, newClient } from "../../support/mcp-clients.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";
import { listen } from "../../support/uploads.ts";
import { requireJson } from "../../support/work-videos.ts";
import { numberedScenes, numbers } from "./numbered-scenes.ts";

const folder = await temporaryFolder();
afterAll(() => rm(folder, { recursive: true, force: true }));

const { service, ann, request, numbersOf, numbersOfJob } = await numberedScenes(folder);
const server = listen(service);
afterAll(() => server.stop());

test("each way to a film without the first scene shows the scenes that were asked for", async () => {
  const async = { Prefer: "respond-async" };
  const client = await newClient(server, ann.accessToken);
  const started = [
    (await requireJson(ann.json("POST", "/api/export", request, async))).id,
    (await requireJson(ann.json("POST", "/api/exports", request))).id,
    (await callTool(client, "export_start", { ...request, waitSeconds: 0 })).id,
  ];
  await client.close();
  expect(await numbersOf(await ann.json("POST", "/api/export", request))).toEqual(numbers);
  for (const id of started) expect(await numbersOfJob(id)).toEqual(numbers);
});

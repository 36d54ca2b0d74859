import { afterAll, expect, test } from "bun:test";
import type { Fetcher } from "../../../src/domain/files/fetcher.ts";
import { callTool, failureOf, newClient } from "../../support/mcp-clients.ts";
import { testService } from "../../support/service.ts";
import { listen, newProject } from "../../support/uploads.ts";

const onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

const waiting: (() => void)[] = [];
let started = 0;
let lastMaxBytes = 0;
const eighthStarted = Promise.withResolvers<void>();

/** Downloads that go on until all are let go, and then fail. */
const download: Fetcher["download"] = async (_url, { maxBytes }) => {
  started++;
  lastMaxBytes = maxBytes;
  if (started === 8) eighthStarted.resolve();
  await new Promise<void>((resolve) => waiting.push(resolve));
  throw new Error("let go");
};

const service = await testService({ MAX_USER_BYTES: "1000000" }, undefined, ({ fetcher }) => ({
  fetcher: { ...fetcher, download },
}));
const server = listen(service);
const [ann, bob] = [await service.register("Ann"), await service.register("Bob")];
const [annsClient, bobsClient] = [await newClient(server, ann.accessToken), await newClient(server, bob.accessToken)];

afterAll(async () => {
  await Promise.all([annsClient.close(), bobsClient.close()]);
  server.stop();
  await service.close();
});

test("a user has eight calls at once and 24 that wait, and another user's do not wait for them", async () => {
  const url = "https://files.example.com/a.png";
  const add = { projectId: await newProject(ann), url };
  const anns = Array.from({ length: 33 }, () => failureOf(annsClient, "assets_add_from_url", add));
  await eighthStarted.promise;
  expect(await Promise.race(anns)).toStartWith("busy: ");

  expect((await callTool(bobsClient, "projects_list")).projects).toEqual([]);
  expect((await ann.request("/api/projects")).status).toBe(200);
  expect(started).toBe(8);

  while (started < 32 || waiting.length > 0) {
    waiting.shift()?.();
    await new Promise(setImmediate);
  }
  const failures = await Promise.all(anns);
  expect(failures.filter((text) => text.startsWith("Something went wrong"))).toHaveLength(32);
});

test("a tool downloads no more bytes than the user has room for", async () => {
  const projectId = await newProject(bob);
  await callTool(bobsClient, "assets_upload", { projectId, data: onePixel, filename: "a.png" });
  const { usedBytes } = await (await bob.request("/api/usage/storage")).json();
  const failed = failureOf(bobsClient, "assets_add_from_url", { projectId, url: "https://files.example.com/a.png" });
  while (waiting.length === 0) await new Promise(setImmediate);
  waiting.shift()?.();
  await failed;

  expect(usedBytes).toBeGreaterThan(0);
  expect(lastMaxBytes).toBe(1_000_000 - usedBytes);
});

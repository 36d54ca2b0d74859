import { afterAll, expect, test } from "bun:test";
import { emptyServerDatabase, serverUrl } from "../../support/database.ts";
import { fakeServer } from "../../support/models/fake-server.ts";
import { serviceProcesses } from "../../support/processes.ts";
import { workWithScenes } from "../../support/scene-works.ts";
import { jsonInit, registerOn } from "../../support/service.ts";
import { png } from "../../support/uploads.ts";

const { start, end } = await serviceProcesses();
afterAll(() => end());

test.skipIf(!serverUrl)("two processes never generate the same scene at once", async () => {
  const called = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const image = (await png(64, 64).bytes()).toBase64();
  const provider = fakeServer({
    "POST /v1/images/generations": async () => {
      called.resolve();
      if (provider.requests.length === 1) await released.promise;
      return Response.json({ created: 1, data: [{ b64_json: image }] });
    },
  });
  const { databaseUrl, drop } = await emptyServerDatabase(serverUrl!);
  const shared = {
    DATABASE_URL: databaseUrl,
    JWT_SECRET: "a secret that several processes share",
    OPENAI_BASE_URL: `${provider.url}/v1`,
  };
  const first = await start(shared);
  const second = await start(shared);

  const ann = await registerOn((path, init) => fetch(first.url + path, init), "Ann");
  const work = await workWithScenes(ann, {});
  const { projectId, workId } = work;
  const headers = { authorization: `Bearer ${ann.accessToken}`, "x-image-provider": "openai", "x-api-key": "sk-1" };
  const request = { prompt: "A teapot", projectId, workId, sceneIndex: 0 };
  const generateOn = ({ url }: typeof first) => fetch(`${url}/api/generate/image`, jsonInit("POST", request, headers));
  const generating = generateOn(first);
  await called.promise;
  const other = await generateOn(second);
  expect([other.status, other.headers.get("retry-after")]).toEqual([409, "10"]);
  expect(await other.json()).toMatchObject({
    code: "request_in_progress",
    error: expect.stringContaining("scene 0"),
  });

  released.resolve();
  expect((await generating).status).toBe(200);
  expect(provider.requests.length).toBe(1);
  expect((await generateOn(second)).status).toBe(200);
  for (const { launched } of [first, second]) {
    launched.kill("SIGTERM");
    expect(await launched.exited).toBe(0);
  }
  await provider.stop();
  await drop();
});

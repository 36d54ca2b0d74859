import { expect, test } from "bun:test";
import { jsonInit, password, sharedService } from "../../support/service.ts";
import { newProject } from "../../support/uploads.ts";

const service = await sharedService();

const ann = await service.register("Ann");
const bob = await service.register("Bob");
const project = `/api/projects/${await newProject(ann)}`;

/** A body that ends when `finish` is called; `isRead` resolves when the service starts to read it. */
function openBody(text: string) {
  const { promise: isRead, resolve } = Promise.withResolvers<void>();
  const finished = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        resolve();
        await finished.promise;
        controller.enqueue(new TextEncoder().encode(text));
        controller.close();
      },
    },
    // so that `pull` is not called before the first read
    { highWaterMark: 0 },
  );
  return { body, isRead, finish: () => finished.resolve() };
}

/** A request that runs until `finish` is called. */
async function runningRequest() {
  const { body, isRead, finish } = openBody('{"name":"Renamed"}');
  const headers = { "content-type": "application/json" };
  const response = Promise.resolve(ann.request(project, { method: "PUT", headers, body }));
  await isRead;
  return { response, finish };
}

const fourRunning = () => Promise.all(Array.from({ length: 4 }, runningRequest));

test("a user with four running requests waits with the next one, and another user does not", async () => {
  const running = await fourRunning();
  const order: string[] = [];
  const get = async (name: string, response: Response | Promise<Response>) => {
    const { status } = await response;
    order.push(`${name} ${status}`);
  };
  const waiting = get("Ann", ann.request(project));
  await get("Bob", bob.request("/api/projects"));
  await get("Bob", bob.request("/api/projects"));
  for (const { finish } of running) finish();
  await waiting;

  expect(order).toEqual(["Bob 200", "Bob 200", "Ann 200"]);
  const renamed = await Promise.all(running.map(({ response }) => response));
  expect(renamed.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
});

test("requests of routes that take long wait for a turn until their handlers run", async () => {
  const running = await fourRunning();
  const order: string[] = [];
  const work = { projectId: project.split("/").at(-1), workId: "work_000000000000000000000" };
  const mcp = { accept: "application/json, text/event-stream" };
  const waiting = [
    ann.request("/api/exports/exp_000000000000000000000/events"),
    ann.json("POST", "/api/export/frame", work),
    ann.json("POST", "/api/export", work),
    ann.json("POST", "/api/generate/image", { ...work, sceneIndex: 0, prompt: "A cup" }),
    ann.request(`${project}/works/${work.workId}/frame`),
    ann.request("/api/projects/proj_000000000000000000000/assets", { method: "POST" }),
    ann.json("POST", "/mcp", { jsonrpc: "2.0", id: 1, method: "ping" }, mcp),
  ].map(async (response) => order.push(`Ann ${(await response).status}`));
  for (let requests = 0; requests < 5; requests++) order.push(`Bob ${(await bob.request("/api/projects")).status}`);
  for (const { finish } of running) finish();
  await Promise.all(waiting);

  expect(order.slice(0, 5)).toEqual(Array.from({ length: 5 }, () => "Bob 200"));
  expect(order.slice(5).toSorted()).toEqual([...Array.from({ length: 6 }, () => "Ann 404"), "Ann 200"].toSorted());
});

test("requests that wait for uploads do not delay others of the same user", async () => {
  const headers = { "content-type": "multipart/form-data; boundary=b" };
  const forms = Array.from({ length: 5 }, () => {
    const { body, isRead, finish } = openBody("--b--\r\n");
    const response = Promise.resolve(ann.request(`${project}/assets`, { method: "POST", headers, body }));
    return { response, isRead, finish };
  });
  await Promise.all(forms.map(({ isRead }) => isRead));
  expect((await ann.request(project)).status).toBe(200);
  for (const { finish } of forms) finish();
  const ended = await Promise.all(forms.map(({ response }) => response));
  expect(ended.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400]);
});

test("a request whose client leaves while it waits frees its place in the queue", async () => {
  const running = await fourRunning();
  const leaving = new AbortController();
  const left = ann.request(project, { signal: leaving.signal });
  leaving.abort();
  expect((await left).ok).toBe(false);
  const next = ann.request(project);
  for (const { finish } of running) finish();
  expect((await next).status).toBe(200);
});

test("requests of a session that has ended do not keep the user's others waiting", async () => {
  const { email } = ann.user;
  const login = async () => (await service.request("/api/auth/login", jsonInit("POST", { email, password }))).json();
  const get = async ({ accessToken }: { accessToken: string }) =>
    (await service.request(project, { headers: { authorization: `Bearer ${accessToken}` } })).status;
  const [ended, other] = [await login(), await login()];
  await service.request("/api/auth/logout", jsonInit("POST", { refreshToken: ended.refreshToken }));
  const another = await service.register("Bob");
  const running = await fourRunning();

  const order: string[] = [];
  const flood = Array.from({ length: 500 }, async () => order.push(`ended ${await get(ended)}`));
  const waiting = get(other).then((status) => order.push(`other ${status}`));
  // tokens are checked in the order of the requests: all of them wait for a turn after this one
  expect((await another.request("/api/auth/me")).status).toBe(200);
  for (const { finish } of running) finish();
  await Promise.all([waiting, ...flood]);

  expect(order.filter((outcome) => outcome === "ended 401")).toHaveLength(500);
  // an answer with a project takes longer than a refusal, so some of those that started later are first
  expect(order.indexOf("other 200")).toBeWithin(0, 250);
});

test("a session that ends while a request waits is over when its turn comes", async () => {
  const { email } = ann.user;
  const session = await (await service.request("/api/auth/login", jsonInit("POST", { email, password }))).json();
  const running = await fourRunning();
  const headers = { authorization: `Bearer ${session.accessToken}` };
  const waiting = service.request(project, { headers });
  await service.request("/api/auth/logout", jsonInit("POST", { refreshToken: session.refreshToken }));
  for (const { finish } of running) finish();

  expect((await waiting).status).toBe(401);
});

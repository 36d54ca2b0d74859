import { afterAll, expect, test } from "bun:test";
import { once } from "node:events";
import { createApp } from "../../../src/app.ts";
import { jsonInit, password, testService } from "../../support/service.ts";
import { countAdded, listen, newProject, nothingAdded } from "../../support/uploads.ts";
import { head, open, responseOf, startOfForm, startOfLogin } from "./unfinished-bodies.ts";

const pace = { bytes: 1_000, periodMs: 250 };

const service = await testService();
const bodyLimits = { json: pace, form: pace, anonymous: pace };
const server = listen({ ...service, app: createApp(service.services, { bodyLimits }) });
/** With the paces of the service. */
const patientServer = listen(service);
const ann = await service.register();
const path = `/api/projects/${await newProject(ann)}/assets`;

afterAll(async () => {
  server.stop();
  patientServer.stop();
  await service.close();
});

const requests = {
  JSON: () => [...head("/api/projects", "application/json", ann), '{"name":"'],
  "the JSON of a login": startOfLogin,
  "a form": () => startOfForm(path, ann),
};

test.each(Object.keys(requests) as (keyof typeof requests)[])(
  "%s that arrives byte by byte gets 400, and its connection is closed",
  async (kind) => {
    const added = await countAdded(service, ann, path, async () => {
      const socket = open(requests[kind](), server);
      const drip = setInterval(() => socket.writable && socket.write("a"), 10);
      const response = await responseOf(socket);
      clearInterval(drip);
      expect(response).toStartWith("HTTP/1.1 400");
      expect(response).toContain('"error":"The body arrives too slowly.","code":"validation_error"');
    });
    expect(added).toEqual(nothingAdded);
  },
);

test("256 bodies of an address that never arrive lock nobody out: the oldest gives way", async () => {
  const sockets = Array.from({ length: 256 }, () => open(startOfLogin(), patientServer));
  const refusals = sockets.map((socket) => once(socket, "data").then(([data]) => String(data)));
  const { email } = ann.user;
  const login = () => fetch(new URL("/api/auth/login", patientServer.url), jsonInit("POST", { email, password }));
  expect((await login()).status).toBe(200);
  expect(await Promise.race(refusals)).toStartWith("HTTP/1.1 400");
  expect((await login()).status).toBe(200);
  for (const socket of sockets) socket.destroy();
});

test("a body without a credential has two seconds, however it drips", async () => {
  const socket = open(startOfLogin(), patientServer);
  const drip = setInterval(() => socket.writable && socket.write("a".repeat(50)), 10);
  const response = await responseOf(socket);
  clearInterval(drip);
  expect(response).toStartWith("HTTP/1.1 400");
});

/** Sends a form of these sizes twelve times with Node's fetch, and prints the statuses or the codes of its errors. */
const nodeClient = `
  const [address, ...sizes] = process.argv.slice(1);
  for (const size of sizes) for (let index = 0; index < 12; index++) {
    const body = new FormData();
    body.set("file", new Blob([new Uint8Array(Number(size))]), "a.csv");
    const outcome = await fetch(address, { method: "POST", body }).then(
      async (response) => (await response.json()).code,
      (error) => error.cause?.code ?? error.message,
    );
    console.log(outcome);
  }
`;

test("Node's fetch reads the refusal of an upload of any size", async () => {
  const address = new URL(path, patientServer.url).href;
  const client = Bun.spawn(["node", "--input-type=module", "-e", nodeClient, address, "200", "1e6", "12e6", "60e6"]);
  const outcomes = (await new Response(client.stdout).text()).trim().split("\n");
  expect(outcomes).toEqual(Array(48).fill("unauthenticated"));
});

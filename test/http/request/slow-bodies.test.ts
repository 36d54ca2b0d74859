import { afterAll, beforeAll, expect, jest, test } from "bun:test";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createApp } from "../../../src/app.ts";
import { watchPace } from "../../../src/http/request/body-limits.ts";
import { jsonInit, type OwnService, password, type TestUser, testService } from "../../support/service.ts";
import { boundary, countAdded, listen, newProject, nothingAdded } from "../../support/uploads.ts";

const pace = { bytes: 1_000, periodMs: 250 };

let service: OwnService;
let server: ReturnType<typeof listen>;
/** With the paces of the service. */
let patientServer: ReturnType<typeof listen>;
let ann: TestUser;
let path: string;

beforeAll(async () => {
  service = await testService();
  server = listen({
    ...service,
    app: createApp(service.services, { bodyLimits: { json: pace, form: pace, anonymous: pace } }),
  });
  patientServer = listen(service);
  ann = await service.register();
  path = `/api/projects/${await newProject(ann)}/assets`;
});

afterAll(async () => {
  server.stop();
  patientServer.stop();
  await service.close();
});

const fileHead = 'Content-Disposition: form-data; name="file"; filename="a.wav"';
const requests = {
  JSON: () => [...head("/api/projects", "application/json", ann), '{"name":"'],
  "the JSON of a login": () => [...head("/api/auth/login", "application/json"), '{"email":"'],
  "a form": () => [
    ...head(path, `multipart/form-data; boundary=${boundary}`, ann),
    `--${boundary}`,
    fileHead,
    "",
    "RIFF",
  ],
};

const head = (address: string, contentType: string, user?: TestUser) => [
  `POST ${address} HTTP/1.1`,
  "Host: x",
  ...(user ? [`Authorization: Bearer ${user.accessToken}`] : []),
  `Content-Type: ${contentType}`,
  `Content-Length: ${user ? 90_000 : 9_000}`,
  "",
];

function open(lines: readonly string[], { port } = server): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.write(lines.join("\r\n"));
  return socket;
}

/** Everything that the server sends until it closes the connection. */
async function responseOf(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (data) => {
    text += data;
  });
  await once(socket, "close");
  return text;
}

test.each(Object.keys(requests) as (keyof typeof requests)[])(
  "%s that arrives byte by byte gets 400, and its connection is closed",
  async (kind) => {
    const added = await countAdded(service, ann, path, async () => {
      const socket = open(requests[kind]());
      const drip = setInterval(() => socket.writable && socket.write("a"), 10);
      const response = await responseOf(socket);
      clearInterval(drip);
      expect(response).toStartWith("HTTP/1.1 400");
      expect(response).toContain('"error":"The body arrives too slowly.","code":"validation_error"');
    });
    expect(added).toEqual(nothingAdded);
  },
);

test("a body that keeps the pace is read, however long it takes", () => {
  jest.useFakeTimers();
  const failures: unknown[] = [];
  const watched = watchPace(pace, (reason) => failures.push(reason));
  for (let period = 0; period < 5; period++) {
    watched.count(pace.bytes);
    jest.advanceTimersByTime(pace.periodMs);
  }
  expect(failures).toEqual([]);

  watched.count(pace.bytes - 1);
  jest.advanceTimersByTime(pace.periodMs);
  expect(failures).toMatchObject([{ code: "validation_error" }]);
  watched.stop();
  jest.useRealTimers();
});

/** Opens bodies that never arrive, and one more once all are being read. */
async function oneMore(bodies: number, lines: () => readonly string[]): Promise<string> {
  const sockets = Array.from({ length: bodies }, () => open(lines(), patientServer));
  const refusals = sockets.map((socket) => once(socket, "data").then(([data]) => String(data)));
  const extra = open(lines(), patientServer);
  const first = await Promise.race([once(extra, "data").then(([data]) => String(data)), ...refusals]);
  for (const socket of [...sockets, extra]) socket.destroy();
  return first;
}

test("a user has at most 64 bodies under way", async () => {
  expect(await oneMore(64, requests["a form"])).toMatch(/^HTTP\/1.1 429.*Retry-After: 5/is);
});

test("256 bodies of an address that never arrive lock nobody out: the oldest gives way", async () => {
  const sockets = Array.from({ length: 256 }, () => open(requests["the JSON of a login"](), patientServer));
  const closed = sockets.map((socket) => responseOf(socket));
  const { email } = ann.user;
  const login = () => fetch(new URL("/api/auth/login", patientServer.url), jsonInit("POST", { email, password }));
  expect((await login()).status).toBe(200);
  expect(await Promise.race(closed)).toMatch(/^HTTP\/1.1 400.*Connection: close/is);
  expect((await login()).status).toBe(200);
  for (const socket of sockets) socket.destroy();
});

test("a body without a credential has two seconds, however it drips", async () => {
  const socket = open(requests["the JSON of a login"](), patientServer);
  const drip = setInterval(() => socket.writable && socket.write("a".repeat(50)), 10);
  const response = await responseOf(socket);
  clearInterval(drip);
  expect(response).toStartWith("HTTP/1.1 400");
});

test.each([
  ["an unknown route", "/api/nothing", 404],
  ["a route that needs a credential", "/api/projects", 401],
  ["a body that is too large", "/api/auth/login", 413],
])("an error before the body was read ends the connection: %s", async (_, address, status) => {
  const socket = open([...head(address, "application/json"), "{"].map((line) => line.replace("9000", "20000")));
  const drip = setInterval(() => socket.writable && socket.write("a"), 10);
  const response = await responseOf(socket);
  clearInterval(drip);
  expect(response).toStartWith(`HTTP/1.1 ${status}`);
  expect(response).toMatch(/^Connection: close/im);
});

import { afterAll, beforeAll, expect, jest, test } from "bun:test";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Context } from "hono";
import { createApp } from "../../../src/app.ts";
import type { AppEnv } from "../../../src/http/app-env.ts";
import { watchPace } from "../../../src/http/request/body-limits.ts";
import { type TestService, type TestUser, testService } from "../../helpers/service.ts";
import { boundary, countAdded, listen, newProject, nothingAdded } from "../../helpers/uploads.ts";

const pace = { bytes: 1_000, periodMs: 250 };

let service: TestService;
let server: ReturnType<typeof listen>;
/** With the paces of the service. */
let patientServer: ReturnType<typeof listen>;
let ann: TestUser;
let path: string;

beforeAll(async () => {
  service = await testService();
  server = listen({ ...service, app: createApp(service.services, { bodyLimits: { json: pace, form: pace } }) });
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
  "Content-Length: 90000",
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
  // safe because only a body that is too slow sets a header
  const watched = watchPace({ header: () => {} } as unknown as Context<AppEnv>, pace, (reason) =>
    failures.push(reason),
  );
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

test("an address has at most 256 bodies of unknown callers under way", async () => {
  expect(await oneMore(256, requests["the JSON of a login"])).toMatch(/^HTTP\/1.1 429.*Retry-After: 5/is);
});

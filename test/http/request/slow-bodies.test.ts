import { afterAll, expect, jest, test } from "bun:test";
import { once } from "node:events";
import type { Socket } from "node:net";
import { watchPace } from "../../../src/http/request/body-limits.ts";
import { sharedService } from "../../support/service.ts";
import { listen, newProject } from "../../support/uploads.ts";
import { head, open, startOfForm } from "./unfinished-bodies.ts";

const pace = { bytes: 1_000, periodMs: 250 };

const service = await sharedService();
const server = listen(service);
const ann = await service.register();
const assets = `/api/projects/${await newProject(ann)}/assets`;
afterAll(() => server.stop());

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

const nextData = (socket: Socket) => once(socket, "data").then(([data]) => String(data));

/** Opens bodies that never arrive, and one more once all are being read. */
async function oneMore(bodies: number, lines: () => readonly string[]): Promise<string> {
  const sockets = Array.from({ length: bodies }, () => open(lines(), server));
  const refusals = sockets.map(nextData);
  const extra = open(lines(), server);
  const first = await Promise.race([nextData(extra), ...refusals]);
  for (const socket of [...sockets, extra]) socket.destroy();
  return first;
}

test("a user has at most 64 bodies under way", async () => {
  expect(await oneMore(64, () => startOfForm(assets, ann))).toMatch(/^HTTP\/1.1 429.*Retry-After: 5/is);
});

const refused: [string, string, number][] = [
  ["an unknown route", "/api/nothing", 404],
  ["a route that needs a credential", "/api/projects", 401],
  ["a body that is too large", "/api/auth/login", 413],
];

test.each(refused)(
  "a client that is writing can read the error, and write the rest: %s",
  async (_, address, status) => {
    const lines = [...head(address, "application/json"), "{"].map((line) => line.replace("9000", "20000"));
    const socket = open(lines, server);
    expect(await nextData(socket)).toStartWith(`HTTP/1.1 ${status}`);
    socket.write(" ".repeat(19_999));
    socket.write("GET /api/health HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(await nextData(socket)).toStartWith("HTTP/1.1 200");
    socket.destroy();
  },
);

test.each(refused)("its connection ends after seconds, however it writes: %s", async (_, address, status) => {
  const seconds: number[] = [];
  const body = JSON.stringify({ name: "a".repeat(20_000) });
  const headers = { "Content-Type": "application/json", "Content-Length": `${body.length}` };
  const timeout = (_request: Request, of: number) => void seconds.push(of);
  const response = await service.app.request(address, { method: "POST", body, headers }, { timeout });
  expect(response.status).toBe(status);
  expect(response.headers.get("Keep-Alive")).toBe("timeout=10");
  expect(seconds).toEqual([20]);
});

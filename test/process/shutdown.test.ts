import { afterAll, beforeEach, expect, jest, spyOn, test } from "bun:test";
import { rm } from "node:fs/promises";
import { pino } from "pino";
import { createApp } from "../../src/app.ts";
import { readEnvironment } from "../../src/env.ts";
import { openPort } from "../../src/process/listen.ts";
import { createObservedServices } from "../../src/process/monitoring.ts";
import { openResources } from "../../src/process/resources.ts";
import { drainAndExit, type FetchResult, onStopSignal, requestTracker } from "../../src/process/shutdown.ts";
import { openTelemetry } from "../../src/process/telemetry.ts";
import { prepareDataFolder } from "../support/database.ts";
import { temporaryFolder } from "../support/media/ffmpeg.ts";
import { jsonInit, password } from "../support/service.ts";

const folder = await temporaryFolder();

/** What a stop has closed, and the code with which the process then exits. */
const steps: unknown[] = [];
let exited = Promise.withResolvers<void>();

// the real one would end the tests
const exit = spyOn(process, "exit").mockImplementation(((code: number) => {
  steps.push(code);
  exited.resolve();
}) as never);
afterAll(async () => {
  exit.mockRestore();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => {
  steps.length = 0;
  exited = Promise.withResolvers();
});

type StoppedParts = Parameters<typeof drainAndExit>[3];

/** Opens a port as a start does, and returns how the process that serves it stops. */
function serve(fetch: (request: Request) => FetchResult, requests = requestTracker()) {
  const tracked = (request: Request) => requests.track(fetch(request));
  const server = openPort({ port: 0, hostname: "127.0.0.1", fetch: tracked }, "PORT");
  return {
    url: server.url.origin,
    stop: (seconds: number, parts: StoppedParts) => drainAndExit(seconds, server, requests, parts),
  };
}

/** What a process closes, which is noted. */
function noted({ queues, telemetry, database }: StoppedParts): StoppedParts {
  const note = (name: string, close: () => Promise<void>) => () => close().then(() => void steps.push(name));
  return {
    helper: { stop: note("helper", async () => {}) },
    queues: { ...queues, stop: note("queues", queues.stop) },
    telemetry: { close: note("telemetry", telemetry.close) },
    database: { ...database, close: note("database", database.close) },
  };
}

/** Resolves with "refused" if nothing listens there. */
const connectionTo = ({ hostname, port }: URL) =>
  Bun.connect({ hostname, port: Number(port), socket: { data() {} } }).then(
    (socket) => socket.end(),
    () => "refused",
  );

test("a process that is told to stop lets the running request end, refuses new ones, closes its parts and exits with 0", async () => {
  await prepareDataFolder(folder);
  const env = readEnvironment({ DATA_DIR: folder, RATE_LIMIT: "off" });
  const telemetry = await openTelemetry(env);
  const resources = { ...(await openResources(env, telemetry)), telemetry };
  const services = createObservedServices(env, resources, "http://localhost", pino({ level: "silent" }));
  const requests = requestTracker();
  const app = createApp(services, { deferredRequests: requests });
  const arrived = Promise.withResolvers<void>();
  const { url, stop } = serve((request) => {
    if (request.method === "POST") arrived.resolve();
    return app.fetch(request);
  }, requests);
  await resources.queues.start();
  expect(await (await fetch(`${url}/api/ready`)).json()).toMatchObject({ status: "ready" });

  const rest = Promise.withResolvers<string>();
  const body = new ReadableStream<string>({
    async start(controller) {
      controller.enqueue('{"email": "late@example.com", "name": "Late", ');
      controller.enqueue(await rest.promise);
      controller.close();
    },
  });
  const late = fetch(`${url}/api/auth/register`, { ...jsonInit("POST", {}), body });
  await arrived.promise;
  const stopped = stop(3_600, noted(resources));
  expect(await connectionTo(new URL(url))).toBe("refused");
  expect(steps).toEqual([]);

  rest.resolve(`"password": "${password}"}`);
  const response = await late;
  expect([response.status, (await response.json()).user.email]).toEqual([201, "late@example.com"]);
  await stopped;
  await exited.promise;
  expect(steps).toEqual(["helper", "queues", "telemetry", "database", 0]);
});

const nothing = async () => {};
// safe because a stop calls nothing else of them
const noParts = {
  queues: { stop: nothing },
  telemetry: { close: nothing },
  database: { close: nothing },
} as unknown as StoppedParts;

test("a request for which a stop leaves no time is told so, and answers before the process exits", async () => {
  const requests = requestTracker();
  const { signal, drainSignal } = requests;
  const { promise: answered, resolve: answer } = Promise.withResolvers<Response>();
  signal.addEventListener("abort", () => answer(new Response(`${drainSignal.aborted}`, { status: 503 })));
  const arrived = Promise.withResolvers<void>();
  const { url, stop } = serve(() => {
    arrived.resolve();
    return answered;
  }, requests);
  const waiting = fetch(url);
  await arrived.promise;
  // what follows the requests takes three of them
  await stop(3, noParts);
  const response = await waiting;
  expect([response.status, await response.text()]).toEqual([503, "true"]);
  await exited.promise;
  expect(steps).toEqual([0]);
});

test("a database that cannot be closed keeps no process", async () => {
  const { stop } = serve(() => new Response());
  const close = () => Promise.reject(new Error("gone"));
  await expect(stop(3_600, { ...noParts, database: { ...noParts.database, close } })).rejects.toThrow("gone");
  expect(steps).toEqual([0]);
});

test("of the signals a terminal and a service manager send at once one stops the process, and a later one ends it", () => {
  const listeners = new Map<string, () => void>();
  const on = spyOn(process, "on").mockImplementation(((signal: string, listener: () => void) => {
    listeners.set(signal, listener);
  }) as never);
  const now = spyOn(performance, "now");
  jest.useFakeTimers();
  try {
    let stops = 0;
    onStopSignal(30, async () => {
      stops += 1;
    });
    const receive = (signal: string, at: number) => {
      now.mockReturnValue(at);
      listeners.get(signal)!();
    };
    receive("SIGTERM", 1_000);
    receive("SIGINT", 1_200);
    expect([stops, steps]).toEqual([1, []]);
    receive("SIGTERM", 1_300);
    expect([stops, steps]).toEqual([1, [1]]);
    // a stop that hangs
    jest.advanceTimersByTime(29_999);
    expect(steps).toEqual([1]);
    jest.advanceTimersByTime(1);
    expect(steps).toEqual([1, 0]);
  } finally {
    jest.useRealTimers();
    now.mockRestore();
    on.mockRestore();
  }
});

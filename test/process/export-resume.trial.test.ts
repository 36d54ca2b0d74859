import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rm, writeFile } from "node:fs/promises";
import { freezableProxy } from "../storage/freezable-proxy.ts";
import { runsFfmpeg } from "../support/child-processes.ts";
import { preparedServerDatabase, serverUrl } from "../support/database.ts";
import { drawNumbers } from "../support/media/draw-media.ts";
import { breakableFfmpeg, ffmpegs, temporaryFolder } from "../support/media/ffmpeg.ts";
import { serviceProcesses, testedFfmpeg } from "../support/processes.ts";
import { jsonInit } from "../support/service.ts";
import { formOf } from "../support/uploads.ts";
import { readNumbers, saveResponse } from "../support/work-videos.ts";

const { start, launch, end } = await serviceProcesses();
const folder = await temporaryFolder();
const [ffmpeg] = ffmpegs();

afterAll(async () => {
  await end();
  await rm(folder, { recursive: true, force: true });
});

const seconds = 30;

/** A new user of the service at `url`, with a request that repeats a short clip for half a minute. */
async function newUser(url: string) {
  const { accessToken } = await fetchJson(url, "/api/auth/register", {
    ...jsonInit("POST", { email: `${crypto.randomUUID()}@example.com`, password: "a good long password", name: "Ann" }),
  });
  const authorization = { authorization: `Bearer ${accessToken}` };
  const json = (method: string, path: string, body?: object) =>
    fetchJson(url, path, jsonInit(method, body, authorization));
  const { id: projectId } = await json("POST", "/api/projects", { name: "P" });
  const { id: workId } = await json("POST", `/api/projects/${projectId}/works`, {});

  await drawNumbers(`${folder}/clip.mp4`, { first: 0, frames: 150 });
  const body = formOf({ file: new File([await Bun.file(`${folder}/clip.mp4`).bytes()], "clip.mp4") });
  const upload = `/api/projects/${projectId}/works/${workId}/media/scene/0/video`;
  await fetchJson(url, upload, { method: "POST", headers: authorization, body });

  const clips = Array.from({ length: seconds / 5 }, (_, at) => ({ sceneIndex: 0, position: at * 5, end: at * 5 + 5 }));
  const request = { projectId, workId, clips, options: { width: 64, height: 36, fps: 30 } };
  return { request, authorization };
}

async function fetchJson(url: string, path: string, init: RequestInit) {
  const response = await fetch(`${url}${path}`, init);
  if (!response.ok) throw new Error(await response.text());
  return await response.json();
}

type ExportState = { readonly status: string; readonly framesDone: number; readonly progress: number };

/** The states in an export's events, until one matches `isLast`. */
async function statesOf(
  url: string,
  path: string,
  headers: Record<string, string>,
  isLast: (state: ExportState) => boolean,
) {
  const states: ExportState[] = [];
  const response = await fetch(`${url}${path}/events`, { headers });
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const received = [...chunk.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!) as ExportState);
    states.push(...received);
    if (received.some(isLast)) break;
  }
  return states;
}

const hasBegun = ({ framesDone }: ExportState) => framesDone > 150;

async function expectAllFrames(url: string, path: string, headers: Record<string, string>) {
  const video = await saveResponse(folder, await fetch(`${url}${path}/file`, { headers }));
  const numbers = await readNumbers(ffmpeg!, video);
  expect(numbers.length).toBe(seconds * 30);
  expect(numbers.findIndex((number, frame) => number !== frame % 150)).toBe(-1);
}

/** Ends a service in the middle of an export. */
const ends = {
  "a kill of the server": async (url: string, path: string, headers: Record<string, string>, launched: Launched) => {
    const before = await statesOf(url, path, headers, hasBegun);
    launched.kill("SIGKILL");
    await launched.exited;
    return before;
  },
  "SIGTERM to the server and its child processes": signalGroup("SIGTERM"),
  "SIGINT to the server and its child processes": signalGroup("SIGINT"),
};

type Launched = Awaited<ReturnType<typeof start>>["launched"];

function signalGroup(signal: "SIGTERM" | "SIGINT") {
  return async (url: string, path: string, headers: Record<string, string>, launched: Launched) => {
    // an open stream: the server lets it go on for a while, and ffmpeg ends before the export is told to stop
    const events = await fetch(`${url}${path}/events`, { headers });
    while (!(await runsFfmpeg(launched.pid))) await Bun.sleep(10);
    process.kill(-launched.pid, signal);
    expect(await launched.exited).toBe(0);
    await events.body?.cancel();
    return [];
  };
}

/** The service that finished the export of the test before. */
let running: Awaited<ReturnType<typeof start>> | undefined;

test.each(Object.entries(ends))(
  "after %s, its next start finishes the export from the cached segments",
  async (_, endService) => {
    const first = running ?? (await start(testedFfmpeg, { detached: true }));
    const { request, authorization: headers } = await newUser(first.url);
    const { id } = await fetchJson(first.url, "/api/exports", jsonInit("POST", request, headers));
    const path = `/api/exports/${id}`;
    const before = await endService(first.url, path, headers, first.launched);

    running = await start(testedFfmpeg, { detached: true });
    const after = await statesOf(running.url, path, headers, () => false);
    expect(after.at(-1)).toMatchObject({ status: "done", progress: 1 });
    const progress = [...before, ...after].map((state) => state.progress);
    expect(progress).toEqual(progress.toSorted((one, other) => one - other));
    await expectAllFrames(running.url, path, headers);
  },
);

/** A worker process that is ready to take exports. */
async function startWorker(shared: Record<string, string>) {
  const worker = launch({ ...shared, ROLE: "worker" });
  for await (const chunk of worker.stdout.pipeThrough(new TextDecoderStream())) {
    if (chunk.includes("takes exports")) break;
  }
  return worker;
}

test.skipIf(!serverUrl)(
  "a client receives its film although the database did not respond for ten seconds",
  async () => {
    const { databaseUrl, drop } = await preparedServerDatabase(serverUrl!);
    const proxy = await freezableProxy(databaseUrl);
    const { url, launched } = await start({
      DATABASE_URL: proxy.databaseUrl,
      JWT_SECRET: "a secret that two processes share",
    });
    const { request, authorization: headers } = await newUser(url);
    const film = fetch(`${url}/api/export`, jsonInit("POST", request, headers));
    const listed = async () => (await fetchJson(url, "/api/exports", { headers })).exports[0];
    while ((await listed())?.status !== "rendering") await Bun.sleep(10);
    const { id } = await listed();

    proxy.freeze();
    for (let silences = 0; silences < 2; silences++) {
      expect((await fetch(`${url}/api/exports`, { headers })).status).toBe(503);
    }
    expect((await fetch(`${url}/api/ready`)).status).toBe(503);
    proxy.thaw();

    expect((await film).status).toBe(200);
    await expectAllFrames(url, `/api/exports/${id}`, headers);
    launched.kill("SIGTERM");
    expect(await launched.exited).toBe(0);
    proxy.close();
    await drop();
  },
);

describe.skipIf(!serverUrl)("a process for requests and workers", () => {
  let database: Awaited<ReturnType<typeof preparedServerDatabase>>;
  let shared: Record<string, string>;
  let api: Awaited<ReturnType<typeof start>>;
  /** Its ffmpeg breaks while the file `flag` exists. */
  let breakable: Launched;
  let flag: string;
  const socket = `${folder}/health.sock`;
  beforeAll(async () => {
    database = await preparedServerDatabase(serverUrl!); // safe because the tests are skipped without one
    shared = { DATABASE_URL: database.databaseUrl, JWT_SECRET: "a secret that all processes share" };
    api = await start({ ...shared, ROLE: "api" });
  });
  afterAll(async () => {
    for (const each of [api.launched, breakable]) {
      each.kill("SIGTERM");
      expect(await each.exited).toBe(0);
    }
    await database.drop();
  });

  test("one process renders what another enqueued, and both report its progress", async () => {
    const { url } = api;
    const { request, authorization: headers } = await newUser(url);
    const { id } = await fetchJson(url, "/api/exports", jsonInit("POST", request, headers));
    const path = `/api/exports/${id}`;
    expect((await fetchJson(url, path, { headers })).status).toBe("queued");

    const killed = await startWorker(shared);
    await statesOf(url, path, headers, hasBegun);
    killed.kill("SIGKILL");
    const broken = await breakableFfmpeg(folder, ffmpeg!);
    flag = broken.flag;
    breakable = await startWorker({ ...shared, FFMPEG_PATH: broken.path, HEALTH_SOCKET: socket });
    const after = await statesOf(url, path, headers, () => false);

    expect(after.at(-1)).toMatchObject({ status: "done", progress: 1 });
    await expectAllFrames(url, path, headers);
  });

  test("all films are done although the ffmpeg of one of two workers breaks, and that worker is ready when it works again", async () => {
    const { url } = api;
    const { request, authorization: headers } = await newUser(url);
    const ready = () => fetch("http://worker/api/ready", { unix: socket });
    expect((await ready()).status).toBe(200);
    await writeFile(flag, "");

    // each has frames of its own, so that none is in the cache
    const order = (cutFrom: number) => ({ ...request, clips: [{ sceneIndex: 0, position: 0, end: 1, cutFrom }] });
    const first = await fetchJson(url, "/api/exports", jsonInit("POST", order(0), headers));
    // the only worker takes it, and finds that it is broken
    while ((await ready()).status !== 503) await Bun.sleep(20);
    const healthy = await startWorker(shared);
    const others = await Promise.all(
      [1, 2, 3].map((cutFrom) => fetchJson(url, "/api/exports", jsonInit("POST", order(cutFrom), headers))),
    );
    for (const { id } of [first, ...others]) {
      const states = await statesOf(url, `/api/exports/${id}`, headers, () => false);
      expect(states.at(-1)).toMatchObject({ status: "done" });
    }
    expect((await ready()).status).toBe(503);

    await rm(flag);
    while ((await ready()).status !== 200) await Bun.sleep(20);
    healthy.kill("SIGTERM");
    await healthy.exited;
    const { id } = await fetchJson(url, "/api/exports", jsonInit("POST", order(4), headers));
    const states = await statesOf(url, `/api/exports/${id}`, headers, () => false);
    expect(states.at(-1)).toMatchObject({ status: "done" });
  });
});

import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { emptyServerDatabase, serverUrl } from "./helpers/database.ts";
import { ffmpegs, temporaryFolder } from "./helpers/ffmpeg.ts";
import { drawNumbers } from "./helpers/media.ts";
import { processes } from "./helpers/processes.ts";
import { jsonInit } from "./helpers/service.ts";
import { formOf } from "./helpers/uploads.ts";
import { numbersIn, saved } from "./helpers/work-films.ts";

const { started, launch, end } = await processes();
const folder = await temporaryFolder();
const [ffmpeg] = ffmpegs();

afterAll(async () => {
  await end();
  await rm(folder, { recursive: true, force: true });
});

const seconds = 120;

/** A person of the service at `url`, and her work: a short clip shown again and again in a film of minutes. */
async function newPerson(url: string) {
  const { accessToken } = await answered(url, "/api/auth/register", {
    ...jsonInit("POST", { email: `${crypto.randomUUID()}@example.com`, password: "a good long password", name: "Ann" }),
  });
  const authorization = { authorization: `Bearer ${accessToken}` };
  const json = (method: string, path: string, body?: object) =>
    answered(url, path, jsonInit(method, body, authorization));
  const { id: projectId } = await json("POST", "/api/projects", { name: "P" });
  const { id: workId } = await json("POST", `/api/projects/${projectId}/works`, {});

  await drawNumbers(`${folder}/clip.mp4`, { first: 0, frames: 150 });
  const body = formOf({ file: new File([await Bun.file(`${folder}/clip.mp4`).bytes()], "clip.mp4") });
  const upload = `/api/projects/${projectId}/works/${workId}/media/scene/0/video`;
  await answered(url, upload, { method: "POST", headers: authorization, body });

  const clips = Array.from({ length: seconds / 5 }, (_, at) => ({ sceneIndex: 0, position: at * 5, end: at * 5 + 5 }));
  const order = { projectId, workId, clips, options: { width: 64, height: 36, fps: 30 } };
  return { order, authorization };
}

async function answered(url: string, path: string, init: RequestInit) {
  const response = await fetch(`${url}${path}`, init);
  if (!response.ok) throw new Error(await response.text());
  return await response.json();
}

type Told = { readonly status: string; readonly framesDone: number; readonly progress: number };

/** The states of an export as its events tell them, until `enough`. */
async function toldOf(url: string, path: string, headers: Record<string, string>, enough: (told: Told) => boolean) {
  const all: Told[] = [];
  const response = await fetch(`${url}${path}/events`, { headers });
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const told = [...chunk.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!) as Told);
    all.push(...told);
    if (told.some(enough)) break;
  }
  return all;
}

const hasBegun = ({ framesDone }: Told) => framesDone > 300;

async function requireWhole(url: string, path: string, headers: Record<string, string>) {
  const film = await saved(folder, await fetch(`${url}${path}/file`, { headers }));
  const numbers = await numbersIn(ffmpeg!, film);
  expect(numbers.length).toBe(seconds * 30);
  expect(numbers.findIndex((number, frame) => number !== frame % 150)).toBe(-1);
}

test("an export whose server was killed is finished by the next start, from the parts that are there", async () => {
  const first = await started();
  const { order, authorization: headers } = await newPerson(first.url);
  const { id } = await answered(first.url, "/api/exports", jsonInit("POST", order, headers));
  const path = `/api/exports/${id}`;
  const before = await toldOf(first.url, path, headers, hasBegun);
  first.launched.kill("SIGKILL");
  await first.launched.exited;

  const second = await started();
  const after = await toldOf(second.url, path, headers, () => false);

  expect(after.at(-1)).toMatchObject({ status: "done", progress: 1 });
  const progress = [...before, ...after].map((told) => told.progress);
  expect(progress).toEqual(progress.toSorted((one, other) => one - other));
  await requireWhole(second.url, path, headers);
}, 60_000);

/** A worker that takes exports already. */
async function working(shared: Record<string, string>) {
  const worker = launch({ ...shared, ROLE: "worker" });
  for await (const chunk of worker.stdout.pipeThrough(new TextDecoderStream())) {
    if (chunk.includes("takes exports")) break;
  }
  return worker;
}

test.skipIf(!serverUrl)(
  "what one process orders another renders, and both tell of it",
  async () => {
    const { databaseUrl, drop } = await emptyServerDatabase(serverUrl!);
    const shared = { DATABASE_URL: databaseUrl, JWT_SECRET: "a secret that both know" };
    const { url, launched: api } = await started({ ...shared, ROLE: "api" });
    const { order, authorization: headers } = await newPerson(url);
    const { id } = await answered(url, "/api/exports", jsonInit("POST", order, headers));
    const path = `/api/exports/${id}`;
    expect((await answered(url, path, { headers })).status).toBe("queued");

    const killed = await working(shared);
    await toldOf(url, path, headers, hasBegun);
    killed.kill("SIGKILL");
    const worker = await working(shared);
    const after = await toldOf(url, path, headers, () => false);

    expect(after.at(-1)).toMatchObject({ status: "done", progress: 1 });
    await requireWhole(url, path, headers);
    for (const each of [api, worker]) {
      each.kill("SIGTERM");
      expect(await each.exited).toBe(0);
    }
    await drop();
  },
  60_000,
);

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startService } from "../../scripts/demo/service.ts";
import { findFfmpeg } from "../../src/media/ffmpeg/ffmpeg.ts";
import { textToSpeak, voiceServer } from "../support/models/voice-server.ts";
import { registerOn, type TestUser } from "../support/service.ts";
import { createExportRequest, exportVideo } from "./export-request.ts";
import { type Figure, report } from "./figures.ts";
import { drawFootage } from "./footage.ts";

/**
 * Measures the response time of a simple request while the same process exports a video, and while it answers the
 * requests that compute the longest without a pause.
 */
const intervalMs = 20;
const blockGoal = "<= 500 ms at the worst";
const folder = await mkdtemp(join(tmpdir(), "reelwright-bench-"));
const { path: ffmpeg } = await findFfmpeg(process.env.FFMPEG_PATH);
const voices = voiceServer();
const variables = { RATE_LIMIT: "off", FFMPEG_PATH: ffmpeg, ...voices.settings };
const { url, stop } = await startService(join(folder, "data"), variables);

try {
  const user = await registerOn((path, init) => fetch(`${url}${path}`, init), "Ann");
  const { projectPath, request } = await createExportRequest(user, await drawFootage(ffmpeg, folder));
  const figures: Figure[] = [];
  const measure = async (when: string, work: Promise<unknown>, goal = "") => {
    figures.push(figureOf(when, await responseTimesDuring(user, projectPath, work), goal));
  };
  await measure("while idle", Bun.sleep(5000));
  await measure("while an export runs", exportVideo(user, request), "<= 50 ms");
  for (const [name, send] of heavyRequests(user)) {
    await repeat(send);
    await measure(`during ${name}`, repeat(send), blockGoal);
  }
  report(figures);
} finally {
  await stop();
  voices.stop();
  await rm(folder, { recursive: true, force: true });
}

/** By name. The first ones of a process compile its code, and are not measured. */
function heavyRequests(user: TestUser): ReadonlyMap<string, () => Promise<Response>> {
  const keys = Object.fromEntries(Array.from({ length: 199_997 }, (_, index) => [`k${index}`, 0]));
  const text = `${"We say a little more of it here. ".repeat(200)}The end.`;
  const spoken = new Map<string, Promise<string>>();
  const { speak } = voices;
  voices.script.google = async (request) => {
    const part = textToSpeak(request);
    if (!spoken.has(part)) spoken.set(part, speak(request).text());
    return new Response(await spoken.get(part), { headers: { "content-type": "application/json" } });
  };
  const post = async (path: string, body: object, headers = {}) => {
    const response = await user.json("POST", path, body, headers);
    if (!response.ok) throw new Error(await response.text());
    return response;
  };
  return new Map([
    ["bodies of 199,997 keys", () => post("/api/projects", { name: "x", ignored: keys })],
    ["voices of 6,600 letters", () => post("/api/generate/speech", { text }, { "x-api-key": "a-key" })],
  ]);
}

async function repeat(send: () => Promise<Response>): Promise<void> {
  for (let count = 0; count < 5; count++) await (await send()).arrayBuffer();
}

/** Repeats a GET until `work` ends; returns the milliseconds of each. */
async function responseTimesDuring(user: TestUser, path: string, work: Promise<unknown>): Promise<readonly number[]> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  const times: number[] = [];
  while (!isDone) {
    const startedAt = performance.now();
    await (await user.request(path)).arrayBuffer();
    times.push(performance.now() - startedAt);
    await Bun.sleep(intervalMs);
  }
  await done;
  return times;
}

function figureOf(when: string, times: readonly number[], goal: string): Figure {
  const sorted = times.toSorted((a, b) => a - b);
  const percentile = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
  const measured = `${percentile(0.99).toFixed(0)} ms (median ${percentile(0.5).toFixed(0)}, worst ${percentile(1).toFixed(0)}, of ${sorted.length})`;
  return { figure: `p99 of GET /api/projects/:id ${when}`, measured, goal };
}

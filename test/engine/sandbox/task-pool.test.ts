import { afterAll, describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { overlayDrawer } from "../../../src/engine/render/overlay-drawer.ts";
import { linesOf } from "../../../src/engine/sandbox/lines.ts";
import { taskPool } from "../../../src/engine/sandbox/task-pool.ts";
import type { Overlay } from "../../../src/engine/timeline/overlay.ts";
import type { Source } from "../../../src/engine/timeline/source.ts";
import { cpuTicksOf, sandboxProcessesOf } from "../../support/child-processes.ts";
import { bombFont } from "../../support/media/bomb-font.ts";
import { imageOverlay, red, textOverlay, white } from "../../support/media/drawn-overlays.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";
import { png } from "../../support/uploads.ts";

const folder = await temporaryFolder();
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Every probe draws this letter. */
const probed = "A".codePointAt(0)!;
await Bun.write(`${folder}/bomb.ttf`, bombFont({ plain: [], bombs: [probed] }));
await Bun.write(`${folder}/plain.ttf`, bombFont({ plain: [probed], bombs: [] }));
await Bun.write(`${folder}/image.png`, png());

const font = (name: string): Source => ({
  file: `${folder}/${name}`,
  hash: name,
  facts: { kind: "font", container: "font", mimeType: "font/ttf", extension: "ttf" },
});

/** Fewer processes than the service has. */
const canvas = taskPool({ concurrency: 1, spares: 0 });
const makeFolder = async () => {
  const path = `${folder}/${crypto.randomUUID()}`;
  await mkdir(path);
  return path;
};
const ann = { owner: "ann" };

const neverAborted = new AbortController().signal;

const draw = (overlay: Overlay, { signal = neverAborted, processes = canvas, numbers = [0] } = {}) =>
  overlayDrawer({ canvas: processes, ...ann, pathOf: ({ file }) => file }).overlay(overlay, {
    canvas: { width: 4096, height: 4096 },
    rate: { num: 30, den: 1 },
    numbers,
    pathPrefix: `${folder}/${crypto.randomUUID()}`,
    signal,
  });

const probe = (name: string, processes = canvas) => processes.run("probeFont", { path: `${folder}/${name}` }, ann);

/** Takes many times longer than the limit. */
const heavyText = textOverlay("%&@".repeat(3000), {
  fontSize: 1000,
  stroke: { color: red, width: 200 },
  shadow: { color: white, blur: 200, offsetX: 100, offsetY: 100 },
});

test("a text that takes too long without a font of its own is a validation error", async () => {
  const impatient = taskPool({ concurrency: 1, taskMilliseconds: 1, spares: 0 });
  const drawing = draw(heavyText, { processes: impatient, numbers: [] });
  await expect(drawing).rejects.toMatchObject({ code: "validation_error" });
});

test("an aborted task ends, so that the next one can start", async () => {
  const patient = taskPool({ concurrency: 1, taskMilliseconds: 600_000, spares: 0 });
  await probe("plain.ttf", patient);
  const leaving = new AbortController();
  const drawing = draw(heavyText, { signal: leaving.signal, processes: patient });
  leaving.abort(new Error("left"));
  await expect(drawing).rejects.toThrow("left");
  expect(await probe("plain.ttf", patient)).toBe(true);
});

/** A process pool and the id of its only process, which is idle. */
async function startedPool() {
  const before = await sandboxProcessesOf(process.pid);
  const pool = taskPool({ concurrency: 1, taskMilliseconds: 600_000, spares: 0 });
  await probe("plain.ttf", pool);
  const started = (await sandboxProcessesOf(process.pid)).filter((id) => !before.includes(id));
  expect(started).toHaveLength(1);
  return { pool, processId: started[0]! };
}

const endlessText = textOverlay("A", { font: font("bomb.ttf") });

/** Waits until an idle process works. */
async function startOfWork(processId: number): Promise<void> {
  const idle = await cpuTicksOf(processId);
  while ((await cpuTicksOf(processId)) < idle + 3) await setImmediate();
}

describe("a process that is killed during its task", () => {
  test("fails only this task, as its input's fault", async () => {
    const { pool, processId } = await startedPool();
    const drawing = draw(endlessText, { processes: pool });
    await startOfWork(processId);
    process.kill(processId, "SIGKILL");
    await expect(drawing).rejects.toMatchObject({ code: "font_unusable" });
    expect(await probe("plain.ttf", pool)).toBe(true);
  });

  test.each(["SIGTERM", "SIGINT"] as const)("by %s is busy: the same task can succeed later", async (signal) => {
    const { pool, processId } = await startedPool();
    const drawing = draw(endlessText, { processes: pool });
    await startOfWork(processId);
    process.kill(processId, signal);
    await expect(drawing).rejects.toMatchObject({ code: "busy" });
  });
});

test("a process that was killed while it was idle fails no task", async () => {
  const { pool, processId } = await startedPool();
  process.kill(processId, "SIGKILL");
  while ((await sandboxProcessesOf(process.pid)).includes(processId)) await setImmediate();
  expect(await probe("plain.ttf", pool)).toBe(true);
});

test("what is drawn goes to a process that has drawn before, and not to one that only cut excerpts", async () => {
  const before = await sandboxProcessesOf(process.pid);
  // two of them for one owner
  const pool = taskPool({ concurrency: 3, spares: 0 });
  const excerpt = () => {
    const path = `${folder}/image.png`;
    return pool.run("excerptVideo", { path, output: `${path}.excerpt`, seconds: [0] }, ann);
  };
  await probe("plain.ttf", pool);
  expect(await Promise.all([excerpt(), excerpt()])).toEqual([false, false]);
  await excerpt();
  await probe("plain.ttf", pool);

  const started = (await sandboxProcessesOf(process.pid)).filter((id) => !before.includes(id));
  const maps = await Promise.all(started.map((id) => Bun.file(`/proc/${id}/maps`).text()));
  expect(maps.map((text) => text.includes("skia")).sort()).toEqual([false, true]);
});

test("a process serves one owner, and finds nothing of its last task", async () => {
  const before = await sandboxProcessesOf(process.pid);
  const root = await makeFolder();
  const pool = taskPool({ concurrency: 3, spares: 0, makeFolder: () => mkdtemp(`${root}/`) });
  const started = async () => (await sandboxProcessesOf(process.pid)).filter((id) => !before.includes(id));
  const input = { path: `${folder}/plain.ttf` };
  for (const owner of ["ann", "ann", "bob"]) await pool.run("probeFont", input, { owner });
  expect(await started()).toHaveLength(2);
  const left = await readdir(root, { recursive: true });
  expect(left.filter((path) => !/^[^/]+(\/(in|out))?$/.test(path))).toEqual([]);
});

test("tasks of the service take no process from others, and a spare one waits for the next owner", async () => {
  const before = await sandboxProcessesOf(process.pid);
  const pool = taskPool({ concurrency: 3, spares: 0 });
  await pool.textEngine();
  await probe("plain.ttf", pool);
  expect((await sandboxProcessesOf(process.pid)).filter((id) => !before.includes(id))).toHaveLength(1);
});

test("one owner never holds all processes", async () => {
  const pool = taskPool({ concurrency: 2, taskMilliseconds: 600_000, spares: 0 });
  const leaving = new AbortController();
  const endless = [1, 2, 3].map(() => draw(endlessText, { signal: leaving.signal, processes: pool }));
  const input = { path: `${folder}/plain.ttf` };
  expect(await pool.run("probeFont", input, { owner: "bob" })).toBe(true);
  leaving.abort(new Error("left"));
  const outcomes = await Promise.allSettled(endless);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
});

test("an image is drawn at its place", async () => {
  const box = { x: 10, y: 20, width: 200, height: 100 };
  const overlay = imageOverlay(`${folder}/image.png`, box);
  expect(await draw(overlay)).toEqual({ box });
});

test("an image that is gone is a source that cannot be read", async () => {
  const gone = imageOverlay(`${folder}/gone.png`, { x: 0, y: 0, width: 10, height: 10 });
  await expect(draw(gone)).rejects.toMatchObject({ code: "source_unreadable", facts: { path: "images" } });
});

describe("lines", () => {
  const split = (chunks: readonly string[], maxBytes?: number) =>
    Array.fromAsync(linesOf(new Response(chunks.join("")).body!, maxBytes));

  test("end at line feeds only, and with the stream", async () => {
    expect(await split(["one\n", "tw", "o\u2028\r\n\nunfinished"])).toEqual(["one", "two\u2028\r", "", "unfinished"]);
  });

  test("that are too long are an error", async () => {
    expect(await split(["12345\n"], 5)).toEqual(["12345"]);
    await expect(split(["123456"], 5)).rejects.toThrow("5 bytes");
  });
});

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { parseResponse } from "hono/client";
import { connect } from "../../src/client.ts";
import { register, uploader } from "../demo/api.ts";
import { drawClips } from "./clips.ts";

/**
 * Exports a film without waiting, and prints `rendering` when a tenth of it is done, and `done` when it can be
 * downloaded. Ends with an error if it never can.
 */
const { values } = parseArgs({ options: { url: { type: "string", default: "" } } });
const { url } = values;
const token = await register(url);
const { api } = connect(url, { token });
const folder = await mkdtemp(join(tmpdir(), "reelwright-clips-"));
const clips = await drawClips(folder);
const { id: projectId } = await parseResponse(api.projects.$post({ json: { name: "Killed worker" } }));
const works = api.projects[":projectId"].works;
const { id: workId } = await parseResponse(works.$post({ param: { projectId }, json: {} }));
const upload = uploader(url, token);
for (const [index, clip] of clips.entries()) {
  await upload(`/api/projects/${projectId}/works/${workId}/media/scene/${index}/video`, "file", clip);
}
await rm(folder, { recursive: true });

const ranges = Array.from({ length: 6 }, (_, index) => ({ position: index * 4, end: (index + 1) * 4 }));
const json = {
  projectId,
  workId,
  clips: ranges.map((range, index) => ({ sceneIndex: index % clips.length, ...range })),
  texts: ranges.map((range, index) => ({ text: `Part ${index + 1} 映画 🎬`, ...range })),
};
const { id } = await parseResponse(api.exports.$post({ json }));
const headers = { authorization: `Bearer ${token}` };

/** The state of the export; undefined while the service cannot say it. */
async function stateOf(): Promise<{ status: string; progress: number } | undefined> {
  const response = await fetch(`${url}/api/exports/${id}`, { headers }).catch(() => undefined);
  return response?.ok ? ((await response.json()) as { status: string; progress: number }) : undefined;
}

/** An export that shows nothing new for so long never ends: a slow machine needs longer for a film, not for a change. */
const stalledMs = 240_000;

let isRendering = false;
let last = "";
let changedAt = performance.now();
for (;;) {
  const { status, progress } = (await stateOf()) ?? { status: "unknown", progress: 0 };
  if (!isRendering && progress > 0.1) {
    isRendering = true;
    console.log("rendering");
  }
  if (["error", "cancelled"].includes(status)) throw new Error(`The export ended with ${status}.`);
  if (status === "done") break;
  const shown = `${status} ${progress}`;
  if (shown !== last) changedAt = performance.now();
  last = shown;
  if (performance.now() - changedAt > stalledMs) throw new Error(`The export has stopped at ${shown}.`);
  await Bun.sleep(100);
}
const file = await fetch(`${url}/api/exports/${id}/file`, { headers });
const { length } = await file.bytes();
if (file.status !== 200 || length < 100_000) throw new Error(`The film has ${length} bytes and status ${file.status}.`);
console.log(`done ${length}`);

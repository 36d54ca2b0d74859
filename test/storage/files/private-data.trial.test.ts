import { afterAll, expect, test } from "bun:test";
import { chmod, lstat, readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { serviceProcesses } from "../../support/processes.ts";
import { registerOn } from "../../support/service.ts";
import { formOf, mp4 } from "../../support/uploads.ts";

const service = await serviceProcesses();
afterAll(() => service.end());

/** The paths in a folder, and the folder itself, that another user of the machine could read or write. */
async function openToOthers(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = [root, ...entries.map((entry) => join(entry.parentPath, entry.name))];
  const modes = await Promise.all(paths.map(async (path) => (await lstat(path)).mode));
  return paths.filter((_, index) => (modes[index]! & 0o077) !== 0).map((path) => relative(root, path));
}

/** Runs an action that starts processes at once; they inherit a umask that protects nothing. */
function withLooseUmask<Result>(start: () => Result): Result {
  const umask = process.umask(0);
  try {
    return start();
  } finally {
    process.umask(umask);
  }
}

test("a start under a loose umask closes an existing folder, and everything made later is private", async () => {
  const dataDir = join(service.folder, "data");
  await chmod(dataDir, 0o777);
  await Bun.write(join(dataDir, "jwt-secret"), "a secret that others could read");
  await chmod(join(dataDir, "jwt-secret"), 0o666);

  // of an earlier version
  await Bun.write(join(dataDir, "prepared/cache/proj_1/ab/abc-def"), "an entry point");

  await Bun.write(join(dataDir, "proxies/cache/proj_1/ab/abc-def"), "a proxy");
  const { url } = await withLooseUmask(() => service.start());
  expect(await readdir(dataDir)).not.toContain("prepared");
  expect(await openToOthers(dataDir)).toEqual([]);

  const ann = await registerOn((path, init) => fetch(`${url}${path}`, init), "Ann");
  const { id: projectId } = await (await ann.json("POST", "/api/projects", { name: "Launch" })).json();
  const works = `/api/projects/${projectId}/works`;
  const { id: workId } = await (await ann.json("POST", works, {})).json();
  const body = formOf({ file: await mp4() });
  await ann.request(`${works}/${workId}/media/scene/0/video`, { method: "POST", body });
  const options = { width: 64, height: 64, fps: 30 };
  const request = { projectId, workId, clips: [{ sceneIndex: 0, position: 0, end: 0.5 }], options };
  const exported = await ann.json("POST", "/api/export", request, { "idempotency-key": "film" });
  const frame = await ann.json("POST", "/api/export/frame?t=0", request);
  expect([exported.status, frame.status]).toEqual([200, 200]);

  expect(await openToOthers(dataDir)).toEqual([]);
});

import { afterAll, expect, test } from "bun:test";
import { bombFont } from "../../helpers/media/bomb-font.ts";
import { canvasProcessesOf, cpuTicksOf, serviceProcesses } from "../../helpers/processes.ts";
import { registerOn } from "../../helpers/service.ts";
import { formOf, newProject } from "../../helpers/uploads.ts";

const service = await serviceProcesses();
afterAll(() => service.end());

/** The first process that has worked for half a second more than at the start. */
async function busyOne(processes: readonly number[]): Promise<number> {
  const start = await Promise.all(processes.map(cpuTicksOf));
  for (;;) {
    const now = await Promise.all(processes.map(cpuTicksOf));
    const busy = processes.find((_, index) => now[index]! >= start[index]! + 50);
    if (busy !== undefined) return busy;
  }
}

const hasEnded = (pid: number) =>
  cpuTicksOf(pid).then(
    () => false,
    () => true,
  );

test("no process for images and texts outlives its server, even in the middle of an endless task", async () => {
  const { launched, url } = await service.start();
  const user = await registerOn((path, init) => fetch(url + path, init), "Mallory");
  const projectId = await newProject(user);
  const font = new File([new Uint8Array(bombFont({ plain: [], bombs: [65] }))], "font.ttf");
  const body = formOf({ file: font });
  const uploading = Promise.resolve(user.request(`/api/projects/${projectId}/assets`, { method: "POST", body }));
  const lost = uploading.then(
    () => false,
    () => true,
  );
  const busy = await busyOne(await canvasProcessesOf(launched.pid));

  launched.kill("SIGKILL");
  expect(await lost).toBe(true);
  while (!(await hasEnded(busy)));
}, 60_000);

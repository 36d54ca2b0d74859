import { afterAll, expect, test } from "bun:test";
import { cpuTicksOf, sandboxProcessesOf } from "../../support/child-processes.ts";
import { bombFont } from "../../support/media/bomb-font.ts";
import { serviceProcesses } from "../../support/processes.ts";
import { registerOn } from "../../support/service.ts";
import { formOf, newProject } from "../../support/uploads.ts";

const service = await serviceProcesses();
afterAll(() => service.end());

/** The first process of the server that works for a second; the process for a task may start after the task has come. */
async function busyProcessOf(server: number): Promise<number> {
  const ticksAtFirst = new Map<number, number>();
  for (;;) {
    for (const pid of await sandboxProcessesOf(server)) {
      const ticks = await cpuTicksOf(pid).catch(() => 0);
      if (ticks >= (ticksAtFirst.get(pid) ?? ticks) + 100) return pid;
      if (!ticksAtFirst.has(pid)) ticksAtFirst.set(pid, ticks);
    }
    await Bun.sleep(20);
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
  const busy = await busyProcessOf(launched.pid);

  launched.kill("SIGKILL");
  expect(await lost).toBe(true);
  while (!(await hasEnded(busy))) await Bun.sleep(5);
});

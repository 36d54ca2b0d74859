import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { connect, FilmFailedError, unwrap } from "../../src/client.ts";
import { breakingFetch } from "../support/broken-fetch.ts";
import { textOf } from "../support/child-processes.ts";
import { builtCommandLine } from "../support/client-package.ts";
import { smallFilm } from "../support/films.ts";
import { temporaryFolder } from "../support/media/ffmpeg.ts";
import { testService } from "../support/service.ts";
import { listen } from "../support/uploads.ts";

const service = await testService();
const server = listen(service);
const folder = await temporaryFolder();
const ann = await service.register("Ann");
const { fetch, exchanges } = breakingFetch();
const client = connect(server.url, { token: ann.accessToken, fetch });
afterAll(async () => {
  await server.stop();
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const bin = await builtCommandLine(folder);

async function reelwright(...args: string[]) {
  const env = { PATH: process.env.PATH ?? "", HOME: folder, REELWRIGHT_URL: server.url };
  const child = Bun.spawn(["node", bin, ...args], {
    cwd: folder,
    env: { ...env, REELWRIGHT_TOKEN: ann.accessToken },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, errors, exitCode] = await Promise.all([textOf(child.stdout), textOf(child.stderr), child.exited]);
  return { output, errors, exitCode };
}

test("a client orders a film and follows its events to a wait, to its end, and to its cancellation", async () => {
  const project = await unwrap(client.api.projects.$post({ json: { name: "Bikes" } }));
  const order = { ...smallFilm, scenes: 1, stopAt: ["scenario" as const] };
  const film = await client.orderFilm(project.id, order, { idempotencyKey: "one" });
  expect((await client.orderFilm(project.id, order, { idempotencyKey: "one" })).id).toBe(film.id);
  expect(await client.waitForFilm(film)).toMatchObject({ waitingFor: "approval", waitingAt: "scenario" });

  const param = { projectId: project.id, filmId: film.id };
  const route = client.api.projects[":projectId"].films[":filmId"];
  await unwrap(route.approve.$post({ param, json: {} }));
  const seen: number[] = [];
  const done = await client.waitForFilm(film, { onProgress: ({ steps }) => seen.push(steps.length) });
  expect(done).toMatchObject({ status: "done", files: [{ target: "9:16" }] });
  expect(done.steps.every(({ status }) => status === "done")).toBe(true);
  expect(seen.length).toBeGreaterThan(3);
  expect(exchanges.filter(({ url }) => url.endsWith("/events")).length).toBeGreaterThan(1);

  const other = await client.orderFilm(project.id, order);
  await unwrap(route.cancel.$post({ param: { ...param, filmId: other.id } }));
  expect(await client.waitForFilm(other).catch((error) => error)).toBeInstanceOf(FilmFailedError);
});

test("the command line makes a film with a line for each step, and stops where it waits", async () => {
  const brief = "Velo Nord: the city bike that folds in ten seconds.";
  const film = ["film", brief, "--seconds", "3", "--scenes", "1", "--budget", "5"];
  const waits = await reelwright(...film, "--stop-at", "scenario", "-o", "velo.mp4");
  expect(waits).toMatchObject({ exitCode: 7, output: "" });
  expect(waits.errors).toContain("scenario          done");
  expect(waits.errors).toMatch(/approve \S+ --project \S+/);
  // the film goes on from the same wait in a small frame: the command line has no option for it
  const project = await unwrap(client.api.projects.$post({ json: { name: "Bikes" } }));
  const small = await client.orderFilm(project.id, { ...smallFilm, scenes: 1, stopAt: ["scenario"] });
  await client.waitForFilm(small);
  const made = await reelwright("approve", small.id, "--project", project.id, "-o", "velo.mp4");
  expect(made).toMatchObject({ exitCode: 0, output: expect.stringMatching(/^velo\.mp4 \(/) });
  for (const step of ["scene-0-image", "export"]) expect(made.errors).toMatch(new RegExp(`${step} +done`));
  expect(await Bun.file(join(folder, "velo.mp4")).exists()).toBe(true);
  expect(await reelwright("film")).toMatchObject({ exitCode: 2 });
});

test("the command line sends a film to a destination by its name", async () => {
  const { id: projectId } = await unwrap(client.api.projects.$post({ json: { name: "Sent" } }));
  const shelf = { type: "s3" as const, bucket: "films", accessKeyId: "key", secretAccessKey: "a secret access key" };
  const route = client.api.projects[":projectId"].destinations[":destination"];
  await unwrap(route.$put({ param: { projectId, destination: "shelf" }, json: shelf }));
  const film = ["film", "Velo Nord", "--project", projectId, "--stop-at", "scenario", "--detach"];
  const { output, exitCode } = await reelwright(...film, "--to", "shelf");
  expect([exitCode, output.trim()]).toEqual([0, expect.stringMatching(/^film_/)]);
  const stored = await service.services.films.find(projectId, output.trim());
  expect(stored?.destinations).toMatchObject([{ type: "s3", destination: "shelf" }]);
  const missing = await reelwright(...film, "--to", "nowhere");
  expect(missing).toMatchObject({ exitCode: expect.any(Number), output: "" });
  expect(missing.exitCode).not.toBe(0);
});

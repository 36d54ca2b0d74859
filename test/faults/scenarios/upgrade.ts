import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { filmPrices, filmProvider, paidKinds } from "../../support/models/film-provider.ts";
import { allFilmKeys, type Json, paidOrder } from "../../support/paid-films.ts";
import { jsonInit } from "../../support/service.ts";

type Service = { readonly url: string; readonly child: Bun.Subprocess };

const firstPort = Number(process.env.FIRST_PORT ?? 4480);

/**
 * Films of an older version, whose checkout FAULTS_OLD names, on the server that TEST_DATABASE_URL names: one is done, one
 * waits for its owner, one for its provider, and one is killed in the middle. The newer version starts beside the older one,
 * both make films, the older one is killed, and the newer one goes on. True if all are made, and nothing was paid twice but
 * what was unknown.
 */
export async function upgradedFilms(): Promise<boolean> {
  const { TEST_DATABASE_URL: serverUrl, FAULTS_OLD: old } = process.env;
  if (!serverUrl || !old) throw new Error("TEST_DATABASE_URL and FAULTS_OLD must be set.");
  const folder = await mkdtemp(join(tmpdir(), "reelwright-upgrade-"));
  const name = `upgrade_${crypto.randomUUID().replaceAll("-", "")}`;
  const admin = new Client({ connectionString: serverUrl });
  await admin.connect();
  await admin.query(`create database ${name}`);
  await Bun.write(join(folder, "prices.json"), JSON.stringify(filmPrices));
  const provider = await filmProvider();
  const running: Service[] = [];
  const start = async (root: string, at: number): Promise<Service> => {
    const url = `http://127.0.0.1:${firstPort + at}`;
    const { PATH = "", HOME = "", FFMPEG_PATH = "" } = process.env;
    const env = {
      ...{ PATH, HOME, FFMPEG_PATH, DATA_DIR: join(folder, "data"), RATE_LIMIT: "off", PORT: `${firstPort + at}` },
      ...provider.settingsFor(),
      ...{ PRICES_FILE: join(folder, "prices.json"), JWT_SECRET: "a secret that both versions share, in 32 bytes" },
      DATABASE_URL: Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href,
    };
    const out = Bun.file(join(folder, `log-${at}`));
    const child = Bun.spawn([process.execPath, join(root, "src/main.ts")], {
      cwd: root,
      env,
      stdout: out,
      stderr: out,
    });
    running.push({ url, child });
    while (!(await fetch(`${url}/api/ready`).catch(() => undefined))?.ok) {
      if (child.exitCode !== null) throw new Error(await out.text());
      await Bun.sleep(200);
    }
    return { url, child };
  };

  let token = "";
  const call = async ({ url }: Service, method: string, path: string, body?: unknown): Promise<Json> => {
    const init = jsonInit(method, body, { ...allFilmKeys, ...(token && { authorization: `Bearer ${token}` }) });
    const response = await fetch(url + path, init);
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    return await response.json();
  };
  const until = async (service: Service, path: string, isReached: (film: Json) => boolean): Promise<Json> => {
    for (;;) {
      const film = await call(service, "GET", path);
      if (isReached(film)) return film;
      await Bun.sleep(200);
    }
  };
  const rests = ({ status, waitingFor }: Json) => !["queued", "running"].includes(status) && waitingFor !== "provider";

  try {
    const before = await start(old, 0);
    token = (
      await call(before, "POST", "/api/auth/register", {
        email: "a@b.example",
        password: "a good long password",
        name: "A",
      })
    ).accessToken;
    const { id: projectId } = await call(before, "POST", "/api/projects", { name: "Cups" });
    const base = `/api/projects/${projectId}/films`;
    const order = async (service: Service, more: object = {}): Promise<string> =>
      `${base}/${(await call(service, "POST", base, { ...paidOrder, fresh: true, ...more })).id}`;

    const done = await order(before);
    await until(before, done, rests);
    const approval = await order(before, { stopAt: ["scenario"] });
    await until(before, approval, rests);
    provider.answer = (kind) => (kind === "image" ? Response.json({}, { status: 503 }) : undefined);
    const away = await order(before);
    await until(before, away, ({ waitingFor }) => waitingFor === "provider");
    const refused = provider.counts().image - 3;
    // a clip is being made, and pictures are drawn, when the older version dies
    provider.reset();
    provider.poll = async () => Response.json({ id: "v1_job", status: "in_progress" });
    const polled = await order(before);
    await until(before, polled, ({ steps }) =>
      steps.some(({ kind, status }: Json) => kind === "video" && status === "running"),
    );
    provider.answer = (kind) => (kind === "image" ? new Promise<undefined>(() => {}) : undefined);
    const drawnBefore = provider.counts().image;
    const drawn = await order(before);
    while (provider.counts().image < drawnBefore + 3) await Bun.sleep(100);

    const after = await start(join(import.meta.dir, "../../.."), 1);
    const beside = [await order(before, { stopAt: ["scenario"] }), await order(after, { stopAt: ["scenario"] })];
    for (const [at, path] of beside.entries()) {
      await until(after, path, rests);
      // each goes on where the other one was ordered
      await call(at === 0 ? after : before, "POST", `${path}/approve`);
    }
    before.child.kill("SIGKILL");
    await before.child.exited;
    provider.reset();
    await call(after, "POST", `${approval}/approve`);
    const all = { done, approval, away, polled, drawn, "ordered before": beside[0]!, "ordered after": beside[1]! };
    let unknown = 0;
    const ended: Json[] = [];
    for (const [title, path] of Object.entries(all)) {
      let film = await until(after, path, rests);
      while (film.waitingFor === "step") {
        const steps = film.steps.filter(({ status }: Json) => status === "unknown");
        if (steps.length === 0) break;
        unknown += steps.length;
        for (const { id } of steps) await call(after, "POST", `${path}/steps/${id}/retry`);
        film = await until(after, path, rests);
      }
      console.log(`${film.status} ${title}, spent ${film.spent.amount} ${film.waitingReason ?? ""}`);
      ended.push(film);
    }
    const counts = provider.counts();
    const steps = (wanted: string) =>
      ended.flatMap((film) => film.steps).filter(({ kind }: Json) => kind === wanted).length;
    const unpaid = { image: refused };
    const again = paidKinds.map(
      (kind) => [kind, counts[kind] - steps(kind) - (kind === "image" ? unpaid.image : 0)] as const,
    );
    const spend = await call(after, "GET", "/api/spend?groupBy=film");
    const ofFilms = ended.reduce((sum, film) => sum + Math.round(Number(film.spent.amount) * 1e6), 0);
    console.log(`again ${again.map((each) => each.join(" ")).join(", ")}; unknown ${unknown}`);
    console.log(
      `settled ${spend.total}, films ${ofFilms / 1e6}, provider ${provider.billed()}, unknown ${spend.unknown}`,
    );
    return (
      ended.every(({ status }) => status === "done") &&
      again.reduce((sum, [, count]) => sum + count, 0) <= unknown &&
      Math.round(Number(spend.total) * 1e6) === ofFilms
    );
  } finally {
    for (const { child } of running) child.kill("SIGKILL");
    await Promise.all(running.map(({ child }) => child.exited));
    await provider.stop();
    await admin.query(`drop database ${name} with (force)`);
    await admin.end();
    await rm(folder, { recursive: true, force: true });
  }
}

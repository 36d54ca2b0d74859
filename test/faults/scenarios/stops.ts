import { connect, type Socket } from "node:net";
import type { ServiceName } from "../cluster/services.ts";
import { exportFilm } from "../load/user.ts";
import type { Running } from "./run.ts";

const maxStopSeconds = 10;
const maxSecondSignalSeconds = 1;

/** What keeps a process from stopping. Returns what ends it, and the violations that it saw. */
type Work = (running: Running) => Promise<() => Promise<readonly string[]>>;

const nothing: Work = async () => async () => [];

/** An upload that sends a byte now and then, and never ends. */
const upload: Work = async ({ load, cluster }) => {
  const { projectId, user } = load.actors[0]!;
  const socket = await openSocket(cluster.services.urlOf("api-1"));
  const head = [
    `POST /api/projects/${projectId}/assets HTTP/1.1`,
    "Host: x",
    `Authorization: ${user.authorization.authorization}`,
    "Content-Type: multipart/form-data; boundary=b",
    "Content-Length: 1000000",
  ];
  socket.write(
    `${head.join("\r\n")}\r\n\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n`,
  );
  const drip = setInterval(() => socket.write("x".repeat(2000)), 200);
  await Bun.sleep(500);
  return async () => {
    clearInterval(drip);
    socket.destroy();
    return [];
  };
};

/** A client that has asked for a film and does not read it. */
const download: Work = async ({ load, cluster }) => {
  const order = load.ledger.orders.find(({ status, isRemoved }) => status === "done" && !isRemoved);
  if (!order) return async () => ["no film to download"];
  const socket = await openSocket(cluster.services.urlOf("api-1"));
  socket.pause();
  const { authorization } = order.user.authorization;
  socket.write(`GET /api/exports/${order.id}/file HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`);
  await Bun.sleep(300);
  return async () => {
    socket.destroy();
    return [];
  };
};

/** Waits for a film that takes longer than the stop, without a key. */
const longFilm: Work = async ({ load, cluster }) => {
  const { user, projectId, workId } = load.actors[0]!;
  const clips = Array.from({ length: 150 }, (_, at) => ({ sceneIndex: 0, position: at * 4, end: at * 4 + 4 }));
  const options = { width: 1080, height: 1920, fps: 30 };
  const response = fetch(`${cluster.services.urlOf("api-1")}/api/export`, {
    method: "POST",
    headers: { ...user.authorization, "content-type": "application/json" },
    body: JSON.stringify({ projectId, workId, clips, options }),
  }).then(
    ({ status, headers }) => `${status} ${headers.get("retry-after")}`,
    () => "lost",
  );
  await Bun.sleep(1_500);
  return async () => {
    const result = await response;
    return result === "503 1" ? [] : [`a film that was waited for without a key: ${result}`];
  };
};

/** Follows the events of a film that is being rendered. */
const events: Work = async ({ load, cluster }) => {
  const { user, projectId, workId } = load.actors[0]!;
  const url = cluster.services.urlOf("api-1");
  const clips = Array.from({ length: 40 }, (_, at) => ({ sceneIndex: 0, position: at * 4, end: at * 4 + 4 }));
  const created = await fetch(`${url}/api/exports`, {
    method: "POST",
    headers: { ...user.authorization, "content-type": "application/json" },
    body: JSON.stringify({ projectId, workId, clips, options: { width: 540, height: 960, fps: 30 } }),
  });
  const { id } = await created.json();
  const stream = await fetch(`${url}/api/exports/${id}/events`, { headers: user.authorization });
  const text = stream.text().catch(() => "lost");
  return async () => {
    await fetch(`${cluster.services.urlOf("api-2")}/api/exports/${id}`, {
      method: "DELETE",
      headers: user.authorization,
    });
    return (await text) === "lost" ? ["an event stream was cut"] : [];
  };
};

const frozenDatabase: Work = async ({ cluster }) => {
  await cluster.postgres.freeze();
  await Bun.sleep(1_000);
  return async () => {
    await cluster.postgres.thaw();
    return [];
  };
};

const frozenStore: Work = async ({ cluster }) => {
  cluster.store.freeze();
  await Bun.sleep(1_000);
  return async () => {
    cluster.store.thaw();
    return [];
  };
};

const cases: readonly (readonly [ServiceName, string, Work])[] = [
  ["api-1", "nothing", nothing],
  ["api-1", "an upload", upload],
  ["api-1", "a download", download],
  ["api-1", "a wait for a long film", longFilm],
  ["api-1", "an event stream", events],
  ["api-1", "a frozen database", frozenDatabase],
  ["api-1", "a frozen store", frozenStore],
  ["worker-1", "nothing", nothing],
  ["worker-1", "the load's exports", nothing],
  ["worker-1", "a frozen database", frozenDatabase],
  ["worker-1", "a frozen store", frozenStore],
];

/** Stops a process in the middle of everything that could hold it, with one signal and with two. */
export async function stops(running: Running): Promise<readonly string[]> {
  const { cluster, load, log } = running;
  const found: string[] = [];
  await exportFilm(load.actors[0]!);
  for (const [name, what, work] of cases) {
    const end = await work(running);
    const { seconds, code } = await cluster.services.stop(name);
    const seen = await end();
    log(`${name} with ${what}: ended after ${seconds.toFixed(2)} s with ${code}`);
    if (seconds > maxStopSeconds || code !== 0) found.push(`${name} with ${what}: ${seconds} s, ${code}`);
    found.push(...seen);
    await cluster.services.start(name);
  }
  const end = await upload(running);
  cluster.services.signal("api-1", "SIGTERM");
  await Bun.sleep(500);
  const { seconds } = await cluster.services.stop("api-1");
  await end();
  log(`api-1 with an upload: ended ${seconds.toFixed(2)} s after the second signal`);
  if (seconds > maxSecondSignalSeconds) found.push(`the second signal took ${seconds} s`);
  await cluster.services.start("api-1");
  return found;
}

function openSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => resolve(socket));
    socket.once("error", reject);
    // after the connection, errors are what a stop causes
    socket.on("error", () => {});
  });
}

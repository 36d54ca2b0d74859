import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startService } from "../../scripts/demo/service.ts";
import { parseMetrics } from "../support/metrics-text.ts";
import { registerOn, type TestUser } from "../support/service.ts";
import { png } from "../support/uploads.ts";
import { newWork, requireJson } from "../support/work-videos.ts";
import { blended, longPaths, maskedLayers, movingTexts, nested } from "./attack-layers.ts";
import { type Figure, report } from "./figures.ts";
import { measureLoad } from "./http-load.ts";
import { cpuSeconds, measurePeakMemory } from "./measure.ts";

/**
 * Measures what one user can do to another: the response times of a GET of Bob beside each attack of Ann, the CPU time of
 * the service for each of her requests, how long its answering thread was blocked at most, and its memory. Response times
 * say something on a quiet machine only; CPU times and blocks do on any.
 */
const attackSeconds = 6;
const pauseMs = 20;
const folder = await mkdtemp(join(tmpdir(), "reelwright-bench-"));
const metricsToken = "a-token-of-the-bench";
const service = await startService(join(folder, "data"), { METRICS_TOKEN: metricsToken });
const { url, pid } = service;
const register = (name: string) => registerOn((path, init) => fetch(`${url}${path}`, init), name);

type Attack = {
  /** Requests that are sent at once, again and again. */
  readonly requests: number;
  readonly send: () => Promise<unknown>;
  /** By status. */
  readonly answers?: Map<number, number>;
};

try {
  const bob = await register("Bob");
  const { base } = await newWork(bob);
  const probe = `GET ${base} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${bob.accessToken}\r\n\r\n`;
  const figures: Figure[] = [];
  for (const name of (await attacksOf(await register("Ann"))).keys()) {
    // another one each time: a user has 6,000 requests a minute
    const attack = (await attacksOf(await register("Ann"))).get(name);
    // the first one compiles the code
    await attack?.send();
    await lagSinceLast();
    figures.push(...(await measure(name, probe, attack)));
    await Bun.sleep(1000);
  }
  report(figures);
} finally {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
}
process.exit();

async function measure(name: string, probe: string, attack: Attack | undefined): Promise<readonly Figure[]> {
  let isOver = false;
  let sent = 0;
  const before = cpuSeconds(pid).own;
  const attacking = async () => {
    while (attack && !isOver) {
      await attack.send();
      sent += attack.requests;
    }
  };
  const load = measureLoad({ url, connections: 1, seconds: attackSeconds, pauseMs, requests: [probe] }).finally(() => {
    isOver = true;
  });
  const memory = await measurePeakMemory(pid, () => Promise.all([load, attacking()]));
  const { median, p99, worst } = await load;
  const milliseconds = ((cpuSeconds(pid).own - before) * 1000) / sent;
  const lag = await lagSinceLast();
  const times = `${p99.toFixed(0)} ms (median ${median.toFixed(0)}, worst ${worst.toFixed(0)})`;
  const answers = [...(attack?.answers ?? [])].map(([status, count]) => `${status}: ${count}`).join(", ");
  return [
    { figure: `p99 of another user's GET ${name}`, measured: times, goal: attack ? "<= 250 ms" : "" },
    { figure: "  longest block of the answering thread", measured: `${(lag * 1000).toFixed(0)} ms`, goal: "" },
    ...(attack
      ? [
          {
            figure: `  CPU of the service for each request (${answers})`,
            measured: `${milliseconds.toFixed(1)} ms`,
            goal: "",
          },
          { figure: "  memory above that before", measured: `${memory.toFixed(0)} MB`, goal: "<= 600 MB" },
        ]
      : []),
  ];
}

/** How late a timer of the service fired at most since the last call, in seconds. */
async function lagSinceLast(): Promise<number> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } });
  const lags = parseMetrics(await response.text()).filter(
    ({ name }) => name === "reelwright_event_loop_lag_max_seconds",
  );
  return lags[0]?.value ?? Number.NaN;
}

/** Each request is within the bounds, or refused quickly: both are answers. */
async function attacksOf(ann: TestUser): Promise<ReadonlyMap<string, Attack | undefined>> {
  const { projectId, workId, base, image } = await newWork(ann);
  await image(0, png(64, 36));
  const film = {
    projectId,
    workId,
    clips: [{ sceneIndex: 0, position: 0, end: 0.1 }],
    options: { width: 64, height: 36 },
  };
  const { id } = await requireJson(ann.json("POST", "/api/exports", film));
  while ((await requireJson(ann.request(`/api/exports/${id}`))).status !== "done") await Bun.sleep(50);

  const atOnce = (requests: number, one: () => Response | Promise<Response>): Attack => {
    const answers = new Map<number, number>();
    const send = async () => {
      const response = await one();
      answers.set(response.status, (answers.get(response.status) ?? 0) + 1);
      await response.arrayBuffer();
    };
    return { requests, answers, send: () => Promise.all(Array.from({ length: requests }, send)) };
  };
  const tool = (method: string, params: object = {}) =>
    atOnce(99, () =>
      ann.json(
        "POST",
        "/mcp",
        { jsonrpc: "2.0", id: 1, method, params },
        { accept: "application/json, text/event-stream" },
      ),
    );
  const cue = (at: number) => `00:${`${Math.floor(at / 60)}`.padStart(2, "0")}:${`${at % 60}`.padStart(2, "0")}`;
  const cues = Array.from(
    { length: 3_500 },
    (_, at) => `${cue(at)}.000 --> ${cue(at)}.900 align:start line:10%\nWords\n`,
  );
  const captions = { vtt: `WEBVTT\n\n${cues.join("\n")}` };
  const layered = (layers: readonly object[], options = film.options) => ({ ...film, options, layers });
  const validation = (layers: readonly object[]) =>
    atOnce(8, () => ann.json("POST", "/api/export/validate", layered(layers)));
  const frame = (layers: readonly object[], options?: typeof film.options) =>
    atOnce(4, () => ann.json("POST", "/api/export/frame?t=0.05", layered(layers, options)));
  const large4k = { width: 4096, height: 4096 };
  const objects = { editorState: { k: Array.from({ length: 188_000 }, () => ({})) } };
  const large = { email: "ann@example.com", password: "x".repeat(4_000_000) };
  return new Map<string, Attack | undefined>([
    ["while idle", undefined],
    ["beside 99 tools/list at once", tool("tools/list")],
    ["beside 99 readings of the reference", tool("resources/read", { uri: "reelwright://reference" })],
    ["beside 99 calls of a tool", tool("tools/call", { name: "projects_list", arguments: {} })],
    ["beside 8 caption files of 3,500 cues", atOnce(8, () => ann.json("POST", "/api/captions", { ...film, captions }))],
    ["beside 40 logins of 4 MB", atOnce(40, () => ann.json("POST", "/api/auth/login", large))],
    ["beside 260 slow logins", { requests: 260, send: slowLogins }],
    ["beside 1,000 event streams of an ended export", atOnce(1_000, () => ann.request(`/api/exports/${id}/events`))],
    ["beside 8 validations of 200 texts in motion", validation(movingTexts(200))],
    ["beside 8 validations of nested groups", validation([nested(4, 4)])],
    ["beside 8 validations of masks in a chain", validation(maskedLayers(500))],
    ["beside 8 validations of long paths", validation(longPaths(30))],
    ["beside 4 frames of 400 letters in motion each on 12 layers", frame(movingTexts(12))],
    ["beside 4 frames of long paths", frame(longPaths(30))],
    ["beside 4 frames of blended and blurred layers of 4096×4096", frame(blended(2), large4k)],
    ["beside 4 frames of more of them than allowed", frame(blended(40), large4k)],
    ["beside works of 188,000 objects", atOnce(4, () => ann.json("PUT", base, objects))],
  ]);
}

/** Each sends the head of a login and one byte, and stays for two seconds. Bob logs in beside them. */
async function slowLogins(): Promise<void> {
  const { hostname, port } = new URL(url);
  const head =
    "POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9000\r\n\r\n{";
  const sockets = Array.from({ length: 260 }, () => {
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {});
    socket.write(head);
    return socket;
  });
  await Bun.sleep(2_000);
  const login = await registerOn((path, init) => fetch(`${url}${path}`, init), "Late").catch((error) => error);
  for (const socket of sockets) socket.destroy();
  if (login instanceof Error) throw login;
}

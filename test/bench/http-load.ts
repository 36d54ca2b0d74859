import { connect, type Socket } from "bun";
import { cpuSeconds } from "./measure.ts";

/** What the load process reads as JSON. `requests` are whole HTTP/1.1 messages, which the connections send in turn. */
type Load = {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  readonly requests: readonly string[];
  /** Between a response and the next request. */
  readonly pauseMs?: number;
};

/** Times in milliseconds; `cpu` are the seconds of the load process itself. */
export type LoadResult = {
  readonly perSecond: number;
  readonly median: number;
  readonly p99: number;
  readonly worst: number;
  readonly failed: number;
  readonly cpu: number;
};

/** Keeps one request in flight on each connection, from a process of its own. Throws if a response is no success. */
export async function measureLoad(load: Load): Promise<LoadResult> {
  const child = Bun.spawn([process.execPath, import.meta.path], {
    stdin: new Blob([JSON.stringify(load)]),
    stdout: "pipe",
    stderr: "inherit",
  });
  // safe because it is what this script prints
  const result = (await new Response(child.stdout).json()) as LoadResult;
  if (result.failed > 0) throw new Error(`${result.failed} requests to ${load.url} failed.`);
  return result;
}

/** `missing` are the bytes of the response that are still to come; 0 before its head. */
type Connection = { sentAt: number; missing: number; head: Buffer };

const noBytes = Buffer.alloc(0);

async function run({ url, connections, seconds, requests, pauseMs }: Load): Promise<LoadResult> {
  const messages = requests.map((request) => Buffer.from(request));
  const times: number[] = [];
  let failed = 0;
  let sent = 0;
  let isOver = false;

  const send = (socket: Socket<Connection>) => {
    socket.data = { sentAt: performance.now(), missing: 0, head: noBytes };
    socket.write(messages[sent++ % messages.length]!);
  };
  const receive = (socket: Socket<Connection>, chunk: Buffer) => {
    const connection = socket.data;
    if (connection.missing > 0) connection.missing -= chunk.length;
    else if (!readHead(connection, chunk)) return;
    if (connection.missing > 0 || isOver) return;
    times.push(performance.now() - connection.sentAt);
    if (!connection.head.toString("latin1", 9, 10).startsWith("2")) failed++;
    if (pauseMs === undefined) send(socket);
    else setTimeout(() => isOver || send(socket), pauseMs);
  };
  const lose = () => {
    if (!isOver) failed++;
  };

  const { hostname, port } = new URL(url);
  const data: Connection = { sentAt: 0, missing: 0, head: noBytes };
  const socket = { data: receive, error: lose, close: lose };
  const open = () => connect<Connection>({ hostname, port: Number(port), socket, data });
  const sockets = await Promise.all(Array.from({ length: connections }, open));
  const startedAt = performance.now();
  for (const opened of sockets) send(opened);
  await Bun.sleep(seconds * 1000);
  isOver = true;
  const perSecond = times.length / ((performance.now() - startedAt) / 1000);

  const sorted = times.toSorted((a, b) => a - b);
  const percentile = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  const [median, p99, worst] = [percentile(0.5), percentile(0.99), percentile(1)];
  return { perSecond, median, p99, worst, failed, cpu: cpuSeconds().own };
}

/** False until the head is complete; then it also sets the bytes that are missing. Responses have a Content-Length. */
function readHead(connection: Connection, chunk: Buffer): boolean {
  connection.head = Buffer.concat([connection.head, chunk]);
  const end = connection.head.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const [, length] = /^content-length: (\d+)/im.exec(connection.head.toString("latin1", 0, end)) ?? [];
  connection.missing = Number(length) - (connection.head.length - end - 4);
  return true;
}

if (import.meta.main) {
  // safe because measureLoad wrote it
  console.log(JSON.stringify(await run((await Bun.stdin.json()) as Load)));
  process.exit();
}

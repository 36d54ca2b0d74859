import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const nginx = Bun.which("nginx") ?? Bun.which("nginx", { PATH: "/usr/sbin" });
const config = join(import.meta.dir, "../../deploy/nginx.conf");

let folder = "";
let url = "";
let front: Bun.Subprocess | undefined;
/** Methods of the requests that reached the process that answers, and the one that dies. */
const answered: string[] = [];
const died: string[] = [];
let latest = new Headers();

const answering = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    answered.push(request.method);
    latest = request.headers;
    await request.arrayBuffer();
    return new Response("ok");
  },
});
/** Reads a request and closes the connection without a response. */
const dying = Bun.listen({
  hostname: "127.0.0.1",
  port: 0,
  socket: {
    data(socket, data) {
      died.push(data.toString().split(" ")[0]!);
      socket.end();
    },
  },
});

const freePort = () => {
  const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  server.stop(true);
  return server.port;
};

beforeAll(async () => {
  if (!nginx) return;
  folder = await mkdtemp(join(tmpdir(), "reelwright-front-"));
  const port = freePort();
  url = `http://127.0.0.1:${port}`;
  const text = (await readFile(config, "utf8")).replace("listen 8080", `listen 127.0.0.1:${port}`);
  await Bun.write(join(folder, "nginx.conf"), text);
  // fails never, so that every second request meets the process that dies
  const servers = [answering.port, dying.port].map((port) => `server 127.0.0.1:${port} max_fails=0;\n`);
  await Bun.write(join(folder, "upstream.conf"), servers.join(""));
  front = Bun.spawn([nginx, "-p", folder, "-c", join(folder, "nginx.conf"), "-g", "daemon off;"], { stderr: "ignore" });
  for (;;) {
    const isUp = await fetch(`${url}/metrics`).then(
      () => true,
      () => false,
    );
    if (isUp || front.exitCode !== null) break;
  }
});

beforeEach(() => {
  answered.length = 0;
  died.length = 0;
});

afterAll(async () => {
  front?.kill();
  await front?.exited;
  await answering.stop(true);
  dying.stop(true);
  if (folder) await rm(folder, { recursive: true });
});

/** The statuses of eight requests, half of which meet the process that dies first. */
const statusesOf = async (method: string, body?: string) =>
  await Promise.all(
    Array.from({ length: 8 }, async () => (await fetch(`${url}/api/x?token=secret`, { method, body })).status),
  );

const inFront = test.skipIf(!nginx);

inFront("a request that may be repeated is answered by another process", async () => {
  expect(new Set(await statusesOf("GET"))).toEqual(new Set([200]));
  expect(answered).toHaveLength(8);
  expect(died.length).toBeGreaterThan(0);
});

inFront.each(["POST", "PATCH"])("%s is never sent twice, and gets 503 when its process dies", async (method) => {
  const statuses = await statusesOf(method, "body");
  expect(answered.length + died.length).toBe(8);
  expect(died.length).toBeGreaterThan(0);
  expect(statuses.filter((status) => status === 503)).toHaveLength(died.length);
});

inFront("what a client claims about itself is dropped", async () => {
  const claims = {
    "x-forwarded-for": "6.6.6.6",
    "x-forwarded-proto": "https",
    "x-real-ip": "6.6.6.6",
    forwarded: "for=6.6.6.6",
  };
  await fetch(`${url}/api/x`, { headers: { ...claims, "x-forwarded-host": "evil.example" } });
  expect(latest.get("x-forwarded-for")).toBe("127.0.0.1");
  expect(latest.get("x-forwarded-proto")).toBe("http");
  expect(latest.get("host")).toBe(new URL(url).host);
  expect([...latest.values()].join(" ")).not.toMatch(/6\.6\.6\.6|evil/);
});

inFront("an error of the front has the form of the service's errors", async () => {
  const responses = await Promise.all(Array.from({ length: 4 }, () => fetch(`${url}/api/x`, { method: "POST" })));
  const failed = responses.find(({ status }) => status === 503)!;
  expect(failed.headers.get("retry-after")).toBe("2");
  const { code, requestId } = (await failed.json()) as { code: string; requestId: string };
  expect(code).toBe("unavailable");
  expect(failed.headers.get("x-request-id")).toBe(requestId);
});

inFront("figures of a process are not for strangers", async () => {
  const response = await fetch(`${url}/metrics`);
  expect(response.status).toBe(404);
  expect(answered).toEqual([]);
});

inFront("a request of HTTP/1.0 without a host is answered", async () => {
  const answer = await new Promise<string>((resolve, reject) => {
    let text = "";
    const socket: Socket = connect(Number(new URL(url).port), "127.0.0.1", () =>
      socket.write("GET /api/x HTTP/1.0\r\n\r\n"),
    );
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("end", () => resolve(text));
    socket.on("error", reject);
  });
  expect(answer).toStartWith("HTTP/1.1 200");
});

inFront("no log holds the query of a URL, nor the secret of a review link", async () => {
  await statusesOf("POST", "body");
  for (const path of ["/api/reviews/a-secret/file", "/studio/review/a-secret", "/api/works/x/reviews/review_0"]) {
    await fetch(url + path, { method: "DELETE" });
  }
  // a line is written after the response was sent; once it ends, all are
  front?.kill("SIGQUIT");
  await front?.exited;
  const logs = await Promise.all(["access.log", "error.log"].map((name) => readFile(join(folder, name), "utf8")));
  for (const path of ["/api/x", "/api/reviews/-/file", "/studio/review/-", "/api/works/x/reviews/review_0"]) {
    expect(logs[0]).toContain(`"path":"${path}"`);
  }
  expect(logs.join("")).not.toContain("secret");
});

import { afterAll, beforeEach, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { textOf } from "../support/child-processes.ts";
import { builtCommandLine } from "../support/client-package.ts";
import { callTool } from "../support/mcp-clients.ts";
import { controlledRenderer } from "../support/media/controlled-renderer.ts";
import { temporaryFolder } from "../support/media/ffmpeg.ts";
import { testService } from "../support/service.ts";
import { listen } from "../support/uploads.ts";
import { newFilm } from "../support/work-videos.ts";

const { renderer, next: nextRendering, reset } = controlledRenderer();
const service = await testService({}, undefined, (services) => ({ renderer: renderer(services) }));
const server = listen(service);
const folder = await temporaryFolder();
const bin = await builtCommandLine(folder);
const ann = await service.register("Ann");
const { request } = await newFilm(ann, folder);
const start = { name: "export_start", arguments: { ...request, waitSeconds: 50 } };

beforeEach(reset);
afterAll(async () => {
  server.stop();
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const environment = (token: string) => ({
  PATH: process.env.PATH ?? "",
  HOME: folder,
  REELWRIGHT_URL: server.url,
  REELWRIGHT_TOKEN: token,
});
const program = { command: "node", args: [bin, "mcp"], env: environment(ann.accessToken), stderr: "pipe" as const };
const identity = { name: "test", version: "1" };

async function newClient() {
  const client = new Client(identity, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StdioClientTransport(program));
  return client;
}

async function firstClient() {
  const client = new FirstClient(identity);
  await client.connect(new FirstTransport(program));
  return client;
}

test("a client of 2026-07-28 calls tools with progress, and cancels at once", async () => {
  const client = await newClient();
  expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28");
  expect((await callTool(client, "projects_list")).projects).toHaveLength(1);

  const rendering = nextRendering();
  const reported = Promise.withResolvers<number>();
  const call = client.callTool(start, { onprogress: ({ progress }) => reported.resolve(progress) });
  const film = await rendering;
  expect(await reported.promise).toBe(0);
  await film.finish();
  expect((await call).structuredContent).toMatchObject({ status: "done" });

  const second = nextRendering();
  const cancel = new AbortController();
  const cancelled = client.callTool(start, { signal: cancel.signal });
  const { signal } = await second;
  const ended = new Promise((resolve) => signal.addEventListener("abort", resolve));
  cancel.abort();
  await expect(cancelled).rejects.toThrow();
  await ended;
  await client.close();
});

test("a client of SDK version 1 does the same by its older protocol", async () => {
  const client = await firstClient();
  expect((await client.listTools()).tools.length).toBeGreaterThan(30);
  expect((await callTool(client as unknown as Client, "projects_list")).projects).toHaveLength(1);

  const rendering = nextRendering();
  const cancel = new AbortController();
  const cancelled = client.callTool(start, undefined, { signal: cancel.signal });
  const { signal } = await rendering;
  const ended = new Promise((resolve) => signal.addEventListener("abort", resolve));
  cancel.abort();
  await expect(cancelled).rejects.toThrow();
  await ended;
  await client.close();
});

/** Runs the bridge on these lines until it ends by itself. */
async function bridged(lines: readonly string[], env: Record<string, string>) {
  const child = Bun.spawn(["node", bin, "mcp"], {
    env,
    stdin: new Blob([`${lines.join("\n")}\n`]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, errors, exitCode] = await Promise.all([textOf(child.stdout), textOf(child.stderr), child.exited]);
  const answers = output
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return { answers, errors, exitCode };
}

const ping = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "ping" });

test("broken lines, refused tokens and a service that is away are answers, and the input's end is the bridge's", async () => {
  const own = await bridged(["{", "", ping], environment(ann.accessToken));
  expect(own).toMatchObject({ errors: "", exitCode: 0 });
  expect(own.answers.toSorted((a, b) => (a.id ?? 0) - (b.id ?? 0))).toMatchObject([
    { id: null, error: { code: -32700 } },
    { id: 7, result: {} },
  ]);
  expect((await bridged([ping], environment("rw_wrong"))).answers).toMatchObject([
    { id: 7, error: { message: "Invalid or expired token" } },
  ]);
  const away = { ...environment(ann.accessToken), REELWRIGHT_URL: "http://127.0.0.1:9" };
  expect((await bridged([ping], away)).answers).toMatchObject([
    { id: 7, error: { message: expect.stringContaining("cannot be reached") } },
  ]);
});

test("without a login the bridge ends with one sentence", async () => {
  const { PATH, HOME, REELWRIGHT_URL } = environment("");
  const { answers, errors, exitCode } = await bridged([ping], { PATH, HOME, REELWRIGHT_URL });
  expect({ answers, exitCode }).toEqual({ answers: [], exitCode: 3 });
  expect(errors).toContain('run "reelwright login" first');
});

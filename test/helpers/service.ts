import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DestinationStream, pino } from "pino";
import { createApp } from "../../src/app.ts";
import type { User } from "../../src/domain/auth/users.ts";
import { runExportJob } from "../../src/domain/exports/run.ts";
import { deliverWebhook } from "../../src/domain/exports/webhooks/webhooks.ts";
import type { Services } from "../../src/domain/services.ts";
import { readEnvironment } from "../../src/env.ts";
import { type Ffmpeg, findFfmpeg } from "../../src/media/ffmpeg/ffmpeg.ts";
import { jobQueues } from "../../src/storage/database/job-queue.ts";
import { diskFiles } from "../../src/storage/files/disk-files.ts";
import { createServices, queueRules } from "../../src/wiring.ts";
import { freshDatabase } from "./database.ts";

type Variables = Record<string, string>;
type Answer = Response | Promise<Response>;

export type TestUser = {
  readonly user: User;
  readonly accessToken: string;
  readonly refreshToken: string;
  /** A request with this user's access token. */
  request(path: string, init?: RequestInit): Answer;
  json(method: string, path: string, body?: unknown, headers?: Variables): Answer;
};

let foundFfmpeg: Promise<Ffmpeg> | undefined;

/**
 * The whole service without a port: a fresh database, a folder of its own, every adapter the real one, but for those that
 * `replace` puts in the place of what costs money.
 */
export async function testService(
  variables: Variables = {},
  logTo?: DestinationStream,
  replace: (services: Services) => Partial<Services> = () => ({}),
) {
  const dataDir = await mkdtemp(join(tmpdir(), "reelwright-test-"));
  const env = readEnvironment({
    RATE_LIMIT: "off",
    LOG_LEVEL: process.env.LOG_LEVEL ?? "silent",
    ...variables,
    DATA_DIR: dataDir,
  });
  foundFfmpeg ??= findFfmpeg(process.env.FFMPEG_PATH);
  const [database, files, ffmpeg] = await Promise.all([freshDatabase(), diskFiles(dataDir), foundFfmpeg]);
  const queues = jobQueues(database.queueSource, quickly(queueRules));
  const base = { database, files, ffmpeg, queues, jwtSecret: "a secret that only tests know" };
  const wired = createServices(env, base, "http://localhost");
  const services = { ...wired, ...replace(wired) };
  queues.serve("exports", (exportId, signal) => runExportJob(services, exportId, signal));
  queues.serve("webhooks", (delivery, signal) => deliverWebhook(services, delivery, signal));
  const app = createApp(services, { log: pino({ level: env.LOG_LEVEL }, logTo), corsOrigins: env.CORS_ORIGINS });

  const request = (path: string, init?: RequestInit) => app.request(path, init);
  const register = (name = "Ann") => registerOn(request, name);
  const close = async () => {
    await queues.stop();
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  };
  return { app, services, dataDir, request, register, close };
}

/** What failed is tried again at once. */
const quickly = ({ exports, webhooks }: typeof queueRules) => ({
  exports,
  webhooks: { ...webhooks, lookEverySeconds: 0.5, retries: { most: 5, firstAfterSeconds: 0, longestAfterSeconds: 0 } },
});

export type TestService = Awaited<ReturnType<typeof testService>>;

export const password = "correct horse battery staple";

export async function registerOn(
  request: (path: string, init?: RequestInit) => Answer,
  name: string,
): Promise<TestUser> {
  const email = `${name.toLowerCase().replaceAll(/\W/g, "")}.${crypto.randomUUID()}@example.com`;
  const response = await request("/api/auth/register", jsonInit("POST", { email, password, name }));
  if (response.status !== 201) throw new Error(await response.text());
  const { user, accessToken, refreshToken } = await response.json();

  const asUser = (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    if (!headers.has("authorization")) headers.set("authorization", `Bearer ${accessToken}`);
    return request(path, { ...init, headers });
  };
  const json = (method: string, path: string, body?: unknown, headers: Variables = {}) =>
    asUser(path, jsonInit(method, body, headers));
  return { user, accessToken, refreshToken, request: asUser, json };
}

/** A request with a JSON body, or none when there is nothing to send. */
export const jsonInit = (method: string, body?: unknown, headers: Variables = {}): RequestInit =>
  body === undefined
    ? { method, headers }
    : { method, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) };

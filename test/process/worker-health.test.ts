import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Checks } from "../../src/errors.ts";
import { serveHealth } from "../../src/process/monitoring.ts";

const healthCheck = join(import.meta.dir, "../../scripts/image/health-check.ts");

let folder = "";
let socket = "";
let checks: Checks = { database: "ok" };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "reelwright-health-"));
  socket = join(folder, "health.sock");
  // as a killed process leaves it
  await writeFile(socket, "");
  serveHealth(socket, { readiness: async () => checks });
});

afterAll(() => rm(folder, { recursive: true }));

/** The exit code of the container's health check. */
async function exitCodeWith(variables: Record<string, string>): Promise<number> {
  const { PATH = "" } = process.env;
  const { exited } = Bun.spawn([process.execPath, healthCheck], { env: { PATH, ...variables }, stdout: "ignore" });
  return await exited;
}

const workerSettings = () => ({
  ROLE: "worker",
  HEALTH_SOCKET: socket,
  DATABASE_URL: "postgres://127.0.0.1/none",
  JWT_SECRET: "x".repeat(32),
});

test("a worker answers at its socket, and the health check reads it", async () => {
  checks = { database: "ok" };
  const response = await fetch("http://worker/api/ready", { unix: socket });
  expect(await response.json()).toEqual({ status: "ready", checks });
  expect(await exitCodeWith(workerSettings())).toBe(0);
});

test("a worker without its database is not healthy", async () => {
  checks = { database: "failing" };
  const response = await fetch("http://worker/api/ready", { unix: socket });
  expect(response.status).toBe(503);
  expect(await exitCodeWith(workerSettings())).toBe(1);
});

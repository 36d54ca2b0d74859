import { expect, test } from "bun:test";
import { join } from "node:path";

/** The exit code of the container's health check. */
async function exitCodeWith(variables: Record<string, string>): Promise<number> {
  const program = join(import.meta.dir, "../../scripts/image/health-check.ts");
  const { PATH = "" } = process.env;
  return await Bun.spawn([process.execPath, program], { env: { PATH, ...variables }, stdout: "ignore" }).exited;
}

test("a worker that is gone is not healthy", async () => {
  const settings = { ROLE: "worker", DATABASE_URL: "postgres://127.0.0.1/none", JWT_SECRET: "x".repeat(32) };
  expect(await exitCodeWith({ ...settings, HEALTH_SOCKET: "/none/health.sock" })).toBe(1);
});

test("other roles are asked at PORT", async () => {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("ready") });
  const settings = { PORT: `${server.port}`, HOST: "0.0.0.0" };
  expect(await exitCodeWith(settings)).toBe(0);
  await server.stop(true);
  expect(await exitCodeWith(settings)).toBe(1);
});

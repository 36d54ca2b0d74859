import { expect, test } from "bun:test";
import { readEnvironment } from "../../src/env.ts";
import { openPort } from "../../src/process/listen.ts";
import { serveMetrics } from "../../src/process/monitoring.ts";
import { openResources } from "../../src/process/resources.ts";
import { openTelemetry } from "../../src/process/telemetry.ts";

const fetch = () => new Response();

test("an address that is not of this machine is refused in one line", () => {
  expect(() => openPort({ port: 0, hostname: "192.0.2.1", fetch }, "PORT")).toThrow(
    /^Cannot listen on 192\.0\.2\.1:0: is HOST an address of this machine\?$/,
  );
});

test("a port for the metrics that is in use is refused in one line", async () => {
  const other = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch });
  const env = readEnvironment({ METRICS_PORT: `${other.port}` });
  const services = { readiness: async () => ({}) };
  const telemetry = await openTelemetry(env);
  expect(() => serveMetrics(env, { telemetry }, services)).toThrow(
    `Cannot listen on 127.0.0.1:${other.port}: is another process there? Choose another METRICS_PORT.`,
  );
  await other.stop(true);
});

test("a data folder that cannot be created is refused in one line", async () => {
  await expect(openResources(readEnvironment({ DATA_DIR: "/dev/null/data" }))).rejects.toThrow(
    /^The folder of DATA_DIR, [^\n]+$/,
  );
});

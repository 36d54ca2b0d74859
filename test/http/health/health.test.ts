import { expect, test } from "bun:test";
import { rename } from "node:fs/promises";
import { sharedService } from "../../support/service.ts";

const service = await sharedService();

const ready = async () => {
  const response = await service.request("/api/ready");
  const { requestId: _, ...body } = await response.json();
  return { status: response.status, retryAfter: response.headers.get("retry-after"), body };
};

const allOk = { database: "ok", storage: "ok", disk: "ok", ffmpeg: "ok", queue: "ok" };

/** Runs `use` without the folder of temporary files. */
async function withoutStorage(use: () => Promise<void>) {
  const [folder, elsewhere] = [`${service.dataDir}/tmp`, `${service.dataDir}/elsewhere`];
  await rename(folder, elsewhere);
  await use().finally(() => rename(elsewhere, folder));
}

test("the service is not ready while files cannot be written, and ready again at once afterwards", async () => {
  await withoutStorage(async () => {
    expect(await ready()).toEqual({
      status: 503,
      retryAfter: "5",
      body: {
        error: "The service is not ready: storage failed.",
        code: "unavailable",
        checks: { ...allOk, storage: "failing" },
      },
    });
    expect((await service.request("/api/health")).status).toBe(200);
  });
  expect(await ready()).toEqual({ status: 200, retryAfter: null, body: { status: "ready", checks: allOk } });
});

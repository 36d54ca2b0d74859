import { afterAll, expect, test } from "bun:test";
import { exportStates } from "../../../src/storage/changes/states.ts";
import { testService } from "../../support/service.ts";
import { silences, silent } from "./silent-exports.ts";

const service = await testService({}, undefined, (services) => {
  const exports = silent(services.exports);
  return { exports, exportStates: exportStates(exports, services.changes) };
});
afterAll(() => service.close());

test("nobody waits for an unreachable export beyond its life", async () => {
  // no worker reads an export that does not exist
  const expired = { id: `exp_${"0".repeat(32)}`, userId: "user_1", expiresAt: Date.now() };
  silences.set("findState", 1);
  const states = service.services.exportStates.watch(expired, new AbortController().signal, "all");
  await expect(states[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: "unavailable" });
});

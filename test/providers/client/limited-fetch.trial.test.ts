import { expect, test } from "bun:test";
import { limitedFetch } from "../../../src/providers/client/limited-fetch.ts";
import { fakeServer } from "../../support/models/fake-server.ts";

const megabyte = 2 ** 20;

test("a large streamed response does not accumulate garbage", async () => {
  // the engine collects only once garbage equals the live heap, which in the service contains the database
  const alive = new Uint8Array(512 * megabyte).fill(1);
  const block = new Uint8Array(megabyte);
  let remaining = 450;
  const large = new ReadableStream<Uint8Array>({
    pull: (controller) => (remaining-- > 0 ? controller.enqueue(block) : controller.close()),
  });
  const { url, stop } = fakeServer({ "GET /": () => new Response(large) });
  const { body } = await limitedFetch({ maxBytes: 500 * megabyte })(url);

  const before = process.memoryUsage.rss();
  let peak = before;
  for await (const _ of body!) peak = Math.max(peak, process.memoryUsage.rss());
  expect((peak - before) / megabyte).toBeLessThan(96);
  expect(alive.byteLength).toBe(512 * megabyte);
  stop();
});

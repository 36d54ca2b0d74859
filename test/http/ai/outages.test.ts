import { afterAll, beforeEach, expect, test } from "bun:test";
import { serviceWithOutages } from "./part-outages.ts";

const { away, paths, send, madeThrough, payments, reset, close } = await serviceWithOutages();
beforeEach(reset);
afterAll(close);

test.each([
  ["an image is drawn", "image", "database", {}],
  ["an image is drawn apart from its client", "image", "database", { prefer: "respond-async" }],
  ["a video is made", "video", "database", {}],
  ["a voice is spoken", "voice", "database", { prefer: "respond-async" }],
] as const)(
  "without a key, what is paid when %s is stored after an outage, and paid once",
  async (_, what, part, mode) => {
    expect(await madeThrough(part, what, mode)).toEqual({ statuses: [200, 200], payments: 1, refusals: 2 });
  },
);

test("what was not paid yet is refused at once, and nothing is paid", async () => {
  away.database = 1;
  const [path, body] = paths.image;
  const answer = await send(path, body, {});
  expect([answer.status, answer.body.code, payments()]).toEqual([503, "unavailable", 0]);
});

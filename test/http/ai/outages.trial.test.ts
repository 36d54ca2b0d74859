import { afterAll, beforeEach, expect, test } from "bun:test";
import { leases } from "../../../src/storage/tables/leases.ts";
import { workWithScenes } from "../../support/scene-works.ts";
import { serviceWithOutages } from "./part-outages.ts";

const { service, ann, paths, goAway, send, madeThrough, payments, reset, close } = await serviceWithOutages();
beforeEach(reset);
afterAll(close);

test.each([
  ["an image is stored", "image", "store", {}],
  ["a voice is stored", "voice", "store", {}],
] as const)(
  "without a key, what is paid when %s is stored after an outage, and paid once",
  async (_, what, part, mode) => {
    expect(await madeThrough(part, what, mode)).toEqual({ statuses: [200, 200], payments: 1, refusals: 2 });
  },
);

test("without a key, the image of a scene is paid once though the database is away before its video", async () => {
  const { base } = await workWithScenes(ann, { scenes: [{ scene_index: 0, duration_seconds: 4, image_prompt: "A" }] });
  const back = goAway("database", 2, "image");
  const answer = send(`${base}/generate/scene/0`, {}, {});
  // the first attempt left the lock of the scene, which ends in 20 seconds
  await back;
  await service.db.update(leases).set({ leasedUntil: 0 });
  const { status, body } = await answer;
  expect([status, Object.keys(body), payments()]).toEqual([200, ["imageUrl", "videoUrl"], 2]);
});

test.each(["image", "voice"] as const)(
  "with a key, %s whose store was away is answered with the result, and paid once",
  async (what) => {
    const [path, body] = paths[what];
    const headers = { "idempotency-key": crypto.randomUUID() };
    void goAway("store", 2, what);
    const first = await send(path, body, headers);
    const second = await send(path, body, headers);
    expect([first.status, second.status, second.body]).toEqual([200, 200, first.body]);
    expect(payments()).toBe(1);
  },
);

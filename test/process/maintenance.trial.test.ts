import { afterAll, test } from "bun:test";
import { testService } from "../support/service.ts";
import { expectExpiry } from "./expiry.ts";

const service = await testService();
afterAll(() => service.close());

test("more rows than a batch expire at once: all go, and the files of each batch before its rows", async () => {
  await expectExpiry(service, 1_201);
});

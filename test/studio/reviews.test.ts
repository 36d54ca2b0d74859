import { expect, test } from "bun:test";
import { sharedService } from "../support/service.ts";

const service = await sharedService();

test("search engines are told to leave the page of a reviewer, whose address no other page learns", async () => {
  const { headers } = await service.request("/studio/review/0");
  expect([headers.get("x-robots-tag"), headers.get("referrer-policy")]).toEqual(["noindex, nofollow", "no-referrer"]);
});

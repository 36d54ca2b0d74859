import { expect, test } from "bun:test";
import { providerCall, type UsageAmounts } from "../../../src/domain/ai/provider-calls.ts";
import { DomainError } from "../../../src/errors.ts";
import { jsonClient, jsonClientWithScopes } from "../../support/json-client.ts";
import { sharedService, type TestUser } from "../../support/service.ts";

const service = await sharedService();

/** Records one provider call for this user, without a network. */
function recordCall({ user }: TestUser, model: string, run: () => Promise<UsageAmounts>) {
  const call = providerCall(service.services, { user }, new AbortController().signal);
  const target = { provider: "acme", model, purpose: "image" } as const;
  return call.track(target, async () => ({ result: undefined, ...(await run()) }));
}

test("the list has the calls of the caller's own requests, newest first", async () => {
  const ann = await service.register("Ann");
  const bob = await service.register("Bob");
  await recordCall(ann, "first", async () => ({ inputTokens: 7 }));
  await recordCall(bob, "other", async () => ({}));
  const failing = recordCall(ann, "second", () =>
    Promise.reject(new DomainError("content_refused", { provider: "Acme" })),
  );
  await expect(failing).rejects.toThrow();

  const { status, body } = await jsonClient(ann)("GET", "/api/usage");

  const call = { id: expect.stringMatching(/^call_/), provider: "acme", purpose: "image" };
  const when = { createdAt: expect.any(Number), milliseconds: expect.any(Number) };
  expect(status).toBe(200);
  expect(body).toEqual({
    calls: [
      { ...call, ...when, model: "second", outcome: "content_refused" },
      { ...call, ...when, model: "first", outcome: "ok", inputTokens: 7 },
    ],
  });
});

test("each page links to the next, except the last", async () => {
  const ann = await service.register();
  for (const model of ["a", "b", "c"]) await recordCall(ann, model, async () => ({}));

  const first = await jsonClient(ann)("GET", "/api/usage?limit=2");
  const next = /^<(.+)>; rel="next"$/.exec(first.headers.get("link") ?? "")?.[1];
  const second = await jsonClient(ann)("GET", next!);

  const models = ({ body }: typeof first) => body.calls.map(({ model }: { model: string }) => model);
  expect([models(first), models(second)]).toEqual([["c", "b"], ["a"]]);
  expect(second.headers.get("link")).toBeNull();
  expect((await jsonClient(ann)("GET", "/api/usage?limit=0")).status).toBe(400);
  expect((await jsonClient(ann)("GET", "/api/usage?cursor=x")).body.details[0].path).toBe("cursor");
});

test("any credential can list the usage and the providers", async () => {
  const only = await jsonClientWithScopes(service, await service.register(), ["works:read"]);
  expect((await only("GET", "/api/usage")).body).toEqual({ calls: [] });
  expect((await only("GET", "/api/providers")).status).toBe(200);
});

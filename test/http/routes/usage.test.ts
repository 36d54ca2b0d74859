import { afterAll, expect, test } from "bun:test";
import { type Amounts, providerCall } from "../../../src/domain/ai/provider-calls.ts";
import { DomainError } from "../../../src/errors.ts";
import { asking, askingWithScopes } from "../../helpers/answers.ts";
import { type TestUser, testService } from "../../helpers/service.ts";

const service = await testService();
afterAll(() => service.close());

/** One call of a model that needs no network, for this user. */
function callFor({ user }: TestUser, model: string, run: () => Promise<Amounts>) {
  const call = providerCall(service.services, { user }, new AbortController().signal);
  const what = { provider: "acme", model, purpose: "image" } as const;
  return call.track(what, async () => ({ result: undefined, ...(await run()) }));
}

test("callers see what their own requests asked for, newest first", async () => {
  const [ann, bob] = [await service.register("Ann"), await service.register("Bob")];
  await callFor(ann, "first", async () => ({ inputTokens: 7 }));
  await callFor(bob, "other", async () => ({}));
  const failing = callFor(ann, "second", () =>
    Promise.reject(new DomainError("content_refused", { provider: "Acme" })),
  );
  await expect(failing).rejects.toThrow();

  const { status, body } = await asking(ann)("GET", "/api/usage");

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

test("pages follow one another", async () => {
  const ann = await service.register();
  for (const model of ["a", "b", "c"]) await callFor(ann, model, async () => ({}));

  const first = await asking(ann)("GET", "/api/usage?limit=2");
  const next = /^<(.+)>; rel="next"$/.exec(first.headers.get("link") ?? "")?.[1];
  const second = await asking(ann)("GET", next!);

  const models = ({ body }: typeof first) => body.calls.map(({ model }: { model: string }) => model);
  expect([models(first), models(second)]).toEqual([["c", "b"], ["a"]]);
  expect(second.headers.get("link")).toBeNull();
  expect((await asking(ann)("GET", "/api/usage?limit=0")).status).toBe(400);
  expect((await asking(ann)("GET", "/api/usage?cursor=x")).body.details[0].path).toBe("cursor");
});

test("any credential sees the accounts and the providers", async () => {
  const only = await askingWithScopes(service, await service.register(), ["works:read"]);
  expect((await only("GET", "/api/usage")).body).toEqual({ calls: [] });
  expect((await only("GET", "/api/providers")).status).toBe(200);
});

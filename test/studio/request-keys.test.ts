import { expect, test } from "bun:test";
import { requestKeys } from "../../studio/src/request-keys.ts";

const hour = 60 * 60 * 1000;
const films = "/api/projects/p/films";

/** A page whose storage outlives it. */
function browser() {
  const items = new Map<string, string>();
  const storage = {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
  };
  const clock = { now: 0 };
  const open = () => {
    const keyOf = requestKeys(storage, () => clock.now);
    return (body: string | FormData, url = films, headers = {}, method = "POST") =>
      keyOf({ method, url, body, headers: new Headers(headers) });
  };
  return { open, clock, items };
}

const refusal = (status: number, code: string) => Response.json({ error: "No.", code }, { status });

test("an order whose answer was lost has its key again after a reload, until it is answered", async () => {
  const { open, clock } = browser();
  const lost = open()("order")!;
  await lost.end();
  const again = open()("order")!;
  expect(again.key).toBe(lost.key);
  // a proxy, or a service that is still at it, has not answered it
  for (const response of [new Response("<html>", { status: 502 }), refusal(409, "request_in_progress")]) {
    const repeated = open()("order")!;
    expect(repeated.key).toBe(lost.key);
    await repeated.end(response);
  }
  for (const response of [refusal(503, "busy"), refusal(429, "rate_limited")]) await open()("order")!.end(response);
  expect(open()("order")!.key).toBe(lost.key);
  clock.now = 23 * hour;
  expect(open()("order")!.key).not.toBe(lost.key);
});

test.each([
  ["made", Response.json({}, { status: 202 })],
  ["refused", refusal(422, "asset_missing")],
  ["failed", refusal(502, "provider_error")],
])("an order that was %s is another one when it is sent again", async (_, response) => {
  const send = browser().open();
  const first = send("order")!;
  await first.end(response);
  expect(send("order")!.key).not.toBe(first.key);
});

test("other orders have other keys, and a key of a provider makes none", async () => {
  const send = browser().open();
  const keys = async (...requests: Parameters<typeof send>[]) => {
    const all: string[] = [];
    for (const request of requests) {
      const sent = send(...request)!;
      all.push(sent.key);
      await sent.end();
    }
    return new Set(all).size;
  };
  const form = (text: string, modified = 0) => {
    const fields = new FormData();
    fields.set("batch", text);
    fields.set("table", new File(["a"], "a.csv", { lastModified: modified }));
    return fields;
  };
  expect(await keys(["a"], ["b"], ["a", "/api/exports"], ["a", films, { "x-llm-provider": "openai" }])).toBe(4);
  expect(await keys([form("a")], [form("b")], [form("a", 1)])).toBe(3);
  expect(await keys(["c"], ["c", films, { "x-api-key": "one" }], ["c", films, { "x-api-key": "other" }])).toBe(1);
  // two at the same time
  expect(new Set([send("d")!.key, send("d")!.key]).size).toBe(2);
});

test("what neither creates nor pays has no key", () => {
  const send = browser().open();
  const paths = [
    "/api/auth/session",
    `${films}/estimate`,
    "/api/export/frame?t=1",
    "/api/projects/p/batches/validate?a=/",
  ];
  expect(paths.map((path) => send("", path))).toEqual(paths.map(() => undefined));
  expect(["GET", "PUT", "DELETE"].map((method) => send("", films, {}, method))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test("without storage, requests have keys as well", () => {
  const refuse = () => {
    throw new Error("SecurityError");
  };
  const keyOf = requestKeys({ getItem: refuse, setItem: refuse });
  expect(keyOf({ method: "POST", url: films, headers: new Headers() })?.key).toMatch(/^[!-~]{8,255}$/);
});

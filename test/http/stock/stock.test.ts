import { afterAll, afterEach, beforeEach, expect, setSystemTime, test } from "bun:test";
import { DomainError } from "../../../src/errors.ts";
import { jsonClient } from "../../support/json-client.ts";
import { codeOf } from "../../support/models/model-calls.ts";
import { testService } from "../../support/service.ts";
import { stockProviders } from "../../support/stock-providers.ts";
import { mp4, newProject, png } from "../../support/uploads.ts";

const archives = stockProviders({ image: () => png(64, 48).bytes(), video: async () => (await mp4()).bytes() });
const urls = { PEXELS_BASE_URL: archives.url, PIXABAY_BASE_URL: archives.url };
const service = await testService({ ...urls, MAX_UPLOAD_BYTES: "200000" });
afterAll(async () => {
  await Promise.all([service.close(), archives.stop()]);
});
const ann = await service.register("Ann");
const api = jsonClient(ann);
const assets = `/api/projects/${await newProject(ann)}/assets`;

beforeEach(() => {
  archives.queries.length = 0;
  Object.assign(archives.script, { fault: undefined, fileFault: undefined, fileUrl: undefined });
});
afterEach(() => {
  setSystemTime();
  expect(archives.violations).toEqual([]);
});

const headers = (provider: string, key = "a-key") => ({ "x-stock-provider": provider, "x-api-key": key });
const search = (provider: string, query: string, key?: string) =>
  api("GET", `/api/stock?${query}`, undefined, headers(provider, key));
const add = (provider: string, id: string, key = "a-key") =>
  api("POST", `${assets}/from-stock`, { provider, id }, { "x-api-key": key });

const licences = { pexels: /^Pexels License/, pixabay: /^Pixabay Content License/ };
const authors = { pexels: "Ann", pixabay: "Bo" };
const kinds = { image: "101", video: "video-102" } as const;
const cases = (["pexels", "pixabay"] as const).flatMap((provider) =>
  (["image", "video"] as const).map((kind) => [provider, kind] as const),
);

test.each(cases)("%s finds each %s with its author and licence, and it becomes an asset", async (provider, kind) => {
  const { status, body } = await search(provider, `query=a%20cup&kind=${kind}&orientation=landscape`);
  expect([status, body.next, body.results.length]).toEqual([200, 2, 1]);
  const [found] = body.results;
  const origin = { provider, author: authors[provider], licence: expect.stringMatching(licences[provider]) };
  expect(found).toMatchObject({ ...origin, id: kinds[kind], kind, pageUrl: expect.stringMatching(/^https:/) });
  expect(found.width).toBeGreaterThan(found.height);
  expect(found.duration).toBe(kind === "video" ? 12 : undefined);

  const { id, pageUrl } = found;
  const added = await add(provider, id);
  expect(added.body.filename).toBe(`${provider}-${id}${kind === "image" ? ".png" : ".mp4"}`);
  expect([added.status, added.body.type, added.body.source]).toEqual([201, kind, { ...origin, id, pageUrl }]);
  expect((await api("GET", `${assets}/${added.body.id}/meta`)).body.source).toEqual(added.body.source);
  // files are read without the key
  const downloads = archives.requests.filter(({ path }) => path.startsWith("/files/"));
  expect(JSON.stringify(downloads.map(({ url, headers }) => [url, ...headers]))).not.toContain("a-key");
});

test("a search is asked once in 24 hours, whoever asks and with whatever key", async () => {
  const start = Date.parse("2026-11-23T20:00:00Z");
  setSystemTime(start);
  const query = "query=Tea&page=2";
  const first = await search("pixabay", query);
  const other = jsonClient(await service.register("Bo"));
  setSystemTime(start + 23 * 3_600_000);
  const again = await other("GET", "/api/stock?page=2&query=%20tea&kind=image", undefined, headers("pixabay", "other"));
  expect([again.status, again.body]).toEqual([200, first.body]);
  expect(archives.queries).toHaveLength(1);
  expect(first.body.next).toBeUndefined();

  setSystemTime(start + 25 * 3_600_000);
  await search("pixabay", query);
  await search("pixabay", query);
  await search("pexels", query);
  expect(archives.queries).toHaveLength(3);
});

const endless = () =>
  new Response(
    new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(1)),
    }),
    { headers: { "content-length": "2000000000" } },
  );

const faults: readonly [name: string, fault: () => Response | Promise<Response>, status: number, code: string][] = [
  [
    "429",
    () => new Response("Too many", { status: 429, headers: { "retry-after": "7" } }),
    429,
    "provider_rate_limited",
  ],
  ["500", () => new Response("a-key is broken", { status: 500 }), 502, "provider_error"],
  ["a page", () => new Response("<html>"), 502, "provider_bad_response"],
  [
    "another shape",
    () => Response.json({ photos: [{ id: "x" }], hits: [{}], totalHits: 1 }),
    502,
    "provider_bad_response",
  ],
  ["a 2 GB answer", endless, 502, "provider_bad_response"],
];

test.each(faults)("both say what is wrong with %s, and keep nothing of it", async (name, fault, status, code) => {
  for (const provider of ["pexels", "pixabay"]) {
    archives.script.fault = fault;
    const query = `query=${encodeURIComponent(name)}`;
    const failed = await search(provider, query);
    expect([failed.status, failed.body.code]).toEqual([status, code]);
    expect(JSON.stringify(failed.body)).not.toContain("a-key");
    archives.script.fault = undefined;
    expect((await search(provider, query)).status).toBe(200);
  }
});

test.each(["pexels", "pixabay"])("%s is let go at the deadline", async (provider) => {
  const deadline = new AbortController();
  archives.script.fault = () => {
    deadline.abort(new DomainError("provider_timeout", { seconds: 1 }));
    return new Promise(() => {});
  };
  const options = { owner: ann.user.id, signal: deadline.signal };
  const query = { query: "x", kind: "image", page: 1 } as const;
  const library = service.services.models.stock({ provider, apiKey: "a-key" });
  expect(await codeOf(library.search(query, options))).toBe("provider_timeout");
});

test("a file that cannot be one is refused, and nothing is stored", async () => {
  const before = (await api("GET", assets)).body.count;
  const outcome = async (script: object, id = "101") => {
    Object.assign(archives.script, { fileFault: undefined, fileUrl: undefined }, script);
    const { status, body } = await add("pexels", id);
    return [status, body.code];
  };
  expect(await outcome({ fileUrl: "http://169.254.169.254/latest/meta-data" })).toEqual([502, "provider_bad_response"]);
  expect(await outcome({ fileUrl: "javascript:alert(1)" })).toEqual([502, "provider_bad_response"]);
  expect(await outcome({ fileFault: endless })).toEqual([502, "provider_bad_response"]);
  expect(await outcome({ fileFault: () => new Response("<!doctype html>") })).toEqual([502, "provider_bad_response"]);
  expect(await outcome({}, "999")).toEqual([422, "asset_missing"]);
  expect(await outcome({}, "../x")).toEqual([422, "asset_missing"]);
  expect((await add("pixabay", "999")).body.code).toBe("asset_missing");
  expect((await api("GET", assets)).body.count).toBe(before);
});

test("keys, names and queries are checked before anything is sent", async () => {
  const refusal = async (query: string, sent: Record<string, string>) =>
    (await api("GET", `/api/stock?${query}`, undefined, sent)).body.code;
  expect(await refusal("query=x", { "x-api-key": "a-key" })).toBe("provider_key_required");
  expect(await refusal("query=x", { "x-stock-provider": "pexels" })).toBe("provider_key_required");
  expect(await refusal("query=x", headers("shutterstock"))).toBe("unknown_provider");
  expect(await refusal("query=x", headers("openai"))).toBe("unsupported_capability");
  expect(await refusal("query=%20", headers("pexels"))).toBe("validation_error");
  expect(await refusal(`query=${"x".repeat(101)}`, headers("pexels"))).toBe("validation_error");
  expect(await refusal("query=x&page=0", headers("pexels"))).toBe("validation_error");
  expect(archives.queries).toEqual([]);
  for (const provider of ["pexels", "pixabay"]) {
    expect((await search(provider, "query=other", "wrong")).body.code).toBe("provider_key_rejected");
  }
});

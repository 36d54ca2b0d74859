import { afterAll, expect, test } from "bun:test";
import { createApp } from "../../../src/app.ts";
import type { LanguageModel, ModelChoice } from "../../../src/domain/ai/models.ts";
import type { StyleGuideOutput } from "../../../src/domain/ai/output-schemas.ts";
import { DomainError } from "../../../src/errors.ts";
import { jsonClient } from "../../support/json-client.ts";
import { rememberedMedia } from "../../support/remembered-media.ts";
import { testService } from "../../support/service.ts";
import { filesOf, png } from "../../support/uploads.ts";

const pages: Record<string, () => Response | Promise<Response>> = {
  "/": () => new Response("<title>Nordlicht</title><style>a{color:#0B1D3A}</style><h1>Tea for long nights</h1>"),
  "/no-product": () => new Response("<title>Ours</title><meta name=description content='All about tea.'><p>Hello"),
  "/picture": () => new Response(png()),
  "/empty": () => new Response("<script>show()</script>"),
  "/large": () => new Response(new Uint8Array(6 * 2 ** 20).fill(97)),
  "/moved": () => Response.redirect("/", 302),
  "/gone": () => new Response("gone", { status: 410 }),
};

const site = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: (request) => pages[new URL(request.url).pathname]!(),
});
const pageUrl = (path: string) => `${site.url.origin}${path}`;

const service = await testService(
  { ALLOW_PRIVATE_NETWORK: "true", FETCH_EXTRA_PORTS: `${site.port}` },
  undefined,
  rememberedMedia,
);
afterAll(async () => {
  await Promise.all([service.close(), site.stop(true)]);
});

type RecordedCall = Parameters<LanguageModel["extractStyleGuide"]>[0] & { readonly choice: ModelChoice };
const recordedCalls: RecordedCall[] = [];

const modelOutput: StyleGuideOutput = {
  style_guide: {
    tone: " calm ",
    tempo: "slow",
    camera_style: "",
    brand_voice: "",
    color_palette: ["#0B1D3A"],
    must_include: [],
    must_avoid: [],
  },
  product: { name: "Nordlicht", description: "Tea.", target_audience: null },
};

/** A model that records its calls and returns `modelOutput`. */
const scriptedModel = (choice: ModelChoice): LanguageModel => {
  if (choice.provider === "nobody") throw new DomainError("unknown_provider", { known: ["local"] });
  return {
    isBilled: true,
    writeScenario: () => Promise.reject(new Error("not expected to be called")),
    extractStyleGuide: (task, call) =>
      call.track({ provider: "acme", model: "m-1", purpose: "style_guide" }, async () => {
        recordedCalls.push({ ...task, choice });
        return { result: modelOutput, inputTokens: 12, outputTokens: 3 };
      }),
  };
};

const downloads: string[] = [];

/** The site of this test speaks HTTP only: this fetcher records https URLs and reads them over HTTP. */
const { fetcher } = service.services;
const recordingFetcher: typeof fetcher = {
  ...fetcher,
  download(url, options) {
    downloads.push(url);
    return fetcher.download(url.replace(/^https:/, "http:"), options);
  },
};

const models = { ...service.services.models, llm: scriptedModel };
const app = createApp({ ...service.services, fetcher: recordingFetcher, models });
const ann = await service.register();
const send = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  jsonClient({
    ...ann,
    json: (method, to, sent, more) =>
      app.request(to, {
        method,
        body: JSON.stringify(sent),
        headers: { authorization: `Bearer ${ann.accessToken}`, "content-type": "application/json", ...more },
      }),
  })("POST", `/api/style-guide/${path}`, body, headers);

const extractFromPage = (body: object) => send("extract-from-landing", body);

const styleGuide = { tone: "calm", tempo: "slow", color_palette: ["#0b1d3a"] };

test("the model that the headers name extracts a style guide from a text", async () => {
  const headers = { "x-llm-provider": "acme", "x-model-id": "m-1", "x-api-key": "k" };

  const response = await send("extract", { text: " We brew tea. " }, headers);

  expect([response.status, response.body]).toEqual([200, { styleGuide }]);
  expect(recordedCalls.at(-1)).toMatchObject({
    text: "We brew tea.",
    choice: { provider: "acme", modelId: "m-1", apiKey: "k" },
  });
  expect(recordedCalls.at(-1)!.prompt.message).toContain("We brew tea.");
});

test("a page gives a style guide, and product info on request", async () => {
  expect((await extractFromPage({ url: pageUrl("/") })).body).toEqual({ styleGuide });
  expect(recordedCalls.at(-1)!.text).toBe("Title: Nordlicht\nColors: #0b1d3a\n\nTea for long nights");

  const { status, body } = await extractFromPage({ url: pageUrl("/moved"), includeProductInfo: true, mode: "feature" });
  expect([status, body]).toEqual([200, { styleGuide, productInfo: { name: "Nordlicht", description: "Tea." } }]);
  expect(recordedCalls.at(-1)!.prompt.message).toContain("one feature of a product");
});

test("the mode feature implies product info", async () => {
  const productInfo = { name: "Nordlicht", description: "Tea." };
  for (const includeProductInfo of [undefined, null, false]) {
    const { body } = await extractFromPage({ url: pageUrl("/"), mode: "feature", includeProductInfo });
    expect(body).toEqual({ styleGuide, productInfo });
  }
  expect(recordedCalls.at(-1)!.prompt.system).toContain("product: the feature that the page is about");
});

test("without a product from the model, the page's title and description are the feature's product info", async () => {
  const { product } = modelOutput;
  modelOutput.product = null;
  const url = pageUrl("/no-product");
  const feature = await extractFromPage({ url, mode: "feature" });
  const landing = await extractFromPage({ url, includeProductInfo: true });
  modelOutput.product = product;

  expect(feature.body.productInfo).toEqual({ name: "Ours", description: "All about tea." });
  expect(landing.body).toEqual({ styleGuide });
});

test.each(["{host}", " {host}/ ", "\n{host}/?q=1#top", "//{host}/"])("%j gets https as its scheme", async (form) => {
  const url = form.replace("{host}", site.url.host);
  expect((await extractFromPage({ url })).status).toBe(200);
  expect(downloads.at(-1)).toStartWith(`https://${site.url.host}`);
});

test.each([
  ["/picture", 422, "url_unreachable"],
  ["/empty", 422, "url_unreachable"],
  ["/gone", 422, "url_unreachable"],
  ["/large", 413, "payload_too_large"],
])("the page %s is %d without a provider call", async (path, status, code) => {
  const calls = recordedCalls.length;
  const files = await filesOf(service);

  const response = await extractFromPage({ url: pageUrl(path) });

  expect([response.status, response.body.code]).toEqual([status, code]);
  expect(recordedCalls.length).toBe(calls);
  expect(await filesOf(service)).toEqual(files);
});

test("a URL that is not allowed is rejected with its field", async () => {
  const schemes = ["file:///etc/passwd", "mailto:a@example.com", "javascript:alert(1)", "ftp://example.com/"];
  const hosts = ["http://127.0.0.1:1/", "127.0.0.1:1", "localhost:1/x", "user:word@example.com", "a@example.com"];
  for (const url of [...schemes, ...hosts, "nonsense", "/page", "a page.html", "https://"]) {
    const { status, body } = await extractFromPage({ url });
    expect([url, status, body.code, body.details[0].path]).toEqual([url, 422, "url_not_allowed", "url"]);
  }
});

test("an unknown provider is reported before the page is fetched", async () => {
  const { status, body } = await send(
    "extract-from-landing",
    { url: pageUrl("/gone") },
    { "x-llm-provider": "nobody" },
  );
  expect([status, body.code]).toEqual([400, "unknown_provider"]);
});

test.each([
  ["extract", {}, "text"],
  ["extract", { text: " " }, "text"],
  ["extract", { text: "x".repeat(100_001) }, "text"],
  ["extract-from-landing", {}, "url"],
  ["extract-from-landing", { url: "" }, "url"],
  ["extract-from-landing", { url: "https://example.com", mode: "shop" }, "mode"],
  ["extract-from-landing", { url: "https://example.com", includeProductInfo: "yes" }, "includeProductInfo"],
])("%s rejects an invalid body (%#)", async (path, sent, field) => {
  const { status, body } = await send(path, sent);
  expect([status, body.code, body.details[0].path]).toEqual([400, "validation_error", field]);
});

test("a retry with the same Idempotency-Key calls the model once", async () => {
  const headers = { "idempotency-key": "style-1" };
  const first = await send("extract", { text: "Tea" }, headers);
  const calls = recordedCalls.length;

  const retried = await send("extract", { text: "Tea" }, headers);

  expect([retried.status, retried.body, recordedCalls.length]).toEqual([200, first.body, calls]);
});

test("without a provider header the local rules extract the style guide, and no call is recorded", async () => {
  const bob = await service.register("Bob");
  const sent = { url: pageUrl("/"), includeProductInfo: true };

  const { status, body } = await jsonClient(bob)("POST", "/api/style-guide/extract-from-landing", sent);

  expect([status, body.styleGuide.color_palette, body.productInfo.name]).toEqual([200, ["#0b1d3a"], "Nordlicht"]);
  expect((await jsonClient(bob)("GET", "/api/usage")).body).toEqual({ calls: [] });
});

test("the local rules put what a text rejects into must_avoid", async () => {
  const bob = await service.register("Bob");
  const text = "Tempo medium, not too fast. Always show the paper bag, never show plastic cups.";

  const { status, body } = await jsonClient(bob)("POST", "/api/style-guide/extract", { text });

  const styleGuide = { tempo: "medium", must_include: ["paper bag"], must_avoid: ["plastic cups"] };
  expect([status, body]).toEqual([200, { styleGuide }]);
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { cpuBudget } from "../../../src/platform/limits/cpu-budget.ts";
import { pageReader } from "../../../src/readers/web/page-reader.ts";
import { decodePage, parsePage } from "../../../src/readers/web/parse.ts";
import { png } from "../../support/uploads.ts";

let folder: string;
// what the pages cost is the machine's affair; the timeout of the tests ends what is endless
const timeoutMilliseconds = 600_000;
const reader = pageReader({ cpuSeconds: 600, timeoutMilliseconds });

beforeAll(async () => {
  folder = await mkdtemp(`${tmpdir()}/pages-`);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function readSandboxed(content: string | Blob, owner = "ann", pages = reader) {
  const path = `${folder}/${crypto.randomUUID()}`;
  await Bun.write(path, content);
  return await pages.read(path, { owner, signal: new AbortController().signal });
}

/** Reads in this process: one of its own takes longer to start than most pages to read. */
async function read(content: string) {
  const markup = await decodePage(Buffer.from(content));
  return markup === undefined ? undefined : parsePage(markup);
}

const landing = `<!doctype html><html><head><meta charset=utf-8>
<title>Nordlicht &amp; S&ouml;hne – Tea</title>
<meta name="theme-color" content="#0B1D3A">
<meta property="og:site_name" content="Nordlicht">
<meta name=description content='Tea for "long" nights &lt;3'>
<style>:root { --brand: #ff8800 } a { color: #F80; background: #ff8800 url(x.png) } p { color: teal !important }
.shadow { box-shadow: 0 0 2px rgba(0, 0, 0, .1) } .font { font-family: "Red Hat" } .clear { color: transparent }</style>
<script>const color = "no text of the page"</script></head>
<body><nav>Home About</nav><noscript>Turn it on</noscript><!-- a note -->
<h1>Brewed  <em>slowly</em></h1><svg><title>icon</title><text>drawing</text></svg>
<p style="color: hsl(120deg 100% 25%)">First<script>bad()</script> line</p><ul><li>green<li>black</ul>
<table><tr><td>250 g</td><td>9 €</td></tr></table><a href="/buy">Buy</a><img alt="cup" src=x></body></html>`;

test("reads the visible text, the metadata and the colors of a page", async () => {
  expect(await readSandboxed(landing)).toEqual({
    title: "Nordlicht & Söhne – Tea",
    siteName: "Nordlicht",
    description: 'Tea for "long" nights <3',
    colors: ["#0b1d3a", "#ff8800", "#008080", "#008000"],
    images: ["x"],
    logos: [],
    text: "Brewed slowly\n\nFirst line\n\n * green\n * black\n\n250 g 9 €\n\nBuy",
  });
});

test("finds the logo and the pictures of a page, those for previews first, and no icons", async () => {
  const markup = `<link rel="apple-touch-icon" href="/touch.png"><meta property="og:image" content="https://x.example/a.jpg?b=1&amp;c=2">
<img src="/assets/logo.png"><img class="brand-logo" src="mark.webp"><img src="data:image/png;base64,AAAA">
<img src="one.jpg" width="800"><img src="icon.png" width=24 height=24><img data-src="lazy.jpg"><img src="one.jpg">`;
  expect(await read(markup)).toMatchObject({
    images: ["https://x.example/a.jpg?b=1&c=2", "one.jpg", "lazy.jpg"],
    logos: ["mark.webp", "/assets/logo.png", "/touch.png"],
  });
});

test("finds the product that a page tells search engines of, and its one price", async () => {
  const product = {
    ...{
      "@type": ["Product"],
      name: "Kettle &",
      description: " Holds 0.9\nlitres.",
      image: ["k.jpg", { url: "side.jpg" }],
    },
    ...{ brand: { "@type": "Brand", logo: "/mark.png" }, offers: [{ price: "129.00", priceCurrency: "USD" }] },
  };
  const script = (data: unknown) => `<script type="application/ld+json">${JSON.stringify(data)}</script>`;
  const markup = `<title>Shop</title>${script([{ "@type": "BreadcrumbList" }])}<script type="application/ld+json">{ no</script>`;
  const found = await read(`${markup}${script({ "@graph": [{ "@type": "WebPage" }, product] })}<img src="big.jpg">`);
  expect(found).toMatchObject({
    ...{ images: ["k.jpg", "side.jpg", "big.jpg"], logos: ["/mark.png"] },
    product: { name: "Kettle &", description: "Holds 0.9 litres.", price: { amount: 129, currency: "USD" } },
  });
  const offers = { lowPrice: 9, highPrice: 12, priceCurrency: "USD" };
  const ranged = await read(`${markup}${script({ ...product, "@type": "https://schema.org/Product", offers })}`);
  expect(ranged?.product).toEqual({ name: "Kettle &", description: "Holds 0.9 litres." });
  expect((await read(markup))!.product).toBeUndefined();
});

test("falls back to Open Graph metadata", async () => {
  const shared = '<meta property="og:title" content="Shared"><meta property="og:description" content="Told">';
  expect(await read(shared)).toMatchObject({ title: "Shared", description: "Told", text: "" });
});

test("reads text without markup as a page", async () => {
  expect(await read("We sell tea & cups.\n1 < 2")).toMatchObject({ title: "", text: "We sell tea & cups.\n1 < 2" });
});

test("returns undefined for a binary file", async () => {
  expect(await readSandboxed(png())).toBeUndefined();
});

test("truncates a long page", async () => {
  expect((await read(`<p>${"long ".repeat(100_000)}`))!.text.length).toBeLessThanOrEqual(30_000);
});

test.each([
  ["with deep nesting", `${"<div>".repeat(30_000)}bottom`],
  ["without end tags", "<p>word".repeat(8_000)],
  ["with an endless attribute", `<p>word<a style="${"a:b;".repeat(50_000)}"`],
  ["with many attributes", `<p>word<a ${"a=b ".repeat(20_000)}>`],
  ["of open brackets", `<p>word${"<".repeat(50_000)}`],
  ["of unclosed styles", `<p>word${"<style>a{color:".repeat(5_000)}`],
  ["of combining marks on one letter", `<p>word${"\u0301".repeat(50_000)}`],
])("reads a hostile page %s", async (_, content) => {
  expect(await read(content)).toBeDefined();
});

test("a user with a full queue leaves the pages of others as they are", async () => {
  const left = new AbortController();
  const { uploads } = cpuBudget();
  const untilLeft = () =>
    new Promise<never>((_, reject) => left.signal.addEventListener("abort", () => reject(left.signal.reason)));
  // those of ann take until she leaves
  const held: typeof uploads = (task, options) => uploads(options?.owner === "ann" ? untilLeft : task, options);
  const pages = pageReader({ cpu: { uploads: held }, timeoutMilliseconds });
  const ann = { owner: "ann", signal: left.signal };
  const anns = Promise.allSettled(Array.from({ length: 22 }, () => pages.read("any", ann)));
  await expect(pages.read("any", ann)).rejects.toMatchObject({ code: "busy" });

  expect(await readSandboxed(landing, "bob", pages)).toBeDefined();

  left.abort();
  expect(new Set((await anns).map(({ status }) => status))).toEqual(new Set(["rejected"]));
});

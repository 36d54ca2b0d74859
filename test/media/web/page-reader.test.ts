import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { pageReader } from "../../../src/media/web/page-reader.ts";
import { png } from "../../helpers/uploads.ts";

let folder: string;
const reader = pageReader();

beforeAll(async () => {
  folder = await mkdtemp(`${tmpdir()}/pages-`);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function read(content: string | Uint8Array | Blob, by = reader) {
  const path = `${folder}/${crypto.randomUUID()}`;
  await Bun.write(path, content);
  return await by.read(path, new AbortController().signal);
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

test("a page is read as a person would read it", async () => {
  expect(await read(landing)).toEqual({
    title: "Nordlicht & Söhne – Tea",
    siteName: "Nordlicht",
    description: 'Tea for "long" nights <3',
    colors: ["#0b1d3a", "#ff8800", "#008080", "#008000"],
    text: "Brewed slowly\n\nFirst line\n\n * green\n * black\n\n250 g 9 €\n\nBuy",
  });
});

test("what a page says for sharing fills what it does not say elsewhere", async () => {
  const shared = '<meta property="og:title" content="Shared"><meta property="og:description" content="Told">';
  expect(await read(shared)).toMatchObject({ title: "Shared", description: "Told", text: "" });
});

test("a text without markup is a page too", async () => {
  expect(await read("We sell tea & cups.\n1 < 2")).toMatchObject({ title: "", text: "We sell tea & cups.\n1 < 2" });
});

test("a file that is no text is no page", async () => {
  expect(await read(png())).toBeUndefined();
});

test("a long page is cut", async () => {
  expect((await read(`<p>${"long ".repeat(100_000)}`))!.text.length).toBeLessThanOrEqual(30_000);
});

const times = (part: string, count: number) => part.repeat(count);

test.each([
  ["deep", `${times("<div>", 100_000)}bottom`],
  ["without an end to its tags", times("<p>word", 100_000)],
  ["with an attribute without end", `<p>word<a style="${times("a:b;", 200_000)}"`],
  ["with many attributes", `<p>word<a ${times("a=b ", 100_000)}>`],
  ["of open brackets", `<p>word${times("<", 200_000)}`],
  ["of open styles", `<p>word${times("<style>a{color:", 20_000)}`],
  ["of marks on one letter", `<p>word${times("\u0301", 200_000)}`],
])("a hostile page %s is read", async (_, content) => {
  expect(await read(content)).toBeDefined();
});

test("a page that would keep a parser busy is given up, and so is one that nobody waits for", async () => {
  const busy = times("<i>", 400_000) + times("</b>", 400_000);
  expect(await read(busy, pageReader({ cpuSeconds: 1 }))).toBeUndefined();

  const path = `${folder}/any`;
  await Bun.write(path, landing);
  await expect(reader.read(path, AbortSignal.abort(new Error("left")))).rejects.toThrow("left");
});

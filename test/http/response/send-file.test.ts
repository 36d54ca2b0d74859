import { afterAll, beforeAll, expect, test } from "bun:test";
import { truncate } from "node:fs/promises";
import { parse } from "content-disposition";
import { eq } from "drizzle-orm";
import { contentDisposition } from "../../../src/http/response/send-file.ts";
import { assets } from "../../../src/storage/tables/projects.ts";
import { type OwnService, storesOnDisk, type TestUser, testService } from "../../support/service.ts";
import { formOf, listen, newProject, png, wav } from "../../support/uploads.ts";

let service: OwnService;
let server: ReturnType<typeof listen>;
let ann: TestUser;
let url: string;
let bytes: Uint8Array<ArrayBuffer>;
let etag: string;

const upload = async (file: File) => {
  const path = `/api/projects/${await newProject(ann)}/assets`;
  const response = await ann.request(path, { method: "POST", body: formOf({ file }) });
  return (await response.json()).url as string;
};

// over a port, because Bun changes lengths and ranges when it sends a response
const get = (headers: Record<string, string> = {}, method = "GET", at = url) =>
  fetch(server.url + at, { method, headers: { authorization: `Bearer ${ann.accessToken}`, ...headers } });

beforeAll(async () => {
  service = await testService();
  server = listen(service);
  ann = await service.register();
  bytes = await wav().bytes();
  url = await upload(wav());
  etag = (await get({}, "HEAD")).headers.get("etag")!;
});

afterAll(async () => {
  server.stop();
  await service.close();
});

test("a file is sent unchanged, with its type, length, name and security headers", async () => {
  const response = await get();

  expect(response.status).toBe(200);
  expect(await response.bytes()).toEqual(bytes);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": "audio/wav",
    "content-length": `${bytes.length}`,
    "content-disposition": 'inline; filename="silence.wav"',
    "accept-ranges": "bytes",
    "x-content-type-options": "nosniff",
    "content-security-policy": "sandbox; default-src 'none'",
    "cache-control": "private, no-cache",
  });
  expect(etag).toBe(`"${new Bun.CryptoHasher("sha256").update(bytes).digest("hex")}"`);
});

test("HEAD has the length of the file and no body", async () => {
  const response = await get({ range: "bytes=0-9" }, "HEAD");

  expect(response.status).toBe(200);
  expect(response.headers.get("content-length")).toBe(`${bytes.length}`);
  expect((await response.bytes()).length).toBe(0);
});

// an object is never cut
test.if(storesOnDisk)("a file whose stored bytes are cut is named as damaged, by HEAD too", async () => {
  const cut = await upload(wav());
  const id = cut.slice(cut.lastIndexOf("/") + 1);
  const [row] = await service.db.select({ key: assets.fileKey }).from(assets).where(eq(assets.id, id));
  await service.services.files.withLocalFile(row!, (path) => truncate(path, 100));

  const [read, head] = [await get({}, "GET", cut), await get({}, "HEAD", cut)];
  expect([read.status, head.status]).toEqual([422, 422]);
  expect(await read.json()).toMatchObject({
    code: "source_unreadable",
    error: "The file silence.wav is damaged or missing in the service's storage: upload it or make it again.",
  });
});

test.each([
  ["bytes=0-0", 0, 1],
  ["bytes=10-19", 10, 20],
  ["bytes=8000-", 8000, 8044],
  ["bytes=-44", 8000, 8044],
  ["bytes=-99999", 0, 8044],
  ["bytes=8000-99999", 8000, 8044],
  [`bytes=0-${"9".repeat(23)}`, 0, 8044],
])("%s gets that part", async (range, start, end) => {
  const response = await get({ range });

  expect(response.status).toBe(206);
  expect(response.headers.get("content-range")).toBe(`bytes ${start}-${end - 1}/8044`);
  expect(response.headers.get("content-length")).toBe(`${end - start}`);
  expect(await response.bytes()).toEqual(bytes.slice(start, end));
});

test.each(["bytes=0-1,5-6", "bytes=5-2", "bytes=-", "bytes=a-b", "items=0-1", "bytes 0-1"])(
  "%s is ignored and the whole file is sent",
  async (range) => {
    const response = await get({ range });

    expect([response.status, (await response.bytes()).length]).toEqual([200, bytes.length]);
    expect(response.headers.get("content-length")).toBe(`${bytes.length}`);
  },
);

test.each(["bytes=8044-", "bytes=99999-100000", "bytes=-0"])("%s is outside the file", async (range) => {
  const response = await get({ range });

  expect([response.status, (await response.json()).code]).toEqual([416, "range_not_satisfiable"]);
  expect(response.headers.get("content-range")).toBe("bytes */8044");
});

test("a part is sent only if If-Range names the current file", async () => {
  const range = "bytes=0-9";
  const statuses = [etag, '"other"', `W/${etag}`, "Wed, 21 Oct 2015 07:28:00 GMT"].map(
    async (tag) => (await get({ range, "if-range": tag })).status,
  );

  expect(await Promise.all(statuses)).toEqual([206, 200, 200, 200]);
});

test("a file that If-None-Match names is 304, also with a range", async () => {
  const known = [etag, `W/${etag}`, `"other", ${etag}`, "*"];
  for (const tag of known) {
    const response = await get({ "if-none-match": tag, range: "bytes=0-9" });
    expect([response.status, response.headers.get("etag")]).toEqual([304, etag]);
  }
  expect((await get({ "if-none-match": '"other"' })).status).toBe(200);
});

test("non-ASCII names are encoded as in RFC 8187", async () => {
  const named = await upload(new File([png()], "Видео «1».png"));
  const disposition = (await get({}, "GET", named)).headers.get("content-disposition")!;

  expect(disposition).toMatch(/^inline; filename="[\x20-\x7e]+\.png"; filename\*=UTF-8''%D0%92/);
});

/** Reads the header by the grammar of RFC 6266, strictly: undefined if any character is left over. */
function strictParameters(header: string): ReadonlyMap<string, string> | undefined {
  const parameter = /; ([a-z]+\*?)=(?:"((?:[^"\\\p{Cc}]|\\.)*)"|([\w!#$%&'*+.^`|~-]+))/gu;
  const [type, parameters] = [header.slice(0, header.indexOf(";")), header.slice(header.indexOf(";"))];
  if (type !== "inline" || parameters.replace(parameter, "") !== "") return undefined;
  const unquoted = (text: string) => text.replaceAll(/\\(.)/g, "$1");
  return new Map([...parameters.matchAll(parameter)].map(([, name, text, token]) => [name!, token ?? unquoted(text!)]));
}

test.each([
  "x filename=y.png",
  "filename=a",
  'a"; filename=b.html',
  "a; filename*=UTF-8''b.html",
  "filename*=UTF-8''x",
  'a\\"; filename="b',
  "a%22; filename=b",
  "é filename=z.png",
  'é"; filename=z; x="',
  "👩🏽‍🚀; filename=launch.png",
  "a\\",
  "$1 $& $'",
  `${"x; filename=y ".repeat(14)}.png`,
])("the name %j is sent as one parameter", (name) => {
  const header = contentDisposition("inline", name);
  expect(parse(header).parameters.filename).toBe(name);
  const strict = strictParameters(header);
  const encoded = strict?.get("filename*")?.replace("UTF-8''", "");
  expect(encoded === undefined ? strict?.get("filename") : decodeURIComponent(encoded)).toBe(name);
});

test("line breaks and control characters of a name do not reach the header", () => {
  const header = contentDisposition("inline", "a\r\nset-cookie: x=1\0\u0085b\ud800.png");
  expect(strictParameters(header)?.get("filename*")).toBe("UTF-8''a%20set-cookie%3A%20x%3D1%20b%EF%BF%BD.png");
});

test("?token= replaces the Authorization header for the file and its thumbnail only", async () => {
  const image = await upload(png());
  const status = async (path: string) => (await fetch(`${server.url}${path}?token=${ann.accessToken}`)).status;

  expect(await status(image)).toBe(200);
  expect(await status(`${image}/thumbnail`)).toBe(200);
  expect(await status(`${image}/meta`)).toBe(401);
  expect((await fetch(`${server.url}${image}?token=nonsense`)).status).toBe(401);
  expect((await fetch(server.url + image)).status).toBe(401);
});

test("a thumbnail is a WebP image with an ETag of its own", async () => {
  const response = await get({}, "GET", `${await upload(png(900, 300))}/thumbnail`);
  const thumbnail = Buffer.from(await response.bytes());

  expect(response.headers.get("content-type")).toBe("image/webp");
  expect(response.headers.get("content-length")).toBe(`${thumbnail.length}`);
  expect(thumbnail.toString("latin1", 8, 12)).toBe("WEBP");
  expect(response.headers.get("etag")).toMatch(/^".+"$/);
});

import { expect, test } from "bun:test";
import { join } from "node:path";
import { findFfmpeg } from "../../../src/engine/ffmpeg/ffmpeg.ts";
import { ffmpegInspector } from "../../../src/engine/inspect/inspect.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";
import { sharedService } from "../../support/service.ts";

const service = await sharedService();

const html = await (await service.request("/")).text();
const named = (pattern: RegExp) => [...new Set([...html.matchAll(pattern)].map(([, path]) => path!))];

test("the page is served to anyone, also to HEAD and to caches that have it", async () => {
  const page = await service.request("/");
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(page.headers.get("content-security-policy")).toStartWith("default-src 'none'; script-src 'self';");

  const head = await service.request("/", { method: "HEAD" });
  expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([
    200,
    `${Buffer.byteLength(html)}`,
    "",
  ]);
  const etag = page.headers.get("etag")!;
  expect((await service.request("/", { headers: { "if-none-match": etag } })).status).toBe(304);
});

test("everything that the page names is of this service and exists", async () => {
  expect(html).not.toMatch(/https?:|"\/\/|\sstyle=|\son\w+=/);
  const css = await (await service.request("/home/style.css")).text();
  const inCss = [...css.matchAll(/url\("([^"]+)"\)/g)].map(([, path]) => path!);
  const paths = [...named(/(?:src|href|poster)="(\/[^"]*)"/g), ...inCss];
  expect(paths.length).toBeGreaterThan(12);
  for (const path of paths) {
    const response = await service.request(path);
    expect([path, response.status]).toEqual([path, 200]);
    await response.body?.cancel();
  }
});

test("other paths are unknown as before", async () => {
  for (const path of ["/home", "/home/other.css", "/index.html", "/favicon.ico"]) {
    const response = await service.request(path);
    expect([path, response.status]).toEqual([path, 404]);
    expect(await response.json()).toMatchObject({ code: "not_found" });
  }
});

test("the film is sent in parts and may be cached", async () => {
  const response = await service.request("/home/film.mp4", { headers: { range: "bytes=4-11" } });

  expect(response.status).toBe(206);
  expect(response.headers.get("cache-control")).toBe("public, max-age=86400");
  expect(await response.text()).toBe("ftypisom");
});

test("the film is small, and as long as the scenes of the page's timeline", async () => {
  const path = join(import.meta.dir, "../../../src/http/home/film.mp4");
  const ffmpeg = await findFfmpeg(process.env.FFMPEG_PATH);
  const facts = await ffmpegInspector({ ffmpeg, makeFolder: temporaryFolder }).inspect(path, { owner: "ann" });
  const seconds = [...html.matchAll(/datetime="PT([\d.]+)S"/g)].map(([, each]) => Number(each));

  expect(facts).toMatchObject({ width: 648, height: 1152, hasSound: true });
  expect(facts.durationSeconds).toBeCloseTo(
    seconds.reduce((sum, each) => sum + each, 0),
    2,
  );
  expect(Bun.file(path).size).toBeLessThan(1_600_000);
});

test("a clip is there for readers without one", async () => {
  const clip = await service.request("/home/clip.mp4");
  expect([clip.status, clip.headers.get("content-type")]).toEqual([200, "video/mp4"]);
  expect((await clip.bytes()).length).toBeLessThan(200_000);
});

test("text is sent in gzip to those who accept it, under a tag of its own", async () => {
  const request = (accepted: string) =>
    service.request("/home/style.css", { headers: { "accept-encoding": accepted } });
  const plain = await request("identity");
  const zipped = await request("br, gzip");

  expect(plain.headers.get("content-encoding")).toBeNull();
  expect((await request("gzip;q=0")).headers.get("content-encoding")).toBeNull();
  expect(zipped.headers.get("content-encoding")).toBe("gzip");
  expect(zipped.headers.get("vary")).toBe("Accept-Encoding");
  expect(zipped.headers.get("etag")).not.toBe(plain.headers.get("etag"));
  expect(Bun.gunzipSync(await zipped.bytes())).toEqual(await plain.bytes());
});

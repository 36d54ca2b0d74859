import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { gzipSync } from "node:zlib";
import { guardedFetcher } from "../../../src/media/web/fetcher.ts";
import { diskFiles } from "../../../src/storage/files/disk-files.ts";

let folder: string;
let server: ReturnType<typeof Bun.serve>;
let files: Awaited<ReturnType<typeof diskFiles>>;

const zeros = new Uint8Array(20 * 2 ** 20);

type Posted = { readonly method: string; readonly headers: Headers; readonly body: string };
const posted: Posted[] = [];

const answers: Record<string, (request: Request) => Response | Promise<Response>> = {
  "/plain": () => new Response("hello"),
  "/host": (request) => new Response(request.headers.get("host")),
  "/gzip": () => new Response(gzipSync("hello"), { headers: { "content-encoding": "gzip" } }),
  "/bomb": () => new Response(gzipSync(zeros), { headers: { "content-encoding": "gzip" } }),
  "/odd": () => new Response("hello", { headers: { "content-encoding": "constructor" } }),
  "/large": () => new Response(zeros),
  "/missing": () => new Response("no", { status: 404 }),
  "/busy": () => new Response("no", { status: 503, headers: { "retry-after": "90" } }),
  "/loop": () => Response.redirect("/loop"),
  "/to/plain": () => Response.redirect("/plain", 307),
  "/to/file": () => Response.redirect("file:///etc/passwd"),
  "/to/port": () => Response.redirect("http://films.test:22/"),
  "/to/user": () => Response.redirect("http://me:secret@films.test/"),
  "/echo": async (request) => {
    posted.push({ method: request.method, headers: request.headers, body: await request.text() });
    return new Response(zeros);
  },
  "/still": () => new Promise(() => {}),
  "/silent": () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) })),
};

beforeAll(async () => {
  folder = await mkdtemp(`${tmpdir()}/fetcher-`);
  files = await diskFiles(folder);
  server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => answers[new URL(request.url).pathname]!(request),
  });
});

afterAll(async () => {
  await server.stop(true);
  await rm(folder, { recursive: true, force: true });
});

const options = (more: { maxBytes?: number; signal?: AbortSignal } = {}) => ({
  path: "audio.audioUrl",
  maxBytes: 2 ** 20,
  signal: new AbortController().signal,
  ...more,
});

/** Reads from the server of this test, which the real rules would refuse. */
const open = (resolve = async (_: string) => [{ address: "127.0.0.1", family: 4 }]) =>
  guardedFetcher({ files, extraPorts: [server.port!], allowPrivateNetwork: true, resolve });

const guarded = (addresses: readonly string[]) =>
  guardedFetcher({
    files,
    extraPorts: [server.port!],
    allowPrivateNetwork: false,
    resolve: async () => addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
  });

const at = (path: string) => `http://films.test:${server.port}${path}`;

const read = async (path: string) => {
  const received = await open().download(at(path), options());
  const text = await Bun.file(received.path).text();
  await files.discard(received);
  return text;
};

const filesOnDisk = async () =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.name.includes(".lock"))
    .map(({ name }) => name);

test("a file arrives whole, and so does a compressed one", async () => {
  expect(await read("/plain")).toBe("hello");
  expect(await read("/gzip")).toBe("hello");
});

test("a redirect is followed", async () => {
  expect(await read("/to/plain")).toBe("hello");
});

test("the connection goes to the address that was checked, under the name that was asked for", async () => {
  const asked: string[] = [];
  const fetcher = open(async (name) => {
    asked.push(name);
    return [{ address: asked.length === 1 ? "127.0.0.1" : "127.0.0.77", family: 4 }];
  });

  const received = await fetcher.download(at("/host"), options());

  expect(await Bun.file(received.path).text()).toBe(`films.test:${server.port}`);
  expect(asked).toEqual(["films.test"]);
  await files.discard(received);
});

describe("what is not allowed", () => {
  test.each([
    "file:///etc/passwd",
    "ftp://films.test/a",
    "data:audio/wav;base64,AAAA",
    "films.test/a",
    "",
    "http://films.test:22/",
    "http://me@films.test/",
    "http://me:secret@films.test/",
  ])("the URL %p", async (url) => {
    const attempt = open().download(url, options());
    await expect(attempt).rejects.toMatchObject({ code: "url_not_allowed", facts: { path: "audio.audioUrl" } });
  });

  test.each([
    "127.0.0.1",
    "0x7f.1",
    "2130706433",
    "0177.0.0.1",
    "0",
    "①②⑦.⓪.⓪.①",
    "10.1.2.3",
    "172.31.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "198.18.0.1",
    "192.0.2.1",
    "203.0.113.9",
    "224.0.0.1",
    "255.255.255.255",
    "[::]",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b:1::7f00:1]",
    "[2002:7f00:1::]",
    "[2001:db8::1]",
    "[2001::1]",
    "[fc00::1]",
    "[fec0::1]",
    "[fe80::1]",
    "[ff02::1]",
  ])("the host %s", async (host) => {
    const attempt = guarded([]).download(`http://${host}/`, options());
    await expect(attempt).rejects.toMatchObject({ code: "url_not_allowed" });
  });

  test("a name of which one address is private", async () => {
    const attempt = guarded(["93.184.216.34", "10.0.0.1"]).download(at("/plain"), options());
    await expect(attempt).rejects.toMatchObject({ code: "url_not_allowed" });
  });

  test.each(["/to/file", "/to/port", "/to/user"])("a redirect that leads astray: %s", async (path) => {
    await expect(open().download(at(path), options())).rejects.toMatchObject({ code: "url_not_allowed" });
  });
});

describe("what cannot be read", () => {
  test.each(["/missing", "/loop", "/odd"])("%s", async (path) => {
    const attempt = open().download(at(path), options());
    await expect(attempt).rejects.toMatchObject({ code: "url_unreachable", facts: { path: "audio.audioUrl" } });
  });

  test("a host name that nobody knows", async () => {
    const attempt = open(async () => []).download(at("/plain"), options());
    await expect(attempt).rejects.toMatchObject({ code: "url_unreachable" });
  });

  test("a server that is not there", async () => {
    const nowhere = open(async () => [{ address: "127.0.0.77", family: 4 }]);
    await expect(nowhere.download(at("/plain"), options())).rejects.toMatchObject({ code: "url_unreachable" });
  });

  test.each([
    ["breaks off", "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhello"],
    ["turns to another protocol", "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"],
    ["speaks no HTTP", "hello\r\n\r\n"],
  ])("a server that %s", async (_, answer) => {
    using odd = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: { data: (socket) => void socket.end(answer) },
    });
    const fetcher = guardedFetcher({ files, extraPorts: [odd.port], allowPrivateNetwork: true });

    const attempt = fetcher.download(`http://127.0.0.1:${odd.port}/`, options());

    await expect(attempt).rejects.toMatchObject({ code: "url_unreachable" });
  });
});

test("bytes are counted as they are unpacked, declared or not", async () => {
  for (const path of ["/bomb", "/large"]) {
    const attempt = open().download(at(path), options());
    await expect(attempt).rejects.toMatchObject({ code: "payload_too_large", facts: { maxBytes: 2 ** 20 } });
  }
});

test("who stops waiting stops the download", async () => {
  const controller = new AbortController();
  const attempt = open().download(at("/silent"), options({ signal: controller.signal }));
  controller.abort(new Error("gone"));
  await expect(attempt).rejects.toThrow("gone");
});

describe("a message to somewhere", () => {
  const asked = (signal = new AbortController().signal) => ({ path: "webhook.url", signal });
  const message = { headers: { "content-type": "application/json", host: "other.test", "x-more": "1" }, body: "{}" };

  test("arrives whole, under the name that was asked for, and only the status of the answer is read", async () => {
    expect(await open().post(at("/echo"), message, asked())).toEqual({ status: 200 });
    const [{ method, headers, body }] = posted.splice(0) as [Posted];
    expect([method, body, headers.get("x-more"), headers.get("host")]).toEqual([
      ...["POST", "{}", "1"],
      `films.test:${server.port}`,
    ]);
  });

  test("does not go where a redirect leads", async () => {
    expect(await open().post(at("/to/plain"), message, asked())).toEqual({ status: 307 });
    expect(await open().post(at("/missing"), message, asked())).toEqual({ status: 404 });
    expect(await open().post(at("/busy"), message, asked())).toEqual({ status: 503, retryAfterSeconds: 90 });
  });

  test("is kept back by the rules for downloads, also while it is only looked up", async () => {
    const urls = ["file:///etc/passwd", "http://films.test:22/", "http://me:secret@films.test/", "http://[::1]/"];
    const hidden = guarded(["93.184.216.34", "10.0.0.1"]);
    for (const url of [...urls, at("/echo")]) {
      const refusal = { code: "url_not_allowed", facts: { path: "webhook.url" } };
      await expect(hidden.post(url, message, asked())).rejects.toMatchObject(refusal);
      await expect(hidden.lookUp(url, { path: "webhook.url" })).rejects.toMatchObject(refusal);
    }
    expect(posted).toEqual([]);
  });

  test("goes to the address that was checked, whatever its name says a moment later", async () => {
    let looks = 0;
    const fetcher = open(async () => [{ address: looks++ === 0 ? "127.0.0.1" : "127.0.0.77", family: 4 }]);
    await fetcher.post(at("/echo"), message, asked());
    expect([looks, posted.splice(0).length]).toEqual([1, 1]);
  });

  test("needs a server that answers", async () => {
    const nowhere = open(async () => [{ address: "127.0.0.77", family: 4 }]);
    await expect(nowhere.post(at("/echo"), message, asked())).rejects.toMatchObject({ code: "url_unreachable" });
  });

  test("is given up by who stops waiting, also while its name is looked up", async () => {
    const forever = open(() => new Promise(() => {}));
    for (const fetcher of [open(), forever]) {
      const controller = new AbortController();
      const attempt = fetcher.post(at("/still"), message, asked(controller.signal));
      controller.abort(new Error("gone"));
      await expect(attempt).rejects.toThrow("gone");
    }
  });
});

test("a failed download leaves no file", async () => {
  expect(await filesOnDisk()).toEqual([]);
});

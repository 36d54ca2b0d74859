import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { gzipSync } from "node:zlib";
import { ssrfGuardedFetcher } from "../../../src/readers/web/fetcher.ts";
import { diskFiles } from "../../../src/storage/files/disk-files.ts";

let folder: string;
let server: ReturnType<typeof Bun.serve>;
let files: Awaited<ReturnType<typeof diskFiles>>;

const zeros = new Uint8Array(20 * 2 ** 20);

type RecordedRequest = { readonly method: string; readonly headers: Headers; readonly body: string };
const requests: RecordedRequest[] = [];

const responses: Record<string, (request: Request) => Response | Promise<Response>> = {
  "/plain": () => new Response("hello"),
  "/host": (request) => new Response(request.headers.get("host")),
  "/gzip": () => new Response(gzipSync("hello"), { headers: { "content-encoding": "gzip" } }),
  "/bomb": () => new Response(gzipSync(zeros), { headers: { "content-encoding": "gzip" } }),
  "/unknown-encoding": () => new Response("hello", { headers: { "content-encoding": "constructor" } }),
  "/large": () => new Response(zeros),
  "/missing": () => new Response("no", { status: 404 }),
  "/busy": () => new Response("no", { status: 503, headers: { "retry-after": "90" } }),
  "/loop": () => Response.redirect("/loop"),
  "/to/plain": () => Response.redirect("/plain", 307),
  "/to/file": () => Response.redirect("file:///etc/passwd"),
  "/to/port": () => Response.redirect("http://videos.test:22/"),
  "/to/user": () => Response.redirect("http://me:secret@videos.test/"),
  "/echo": async (request) => {
    requests.push({ method: request.method, headers: request.headers, body: await request.text() });
    return new Response(zeros);
  },
  "/no-response": () => new Promise(() => {}),
  "/no-body": () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) })),
};

beforeAll(async () => {
  folder = await mkdtemp(`${tmpdir()}/fetcher-`);
  files = await diskFiles(folder);
  server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => responses[new URL(request.url).pathname]!(request),
  });
});

afterAll(async () => {
  await server.stop(true);
  await rm(folder, { recursive: true, force: true });
});

const options = (more: { maxBytes?: number; owner?: string; signal?: AbortSignal } = {}) => ({
  path: "audio.audioUrl",
  maxBytes: 2 ** 20,
  owner: "ann",
  signal: new AbortController().signal,
  ...more,
});

/** Allows the test server on the loopback address. */
const unguarded = (resolve = async (_: string) => [{ address: "127.0.0.1", family: 4 }]) =>
  ssrfGuardedFetcher({ files, extraPorts: [server.port!], allowPrivateNetwork: true, resolve });

const guarded = (addresses: readonly string[]) =>
  ssrfGuardedFetcher({
    files,
    extraPorts: [server.port!],
    allowPrivateNetwork: false,
    resolve: async () => addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
  });

const urlOf = (path: string) => `http://videos.test:${server.port}${path}`;

test("a user has four downloads at once, and another user's do not wait for them", async () => {
  const release = Promise.withResolvers<void>();
  const fourth = Promise.withResolvers<void>();
  let open = 0;
  responses["/held"] = async () => {
    open++;
    if (open === 4) fourth.resolve();
    await release.promise;
    return new Response("late");
  };
  const fetcher = unguarded();
  const anns = Array.from({ length: 25 }, () => fetcher.download(urlOf("/held"), options()));
  await expect(Promise.race(anns)).rejects.toMatchObject({ code: "busy" });
  await fourth.promise;
  const bobs = await fetcher.download(urlOf("/plain"), options({ owner: "bob" }));
  expect(open).toBe(4);
  release.resolve();
  const outcomes = await Promise.allSettled(anns);
  expect([outcomes.filter(({ status }) => status === "fulfilled").length, open]).toEqual([24, 24]);
  for (const outcome of outcomes) if (outcome.status === "fulfilled") await files.discard(outcome.value);
  await files.discard(bobs);
});

const read = async (path: string) => {
  const received = await unguarded().download(urlOf(path), options());
  const text = await Bun.file(received.path).text();
  await files.discard(received);
  return text;
};

const filesOnDisk = async () =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.name.includes(".lock"))
    .map(({ name }) => name);

test("downloads plain and compressed files", async () => {
  expect(await read("/plain")).toBe("hello");
  expect(await read("/gzip")).toBe("hello");
});

test("follows a redirect", async () => {
  expect(await read("/to/plain")).toBe("hello");
});

test("connects to the pinned address and sends the host name of the URL", async () => {
  const lookedUp: string[] = [];
  const fetcher = unguarded(async (name) => {
    lookedUp.push(name);
    return [{ address: lookedUp.length === 1 ? "127.0.0.1" : "127.0.0.77", family: 4 }];
  });

  const received = await fetcher.download(urlOf("/host"), options());

  expect(await Bun.file(received.path).text()).toBe(`videos.test:${server.port}`);
  expect(lookedUp).toEqual(["videos.test"]);
  await files.discard(received);
});

describe("rejects with url_not_allowed", () => {
  test.each([
    "file:///etc/passwd",
    "ftp://videos.test/a",
    "data:audio/wav;base64,AAAA",
    "videos.test/a",
    "",
    "http://videos.test:22/",
    "http://me@videos.test/",
    "http://me:secret@videos.test/",
  ])("the URL %p", async (url) => {
    const attempt = unguarded().download(url, options());
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

  test("a host name with one private address among public ones", async () => {
    const attempt = guarded(["93.184.216.34", "10.0.0.1"]).download(urlOf("/plain"), options());
    await expect(attempt).rejects.toMatchObject({ code: "url_not_allowed" });
  });

  test.each(["/to/file", "/to/port", "/to/user"])("a redirect to a URL that is not allowed: %s", async (path) => {
    await expect(unguarded().download(urlOf(path), options())).rejects.toMatchObject({ code: "url_not_allowed" });
  });
});

describe("rejects with url_unreachable", () => {
  test.each(["/missing", "/loop", "/unknown-encoding"])("%s", async (path) => {
    const attempt = unguarded().download(urlOf(path), options());
    await expect(attempt).rejects.toMatchObject({ code: "url_unreachable", facts: { path: "audio.audioUrl" } });
  });

  test("a host name that does not resolve", async () => {
    const attempt = unguarded(async () => []).download(urlOf("/plain"), options());
    await expect(attempt).rejects.toMatchObject({ code: "url_unreachable" });
  });

  test("a server that refuses the connection", async () => {
    const unreachable = unguarded(async () => [{ address: "127.0.0.77", family: 4 }]);
    await expect(unreachable.download(urlOf("/plain"), options())).rejects.toMatchObject({ code: "url_unreachable" });
  });

  test.each([
    ["closes the connection early", "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhello"],
    ["switches to another protocol", "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"],
    ["does not speak HTTP", "hello\r\n\r\n"],
  ])("a server that %s", async (_, response) => {
    using tcpServer = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: { data: (socket) => void socket.end(response) },
    });
    const fetcher = ssrfGuardedFetcher({ files, extraPorts: [tcpServer.port], allowPrivateNetwork: true });

    const attempt = fetcher.download(`http://127.0.0.1:${tcpServer.port}/`, options());

    await expect(attempt).rejects.toMatchObject({ code: "url_unreachable" });
  });
});

test("applies the size limit to the decoded bytes, with or without a declared length", async () => {
  for (const path of ["/bomb", "/large"]) {
    const attempt = unguarded().download(urlOf(path), options());
    await expect(attempt).rejects.toMatchObject({ code: "payload_too_large", facts: { maxBytes: 2 ** 20 } });
  }
});

test("aborts the download with the caller's signal", async () => {
  const controller = new AbortController();
  const attempt = unguarded().download(urlOf("/no-body"), options({ signal: controller.signal }));
  controller.abort(new Error("gone"));
  await expect(attempt).rejects.toThrow("gone");
});

describe("post", () => {
  const postOptions = (signal = new AbortController().signal) => ({ path: "webhook.url", signal });
  const message = { headers: { "content-type": "application/json", host: "other.test", "x-more": "1" }, body: "{}" };

  test("sends headers, body and host name, and reads only the status of the response", async () => {
    expect(await unguarded().post(urlOf("/echo"), message, postOptions())).toEqual({ status: 200 });
    const [{ method, headers, body }] = requests.splice(0) as [RecordedRequest];
    expect([method, body, headers.get("x-more"), headers.get("host")]).toEqual([
      "POST",
      "{}",
      "1",
      `videos.test:${server.port}`,
    ]);
  });

  test("does not follow redirects", async () => {
    expect(await unguarded().post(urlOf("/to/plain"), message, postOptions())).toEqual({ status: 307 });
    expect(await unguarded().post(urlOf("/missing"), message, postOptions())).toEqual({ status: 404 });
    expect(await unguarded().post(urlOf("/busy"), message, postOptions())).toEqual({
      status: 503,
      retryAfterSeconds: 90,
    });
  });

  test("applies the rules of downloads, also in lookUp", async () => {
    const urls = ["file:///etc/passwd", "http://videos.test:22/", "http://me:secret@videos.test/", "http://[::1]/"];
    const privateHost = guarded(["93.184.216.34", "10.0.0.1"]);
    for (const url of [...urls, urlOf("/echo")]) {
      const rejection = { code: "url_not_allowed", facts: { path: "webhook.url" } };
      await expect(privateHost.post(url, message, postOptions())).rejects.toMatchObject(rejection);
      await expect(privateHost.resolveHost(url, { path: "webhook.url" })).rejects.toMatchObject(rejection);
    }
    expect(requests).toEqual([]);
  });

  test("connects to the pinned address, even if the host name resolves to another one later", async () => {
    let lookups = 0;
    const fetcher = unguarded(async () => [{ address: lookups++ === 0 ? "127.0.0.1" : "127.0.0.77", family: 4 }]);
    await fetcher.post(urlOf("/echo"), message, postOptions());
    expect([lookups, requests.splice(0).length]).toEqual([1, 1]);
  });

  test("rejects with url_unreachable if the server refuses the connection", async () => {
    const unreachable = unguarded(async () => [{ address: "127.0.0.77", family: 4 }]);
    await expect(unreachable.post(urlOf("/echo"), message, postOptions())).rejects.toMatchObject({
      code: "url_unreachable",
    });
  });

  test("aborts with the caller's signal, also during the DNS lookup", async () => {
    const pendingLookup = unguarded(() => new Promise(() => {}));
    for (const fetcher of [unguarded(), pendingLookup]) {
      const controller = new AbortController();
      const attempt = fetcher.post(urlOf("/no-response"), message, postOptions(controller.signal));
      controller.abort(new Error("gone"));
      await expect(attempt).rejects.toThrow("gone");
    }
  });
});

test("a failed download leaves no file", async () => {
  expect(await filesOnDisk()).toEqual([]);
});

import { afterEach, expect, test } from "bun:test";
import { BrokenWire, cappedFetch, OversizedAnswer } from "../../../src/ai/client/limited-fetch.ts";
import { standIn } from "../../helpers/stand-in.ts";

const servers: { stop(): unknown }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.stop();
});

function serving(...replies: Parameters<typeof standIn>) {
  const server = standIn(...replies);
  servers.push(server);
  return server;
}

const megabyte = 2 ** 20;
const send = cappedFetch({ maxBytes: megabyte });
const key = { "x-goog-api-key": "a key of the caller" };

/** Bytes without end, and how many were taken. */
function endless() {
  const sent = { bytes: 0 };
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent.bytes += 65_536;
      controller.enqueue(new Uint8Array(65_536));
    },
  });
  return { sent, body };
}

test("an answer within the cap arrives whole, with its status and headers", async () => {
  const bytes = new Uint8Array(megabyte).fill(7);
  const { url } = serving({ "GET /": () => new Response(bytes, { status: 418, headers: { "x-told": "yes" } }) });
  const response = await send(url);
  expect([response.status, response.headers.get("x-told")]).toEqual([418, "yes"]);
  expect(await response.bytes()).toEqual(bytes);
});

test("an answer without end is broken off", async () => {
  const { sent, body } = endless();
  const { url } = serving({ "GET /": () => new Response(body) });
  const error = await (await send(url)).bytes().catch((thrown) => thrown);
  expect(error).toBeInstanceOf(OversizedAnswer);
  // what lies in the sockets' own buffers comes on top
  expect(sent.bytes).toBeLessThan(32 * megabyte);
});

test("a large answer that passes through leaves no heap of garbage", async () => {
  // the engine itself waits for as much garbage as lives: in the service that is the database
  const alive = new Uint8Array(512 * megabyte).fill(1);
  const block = new Uint8Array(megabyte);
  let left = 450;
  const film = new ReadableStream<Uint8Array>({
    pull: (controller) => (left-- > 0 ? controller.enqueue(block) : controller.close()),
  });
  const { url } = serving({ "GET /": () => new Response(film) });
  const { body } = await cappedFetch({ maxBytes: 500 * megabyte })(url);

  const before = process.memoryUsage.rss();
  let most = before;
  for await (const _ of body!) most = Math.max(most, process.memoryUsage.rss());
  expect((most - before) / megabyte).toBeLessThan(96);
  expect(alive.byteLength).toBe(512 * megabyte);
});

test("what counts is what an answer unpacks to", async () => {
  const packed = Bun.gzipSync(new Uint8Array(4 * megabyte));
  const { url } = serving({ "GET /": () => new Response(packed, { headers: { "content-encoding": "gzip" } }) });
  expect((await send(url)).bytes()).rejects.toBeInstanceOf(OversizedAnswer);
});

test("a redirect on the same origin is followed with the key", async () => {
  const server = serving({ "GET /old": () => Response.redirect("/new"), "GET /new": () => new Response("here") });
  expect(await (await send(`${server.url}/old`, { headers: key })).text()).toBe("here");
  expect(server.taken[1]?.headers.get("x-goog-api-key")).toBe("a key of the caller");
});

test("no other origin hears of a request", async () => {
  const stranger = serving({ "GET /": () => new Response("come in") });
  const { url } = serving({ "GET /": () => Response.redirect(`${stranger.url}/`) });
  const error = await send(url, { headers: key }).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(BrokenWire);
  expect(stranger.taken).toEqual([]);
});

test("a POST is never redirected, and a circle is left", async () => {
  const server = serving({ "POST /": () => Response.redirect("/", 307), "GET /": () => Response.redirect("/") });
  const error = await send(server.url, { method: "POST", body: "paid" }).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(BrokenWire);
  expect(server.to("POST", /./)).toHaveLength(1);
  expect(send(server.url)).rejects.toBeInstanceOf(BrokenWire);
});

test("no request relies on the connection of the one before, and none is sent twice", async () => {
  const seen = { connections: 0, requests: 0 };
  const server = Bun.listen({
    ...{ hostname: "127.0.0.1", port: 0 },
    socket: {
      open: () => void seen.connections++,
      data(socket) {
        seen.requests++;
        if (seen.requests === 1) socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        else socket.end();
      },
    },
  });
  servers.push(server);
  const post = () => send(`http://127.0.0.1:${server.port}/`, { method: "POST", body: "paid" });
  expect(await (await post()).text()).toBe("ok");
  expect(await post().catch((thrown) => thrown)).toBeInstanceOf(BrokenWire);
  expect(seen).toEqual({ connections: 2, requests: 2 });
});

test("an abort throws its own reason, before the answer and in its middle", async () => {
  const reason = new Error("The deadline has passed.");
  const { sent, body } = endless();
  const aborting = new AbortController();
  const server = serving({
    "GET /never": () => {
      aborting.abort(reason);
      return new Promise<Response>(() => {});
    },
    "GET /endless": () => new Response(body),
  });
  expect(await send(`${server.url}/never`, { signal: aborting.signal }).catch((error) => error)).toBe(reason);

  const later = new AbortController();
  const response = await send(`${server.url}/endless`, { signal: later.signal });
  later.abort(reason);
  expect(await response.bytes().catch((error) => error)).toBe(reason);
  expect(sent.bytes).toBeLessThan(32 * megabyte);
});

test("an error tells neither the address nor the key", async () => {
  const { url, stop } = standIn({});
  stop();
  const error = await send(`${url}/?key=secret`, { headers: key }).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(BrokenWire);
  expect(Bun.inspect(error)).not.toMatch(/secret|a key of the caller/);
});

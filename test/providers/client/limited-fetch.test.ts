import { afterEach, expect, test } from "bun:test";
import { limitedFetch, NetworkError, ResponseTooLargeError } from "../../../src/providers/client/limited-fetch.ts";
import { fakeServer, type Routes } from "../../support/models/fake-server.ts";

const servers: { stop(): unknown }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.stop();
});

function startServer(routes: Routes) {
  const server = fakeServer(routes);
  servers.push(server);
  return server;
}

const megabyte = 2 ** 20;
const send = limitedFetch({ maxBytes: megabyte });
const key = { "x-goog-api-key": "a key of the caller" };

/** An endless body, with the number of bytes that were read from it. */
function endlessBody() {
  const sent = { bytes: 0 };
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent.bytes += 65_536;
      controller.enqueue(new Uint8Array(65_536));
    },
  });
  return { sent, body };
}

test("passes a response within the limit with its status and headers", async () => {
  const bytes = new Uint8Array(megabyte).fill(7);
  const { url } = startServer({ "GET /": () => new Response(bytes, { status: 418, headers: { "x-test": "yes" } }) });
  const response = await send(url);
  expect([response.status, response.headers.get("x-test")]).toEqual([418, "yes"]);
  expect(await response.bytes()).toEqual(bytes);
});

test("aborts an endless response", async () => {
  const { sent, body } = endlessBody();
  const { url } = startServer({ "GET /": () => new Response(body) });
  const error = await (await send(url)).bytes().catch((thrown) => thrown);
  expect(error).toBeInstanceOf(ResponseTooLargeError);
  // the socket buffers hold more than the limit
  expect(sent.bytes).toBeLessThan(32 * megabyte);
});

test("limits the decompressed size", async () => {
  const packed = Bun.gzipSync(new Uint8Array(4 * megabyte));
  const { url } = startServer({ "GET /": () => new Response(packed, { headers: { "content-encoding": "gzip" } }) });
  await expect((await send(url)).bytes()).rejects.toBeInstanceOf(ResponseTooLargeError);
});

test("follows a redirect within the origin and sends the key again", async () => {
  const server = startServer({ "GET /old": () => Response.redirect("/new"), "GET /new": () => new Response("here") });
  expect(await (await send(`${server.url}/old`, { headers: key })).text()).toBe("here");
  expect(server.requests[1]?.headers.get("x-goog-api-key")).toBe("a key of the caller");
});

test("does not follow a redirect to another origin", async () => {
  const otherServer = startServer({ "GET /": () => new Response("come in") });
  const { url } = startServer({ "GET /": () => Response.redirect(`${otherServer.url}/`) });
  const error = await send(url, { headers: key }).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(NetworkError);
  expect(otherServer.requests).toEqual([]);
});

test("rejects a redirect of a POST, and a redirect loop", async () => {
  const server = startServer({ "POST /": () => Response.redirect("/", 307), "GET /": () => Response.redirect("/") });
  const error = await send(server.url, { method: "POST", body: "paid" }).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(NetworkError);
  expect(server.requestsTo("POST", /./)).toHaveLength(1);
  await expect(send(server.url)).rejects.toBeInstanceOf(NetworkError);
});

test("opens a new connection for each request and sends each request once", async () => {
  const seen = { connections: 0, requests: 0 };
  const server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
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
  expect(await post().catch((thrown) => thrown)).toBeInstanceOf(NetworkError);
  expect(seen).toEqual({ connections: 2, requests: 2 });
});

test("an abort throws the signal's reason, before and during the response", async () => {
  const reason = new Error("The deadline has passed.");
  const { sent, body } = endlessBody();
  const aborting = new AbortController();
  const server = startServer({
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

test("an error contains neither the URL nor the key", async () => {
  const { url, stop } = fakeServer({});
  stop();
  const error = await send(`${url}/?key=secret`, { headers: key }).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(NetworkError);
  expect(Bun.inspect(error)).not.toMatch(/secret|a key of the caller/);
});

import { expect, test } from "bun:test";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { Hono } from "hono";
import type { AppEnv } from "../../../src/http/app-env.ts";
import { clientAddress } from "../../../src/http/request/client-address.ts";

/** An app that responds with the address of its client. */
const appBehind = (...trusted: string[]) => {
  const addressOf = clientAddress(trusted);
  return new Hono<AppEnv>().get("/", (c) => c.json(addressOf(c)));
};

async function addressOf(peer: string | null, forwardedFor: string | undefined, ...trusted: string[]) {
  const headers = new Headers(forwardedFor === undefined ? {} : { "x-forwarded-for": forwardedFor });
  const requestIP = () => (peer === null ? null : { address: peer, port: 1, family: "IPv4" as const });
  return (await appBehind(...trusted).request("/", { headers }, { requestIP })).json();
}

const networkOf = async (...args: Parameters<typeof addressOf>) => (await addressOf(...args)).network;

test.each([
  ["203.0.113.7", "203.0.113.7"],
  ["::ffff:203.0.113.7", "203.0.113.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:db8:1:2::", "2001:db8:1:2::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  [null, "unknown"],
])("the peer %s counts as %s", async (peer, network) => {
  expect(await networkOf(peer, undefined)).toBe(network);
});

test.each([
  ["127.0.0.1", true],
  ["127.8.9.1", true],
  ["::1", true],
  ["::ffff:127.0.0.1", true],
  ["203.0.113.7", false],
  ["2001:db8::1", false],
])("%s is a loopback address: %p", async (peer, isLoopback) => {
  expect((await addressOf(peer, undefined)).isLoopback).toBe(isLoopback);
});

test("X-Forwarded-For of a peer that is not trusted is ignored", async () => {
  expect(await networkOf("203.0.113.7", "198.51.100.1")).toBe("203.0.113.7");
  expect(await networkOf("203.0.113.7", "198.51.100.1", "10.0.0.0/8")).toBe("203.0.113.7");
});

const proxies = ["10.0.0.0/8", "2001:db8:ffff::/48", "127.0.0.1"];

test.each([
  ["one client", "198.51.100.1", "198.51.100.1"],
  ["no header", undefined, "10.0.0.1"],
  ["an empty header", "", "10.0.0.1"],
  ["an invented address before the client", "192.0.2.66, 198.51.100.1", "198.51.100.1"],
  ["an invented proxy before the client", "10.0.0.9, 198.51.100.1", "198.51.100.1"],
  ["two more proxies", "198.51.100.1, 10.9.9.9,127.0.0.1", "198.51.100.1"],
  ["only proxies", "10.0.0.3, 10.0.0.2", "10.0.0.3"],
  ["a port", "198.51.100.1:4711", "198.51.100.1"],
  ["IPv6", "2001:db8:1:2::7", "2001:db8:1:2::/64"],
  ["IPv6 in brackets", "[2001:db8:1:2::7]", "2001:db8:1:2::/64"],
  ["IPv6 with a port", "[2001:db8:1:2::7]:443", "2001:db8:1:2::/64"],
  ["an IPv6 proxy", "198.51.100.1, 2001:db8:ffff::5", "198.51.100.1"],
  ["mapped IPv4", "::ffff:198.51.100.1", "198.51.100.1"],
  ["a mapped proxy", "198.51.100.1, ::ffff:10.0.0.2", "198.51.100.1"],
  ["garbage", "unknown", "10.0.0.1"],
  ["garbage before a proxy", "198.51.100.1, _hidden, 10.0.0.2", "10.0.0.2"],
  ["an empty entry", "198.51.100.1, ", "10.0.0.1"],
  ["a short form of IPv4", "127.1", "10.0.0.1"],
  ["a number", "3232235777", "10.0.0.1"],
  ["an unclosed bracket", "[2001:db8:1:2::7", "10.0.0.1"],
])("behind a trusted proxy, %s", async (_, forwardedFor, network) => {
  expect(await networkOf("10.0.0.1", forwardedFor, ...proxies)).toBe(network);
});

test("a trusted peer may have a mapped address", async () => {
  expect(await networkOf("::ffff:10.0.0.1", "198.51.100.1", "10.0.0.0/8")).toBe("198.51.100.1");
  expect(await networkOf("10.0.0.1", "198.51.100.1", "::ffff:10.0.0.0/104")).toBe("198.51.100.1");
});

test("several headers count as one list, over a connection", async () => {
  const app = appBehind("127.0.0.1");
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request, bun) => app.fetch(request, bun) });
  const lines = ["GET / HTTP/1.1", "Host: x", "X-Forwarded-For: 192.0.2.66", "X-Forwarded-For: 198.51.100.1"];
  const socket = connect(server.port!, "127.0.0.1").setEncoding("utf8");
  socket.write(`${[...lines, "Connection: close"].join("\r\n")}\r\n\r\n`);
  const response = await text(socket);
  await server.stop(true);

  expect(response).toContain('"network":"198.51.100.1"');
});

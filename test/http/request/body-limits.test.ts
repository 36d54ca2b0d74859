import { expect, test } from "bun:test";
import { Hono } from "hono";
import type { AppEnv } from "../../../src/http/app-env.ts";
import { bodyLimits, limitBodies } from "../../../src/http/request/body-limits.ts";
import { clientAddress } from "../../../src/http/request/client-address.ts";
import { errorHandler } from "../../../src/http/response/error-response.ts";

/** An app behind a proxy, whose requests never free the places of their bodies, and tell who gave way. */
const ended: string[] = [];
const app = new Hono<AppEnv>()
  .onError(errorHandler)
  .use(limitBodies(bodyLimits, clientAddress(["10.0.0.1"])))
  .post("/", (c) => {
    c.var.acquireBodySlot(() => ended.push(c.req.header("x-forwarded-for") ?? ""));
    return c.text("taken");
  });

const send = async (client: string) => {
  const headers = { "x-forwarded-for": client };
  const bindings = { requestIP: () => ({ address: "10.0.0.1", family: "IPv4" as const, port: 1 }) };
  return (await app.request("/", { method: "POST", headers }, bindings)).status;
};

test("the bodies of unknown callers behind a proxy are counted by client", async () => {
  const statuses = new Set<number>();
  for (let body = 0; body < 256; body++) statuses.add(await send("203.0.113.1"));

  expect([...statuses]).toEqual([200]);
  expect([await send("203.0.113.1"), await send("203.0.113.2")]).toEqual([200, 200]);
  expect(ended).toEqual(["203.0.113.1"]);
});

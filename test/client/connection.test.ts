import { afterAll, expect, setSystemTime, test } from "bun:test";
import { ApiError, connect, type Tokens, unwrap } from "../../src/client.ts";
import { breakingFetch } from "../support/broken-fetch.ts";
import { testService } from "../support/service.ts";
import { listen } from "../support/uploads.ts";

const lifetimeSeconds = 60;
const service = await testService({ ACCESS_TOKEN_TTL: `${lifetimeSeconds}` });
const server = listen(service);
afterAll(async () => {
  await server.stop();
  await service.close();
});

/** A login whose access token has expired. */
async function expiredLogin(name: string): Promise<Tokens> {
  setSystemTime(Date.now() - 2000 * lifetimeSeconds);
  try {
    const { accessToken, refreshToken } = await service.register(name);
    return { accessToken, refreshToken };
  } finally {
    setSystemTime();
  }
}

const isRefresh = (url: string) => url.endsWith("/api/auth/refresh");

test("an expired access token is refreshed once for concurrent requests, and the new tokens are handed over", async () => {
  const refreshed: Tokens[] = [];
  const { fetch, exchanges } = breakingFetch();
  const session = await expiredLogin("Ann");
  const { api } = connect(server.url, { session, fetch, onRefresh: (tokens) => void refreshed.push(tokens) });

  const users = await Promise.all([1, 2, 3].map(() => unwrap(api.auth.me.$get())));

  expect(users.map(({ name }) => name)).toEqual(["Ann", "Ann", "Ann"]);
  expect(exchanges.filter(({ url }) => isRefresh(url))).toHaveLength(1);
  expect(refreshed).toHaveLength(1);
  expect(refreshed[0]!.refreshToken).not.toBe(session.refreshToken);
});

test("a body is sent again with the new token", async () => {
  const { api } = connect(server.url, { session: await expiredLogin("Ben") });
  expect(await unwrap(api.projects.$post({ json: { name: "Launch" } }))).toMatchObject({ name: "Launch" });
});

test("tokens that another process has refreshed are used without a refresh", async () => {
  const stored = [await expiredLogin("Cid"), await service.register("Cid")];
  const { fetch, exchanges } = breakingFetch();
  const { api } = connect(server.url, { session: () => stored.shift()!, fetch });

  expect(await unwrap(api.auth.me.$get())).toMatchObject({ name: "Cid" });
  expect(exchanges.some(({ url }) => isRefresh(url))).toBe(false);
});

test("a login that has ended is an error with the code invalid_token", async () => {
  const { accessToken } = await expiredLogin("Fay");
  const { api } = connect(server.url, { session: { accessToken, refreshToken: "unknown" } });

  const error = await unwrap(api.auth.me.$get()).catch((thrown: unknown) => thrown);

  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ code: "invalid_token", status: 401, message: "Invalid or expired token" });
});

test("the code of an error selects the type of its details", async () => {
  const { accessToken } = await service.register("Dan");
  const { api } = connect(server.url, { token: accessToken });

  const error = await unwrap(api.projects.$post({ json: { name: "" } })).catch((thrown: unknown) => thrown);

  if (!(error instanceof ApiError)) throw new Error("The project should be refused.");
  if (error.code !== "validation_error") throw new Error(`The code is ${error.code}.`);
  // compiles because the code says that there is a list
  expect(error.details.map(({ path }) => path)).toEqual(["name"]);
  expect(error.requestId).toBeString();
});

test("a missing scope says what is required and granted", async () => {
  const login = connect(server.url, { token: (await service.register("Eve")).accessToken });
  const json = { name: "reader", scopes: ["projects:read" as const], expiresInDays: 1 };
  const { token } = await unwrap(login.api.tokens.$post({ json }));
  const { api } = connect(server.url, { token });

  const error = await unwrap(api.projects.$post({ json: { name: "No" } })).catch((thrown: unknown) => thrown);

  if (!(error instanceof ApiError) || error.code !== "insufficient_scope") throw error;
  expect(error.details).toEqual({ required: ["projects:write"], granted: ["projects:read"] });
});

test("a response that is not the service's is named as such", async () => {
  const matches = () => true;
  const { fetch } = breakingFetch({ matches, instead: () => new Response("<h1>Bad gateway</h1>", { status: 502 }) });

  const error = await unwrap(connect(server.url, { fetch }).api.auth.me.$get()).catch((thrown: unknown) => thrown);

  if (!(error instanceof ApiError) || error.code !== "unknown_response") throw error;
  expect(error).toMatchObject({ status: 502, details: { body: "<h1>Bad gateway</h1>" } });
});

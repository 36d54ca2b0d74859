import { jsonInit, type TestService, type TestUser } from "./service.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests assert on response bodies of any shape
export type JsonResponse = { readonly status: number; readonly headers: Headers; readonly body: any };

type RequestHeaders = Record<string, string>;

/** Returns a function that sends JSON as this user and reads the response. */
export const jsonClient =
  (user: TestUser) =>
  async (method: string, path: string, body?: unknown, headers?: RequestHeaders): Promise<JsonResponse> =>
    readJson(await user.json(method, path, body, headers));

/** Like `jsonClient`, with an API token that has these scopes only. */
export async function jsonClientWithScopes({ request }: TestService, user: TestUser, scopes: readonly string[]) {
  const { body } = await jsonClient(user)("POST", "/api/tokens", { name: "narrow", scopes });
  return async (method: string, path: string, sent?: unknown): Promise<JsonResponse> =>
    readJson(await request(path, jsonInit(method, sent, { authorization: `Bearer ${body.token}` })));
}

async function readJson(response: Response): Promise<JsonResponse> {
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined };
}

import { jsonInit, type TestService, type TestUser } from "./service.ts";

// biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever came over the wire
export type Answered = { readonly status: number; readonly headers: Headers; readonly body: any };

type Headed = Record<string, string>;

/** Sends JSON as this user and reads the whole answer. */
export const asking =
  (user: TestUser) =>
  async (method: string, path: string, body?: unknown, headers?: Headed): Promise<Answered> =>
    readAnswer(await user.json(method, path, body, headers));

/** The same with an API token of these scopes only. */
export async function askingWithScopes({ request }: TestService, user: TestUser, scopes: readonly string[]) {
  const { body } = await asking(user)("POST", "/api/tokens", { name: "narrow", scopes });
  return async (method: string, path: string, sent?: unknown): Promise<Answered> =>
    readAnswer(await request(path, jsonInit(method, sent, { authorization: `Bearer ${body.token}` })));
}

async function readAnswer(response: Response): Promise<Answered> {
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined };
}

import { basename } from "node:path";
import { parseResponse } from "hono/client";
import { connect } from "../../src/client.ts";

/** Registers a new user and returns an access token. */
export async function register(url: string): Promise<string> {
  const email = `demo+${crypto.randomUUID()}@example.com`;
  const json = { email, password: crypto.randomUUID(), name: "Demo" };
  return (await parseResponse(connect(url).api.auth.register.$post({ json }))).accessToken;
}

/**
 * Uploads a file and returns the id of the asset, if it becomes one. The service reads uploads as streams, so they are
 * plain multipart requests and not part of the typed client.
 */
export const uploader = (url: string, token: string) => async (path: string, field: string, file: string) => {
  const body = new FormData();
  body.set(field, Bun.file(file), basename(file));
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}${path}`, { method: "POST", headers, body });
  if (!response.ok) throw new Error(await response.text());
  const { id } = (await response.json()) as { id?: string };
  return id ?? "";
};

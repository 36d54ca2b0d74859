import { basename } from "node:path";
import { parseResponse } from "hono/client";
import { type Client, connect } from "../../src/client.ts";

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

/** Downloads a file that the service names by its URL. */
export async function download(url: string, token: string, file: string): Promise<Uint8Array> {
  const response = await fetch(new URL(file, url), { headers: { authorization: `Bearer ${token}` } });
  if (!response.ok) throw new Error(await response.text());
  return new Uint8Array(await response.arrayBuffer());
}

type ExportRequest = Parameters<Client["api"]["export"]["$post"]>[0]["json"];

/** Exports the work as it is in its editor, with captions, and returns a summary to print. */
export async function exportVideo(api: Client, request: ExportRequest, out: string): Promise<string> {
  const response = await api.api.export.$post({ json: request });
  if (!response.ok) throw new Error(await response.text());
  const bytes = await Bun.write(out, await response.arrayBuffer());
  return `${(bytes / 1e6).toFixed(1)} MB, warnings ${response.headers.get("x-export-warnings")}`;
}

import { afterAll, describe, expect, test } from "bun:test";
import { callTool, failureOf, firstClient, handshakeClient, newClient } from "../../support/mcp-clients.ts";
import { jsonInit, testService } from "../../support/service.ts";
import { listen } from "../../support/uploads.ts";
import { newWork } from "../../support/work-videos.ts";

const secret = "SELECT secret FROM /srv/private";
const logged: string[] = [];
const log = { write: (line: string) => void logged.push(line) };
const service = await testService(
  { LOG_LEVEL: "error", CORS_ORIGINS: "https://agents.example.com" },
  log,
  ({ ledger, templates, fetcher }) => ({
    ledger: { ...ledger, list: () => Promise.reject(new Error(secret)) },
    templates: {
      ...templates,
      list: () => {
        throw new TypeError(secret);
      },
    },
    fetcher: { ...fetcher, download: () => Promise.reject(new RangeError(secret)) },
  }),
);
const ann = await service.register("Ann");
const server = listen(service);
const { projectId, workId } = await newWork(ann);
const client = await newClient(server, ann.accessToken);

afterAll(async () => {
  await client.close();
  server.stop();
  await service.close();
});

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};
const read = { jsonrpc: "2.0", id: 2, method: "resources/read", params: { uri: "reelwright://reference" } };
const accept = "application/json, text/event-stream";

const post = async (body: unknown, headers: Record<string, string> = {}) =>
  service.request("/mcp", jsonInit("POST", body, { accept, authorization: `Bearer ${ann.accessToken}`, ...headers }));

describe("before a tool is called", () => {
  test("a request without a valid token gets 401 and the way to authenticate", async () => {
    const without = await service.request("/mcp", jsonInit("POST", initialize, { accept }));
    expect([without.status, without.headers.get("www-authenticate")]).toEqual([401, 'Bearer realm="reelwright"']);
    const wrong = await post(initialize, { authorization: "Bearer rw_wrong" });
    expect([wrong.status, wrong.headers.get("www-authenticate")]).toEqual([
      401,
      'Bearer realm="reelwright", error="invalid_token"',
    ]);
    await expect(firstClient(server, "rw_wrong")).rejects.toThrow();
  });

  test("a page of a foreign site gets 403, one of an allowed origin does not", async () => {
    for (const origin of ["https://evil.example.com", "null", "http://localhost.evil.com", "chrome-extension://abc"]) {
      expect([origin, (await post(initialize, { origin })).status]).toEqual([origin, 403]);
    }
    for (const origin of ["https://agents.example.com", "http://localhost:5173"]) {
      expect([origin, (await post(initialize, { origin })).status]).toEqual([origin, 200]);
    }
  });

  test("only POST is served", async () => {
    for (const method of ["GET", "DELETE"]) {
      const response = await ann.request("/mcp", { method });
      expect([method, response.status, response.headers.get("allow")]).toEqual([method, 405, "POST, OPTIONS"]);
    }
  });

  test("hostile bodies are refused, not broken on", async () => {
    const call = (params: unknown) => ({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    const nested = JSON.parse(`${"[".repeat(30)}${"]".repeat(30)}`);
    const bodies: [unknown, number][] = [
      [null, 400],
      ["text", 400],
      [{}, 400],
      [[], 400],
      [[initialize], 400],
      [Array.from({ length: 99 }, (_, id) => ({ ...read, id })), 400],
      [{ jsonrpc: "2.0", id: {}, method: 5 }, 400],
      [call({ name: "projects_create", arguments: { name: "x", styleGuide: nested } }), 400],
      [call({ name: "x".repeat(5_000_000) }), 413],
    ];
    for (const [body, status] of bodies) expect((await post(body)).status).toBe(status);
    const init = { method: "POST", headers: { accept, "content-type": "application/json" } };
    expect((await ann.request("/mcp", { ...init, body: "{" })).status).toBe(400);
    expect((await ann.request("/mcp", { ...init, body: new Uint8Array([0xff, 0xfe]) })).status).toBe(400);
    expect((await ann.request("/mcp", { ...init, headers: { accept }, body: "a=1" })).status).toBe(415);
    expect((await post(initialize, { accept: "text/html" })).status).toBe(406);
  });

  test("an unknown tool, method or resource is a protocol error", async () => {
    await expect(client.callTool({ name: "projects_destroy", arguments: {} })).rejects.toThrow("There is no tool");
    await expect(client.callTool({ name: "constructor", arguments: {} })).rejects.toThrow("There is no tool");
    await expect(client.readResource({ uri: "reelwright://secrets" })).rejects.toThrow();
  });
});

describe("a refused call says what to do next", () => {
  test("for arguments that a tool does not have or that have another type", async () => {
    expect(await failureOf(client, "projects_get", { projectId, full: true })).toBe(
      'validation_error: projects_get has no argument "full": it takes projectId.',
    );
    expect(await failureOf(client, "projects_get")).toBe("validation_error: Project ID is required.");
    const text = await failureOf(client, "export_start", {
      projectId,
      workId,
      clips: [{ sceneIndex: 0, position: 2, end: 1, fit: "zoom" }],
    });
    expect(text).toStartWith("validation_error: Clip 1: ");
    expect(text).toContain("\n- clips.0.end: Clip 1: end must be later than position.");
    expect(text).toContain("\n- clips.0.fit: ");
  });

  test("for texts that no header can hold, and numbers that no path can", async () => {
    for (const args of [{ requestId: "a\nb" }, { apiKey: "☕" }, { provider: 5 }]) {
      const text = await failureOf(client, "ai_generate_image", { prompt: "A cup", ...args });
      expect(text).toMatch(/^validation_error: .* must be a text of plain characters/);
    }
    expect(await failureOf(client, "works_generate_scene", { projectId, workId, sceneIndex: 0.5 })).toBe(
      "validation_error: Scene index must be a whole number.",
    );
    expect(await failureOf(client, "export_status")).toBe("validation_error: Export ID is required.");
  });

  test("for files that are named twice, not at all, or are no base64", async () => {
    const media = { projectId, workId, sceneIndex: 0, kind: "image" };
    for (const args of [{}, { assetId: "asset_1", url: "https://files.example.com/a.png" }]) {
      expect(await failureOf(client, "works_set_scene_media", { ...media, ...args })).toContain("exactly one");
    }
    expect(await failureOf(client, "works_set_scene_media", { ...media, assetId: "asset_1" })).toStartWith(
      "asset_missing: ",
    );
    expect(await failureOf(client, "works_set_scene_media", { ...media, data: "%%%" })).toStartWith(
      "validation_error: ",
    );
    const upload = { projectId, data: Buffer.from("no image").toString("base64"), filename: 'größe ☕".png' };
    expect(await failureOf(client, "assets_upload", upload)).toStartWith("unsupported_media_type: ");
  });

  test("for ids that would leave the path", async () => {
    for (const id of ["..", "%2e%2e", "a/b", "proj_1?x=1", ""]) {
      expect(await failureOf(client, "projects_get", { projectId: id })).toStartWith(
        "not_found: Not found\nTake ids from",
      );
    }
  });

  test("for a work without media", async () => {
    expect(await failureOf(client, "export_start", { projectId, workId })).toBe(
      "nothing_to_export: There are no clips, and no scene of the work has media: add clips to the request, or add a video or an image to a scene.\n" +
        "Call works_generate_scene or works_set_scene_media for each scene, then try again.",
    );
  });

  test("for a provider without a key", async () => {
    const text = await failureOf(client, "ai_generate_image", { prompt: "A cup", provider: "gemini" });
    expect(text).toStartWith("provider_key_required: ");
    expect(text).toContain("Choose the provider local");
  });

  test("for a token that lacks a scope, before anything is fetched", async () => {
    const { token } = await (
      await ann.json("POST", "/api/tokens", { name: "reader", scopes: ["projects:read"] })
    ).json();
    for (const connect of [newClient, handshakeClient]) {
      const reader = await connect(server, token);
      expect((await callTool(reader, "projects_list")).projects).toHaveLength(1);
      const url = "https://files.example.com/logo.png";
      expect(await failureOf(reader, "assets_add_from_url", { projectId, url })).toBe(
        "insufficient_scope: Insufficient permissions\nRequired: projects:write. Granted: projects:read.\n" +
          "The user has to give this connection a token with the required scopes.",
      );
      await reader.close();
    }
  });
});

test("an unexpected error is logged, and its message reaches neither the caller nor the log", async () => {
  const calls: [string, object][] = [
    ["usage_list", {}],
    ["templates_list", { projectId }],
    ["assets_add_from_url", { projectId, url: "https://files.example.com/logo.png" }],
  ];
  const first = await firstClient(server, ann.accessToken);
  for (const [name, args] of calls) {
    for (const caller of [client, first as unknown as typeof client]) {
      logged.length = 0;
      const text = await failureOf(caller, name, args);
      const [, requestId] = /^Something went wrong\. .* the request id ([\w-]+)\.$/.exec(text) ?? [];
      expect(requestId).toBeString();
      expect(logged.some((line) => line.includes(requestId!))).toBe(true);
      expect(`${logged}`).not.toContain("secret");
    }
  }
  await first.close();
});

import { afterAll, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { rm } from "node:fs/promises";
import { filmIn, startRecipe } from "../support/cookbook.ts";
import { temporaryFolder } from "../support/media/ffmpeg.ts";
import { type OwnService, testService } from "../support/service.ts";
import { mp4 } from "../support/uploads.ts";
import { newWork, requireJson } from "../support/work-videos.ts";

// the receiver must know the service's address before the service may know the receiver's port
let service: OwnService | undefined;
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: (request) => service?.app.fetch(request) ?? new Response(null, { status: 503 }),
});
const folder = await temporaryFolder();
const port = await freePort();
service = await testService({ FETCH_EXTRA_PORTS: `${port}`, ALLOW_PRIVATE_NETWORK: "true" });
const ann = await service.register("Ann");
const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const receiver = await startRecipe("webhook-receiver", {
  folder,
  url: server.url.origin,
  token: ann.accessToken,
  env: { WEBHOOK_SECRET: secret, PORT: `${port}` },
});
const lines = linesOf(receiver.stdout);

afterAll(async () => {
  receiver.kill();
  await receiver.exited;
  await server.stop(true);
  await service?.close();
  await rm(folder, { recursive: true, force: true });
});

async function freePort(): Promise<number> {
  const probe = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = probe;
  probe.stop(true);
  return port;
}

async function* linesOf(output: ReadableStream<Uint8Array>) {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of output) {
    const parts = (text + decoder.decode(chunk, { stream: true })).split("\n");
    text = parts.pop()!; // safe because split returns at least one part
    yield* parts;
  }
}

const nextLine = async () => (await lines.next()).value;

test("downloads the film of a signed event, and refuses what is not signed, old or changed", async () => {
  expect(await nextLine()).toBe("listening");
  const { projectId, workId, scene } = await newWork(ann);
  await scene(0, await mp4());
  const { id } = await requireJson(
    ann.json("POST", "/api/exports", {
      projectId,
      workId,
      clips: [{ sceneIndex: 0, position: 0, end: 0.5 }],
      options: { width: 64, height: 112, fps: 10 },
      webhook: { url: `http://127.0.0.1:${port}/hook`, secret },
    }),
  );

  expect(await nextLine()).toBe(`${id}.mp4`);
  expect(await filmIn(folder, `${id}.mp4`)).toMatchObject({ width: 64, height: 112 });

  const now = Math.floor(Date.now() / 1000);
  const body = JSON.stringify({ type: "export.done", data: { id } });
  const sign = (timestamp: number) =>
    `v1,${createHmac("sha256", Buffer.alloc(32, 7)).update(`msg_1.${timestamp}.${body}`).digest("base64")}`;
  const send = async (timestamp: number, signature: string, sent = body) =>
    (
      await fetch(`http://127.0.0.1:${port}/hook`, {
        method: "POST",
        body: sent,
        headers: { "webhook-id": "msg_1", "webhook-timestamp": `${timestamp}`, "webhook-signature": signature },
      })
    ).status;
  expect(await send(now, "")).toBe(401);
  expect(await send(now, sign(now), body.replace("done", "error"))).toBe(401);
  expect(await send(now - 3600, sign(now - 3600))).toBe(401);
  expect(await send(now, sign(now))).toBe(204);
});

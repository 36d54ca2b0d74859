import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { VideoTask } from "../../../src/domain/ai/models.ts";
import { googleOmni } from "../../../src/providers/google/omni.ts";
import { diskFiles } from "../../../src/storage/files/disk-files.ts";
import { temporaryFolder } from "../media/ffmpeg.ts";
import { fakeServer } from "./fake-server.ts";
import { credentialsFor } from "./model-calls.ts";

export type Reply = (origin: string) => Response;

/** Bytes that begin like an MP4 file. */
export const mp4Bytes = Buffer.concat([
  new Uint8Array([0, 0, 0, 24]),
  Buffer.from("ftypmp42"),
  Buffer.alloc(200_000, 7),
]);
export const imageBytes = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 1, 2, 3]);

export const job =
  (status: string, fields: object = {}): Reply =>
  () =>
    Response.json({ id: "job-1", status, ...fields });

export const outputSteps = (...content: unknown[]) => ({ steps: [{ type: "model_output", content }] });

export const completedInline = (bytes: Uint8Array): Reply =>
  job("completed", outputSteps({ type: "video", data: bytes.toBase64() }));

export const completedWithUri =
  (path = "/v1beta/files/video:download?alt=media"): Reply =>
  (origin) =>
    job("completed", outputSteps({ type: "video", uri: new URL(path, origin).href }))(origin);

export const failing =
  (status: number, body: unknown = {}): Reply =>
  () =>
    Response.json(body, { status });

/** Google's replies to each kind of request, in order; the last one repeats. */
export type Replies = {
  readonly creation?: Reply;
  readonly polls?: readonly Reply[];
  readonly downloads?: readonly Reply[];
  readonly fileStates?: readonly string[];
};

/** A file store, an input image, and fake Google servers with one job each. */
export async function omniFixture() {
  const folder = await temporaryFolder();
  const files = await diskFiles(folder);
  const path = join(folder, "drawing.png");
  await Bun.write(path, imageBytes);
  const facts = { kind: "image", container: "png", mimeType: "image/png", extension: "png" } as const;
  const task = (fields: Partial<VideoTask> = {}): VideoTask => ({
    prompt: "The cup turns",
    movement: "turns",
    image: { path, sizeBytes: imageBytes.length, facts },
    durationSeconds: 5,
    resolution: { width: 1080, height: 1920 },
    ...fields,
  });
  const servers: { stop(): void }[] = [];

  const google = (replies: Replies, modelId = "gemini-omni-1.2-flash") => {
    const server = jobServer(replies);
    servers.push(server);
    const model = googleOmni(credentialsFor(`${server.url}/v1beta`, modelId), { files, backoff: () => 1 });
    const count = (method: string, path: RegExp) => server.requestsTo(method, path).length;
    const counts = () => ({
      creations: count("POST", /interactions$/),
      polls: count("GET", /interactions/),
      downloads: count("GET", /download$/),
      cancels: count("POST", /cancel$/),
    });
    return { model, counts, requests: server.requests };
  };
  const close = async () => {
    for (const server of servers) server.stop();
    await rm(folder, { recursive: true });
  };
  return { folder, files, task, google, close };
}

function jobServer({
  creation = job("in_progress"),
  polls = [completedWithUri()],
  downloads = [() => new Response(mp4Bytes)],
  fileStates = ["ACTIVE"],
}: Replies) {
  const nextPoll = sequence(polls);
  const nextDownload = sequence(downloads);
  const nextFileState = sequence(fileStates);
  const server = fakeServer({
    "POST /v1beta/interactions": () => creation(server.url),
    "POST /v1beta/interactions/:id/cancel": () => job("cancelled")(server.url),
    "GET /v1beta/interactions/:id": () => nextPoll()(server.url),
    "GET /v1beta/files/:id\\:download": () => nextDownload()(server.url),
    "GET /v1beta/files/:id": () => Response.json({ state: nextFileState() }),
  });
  return server;
}

function sequence<Item>(items: readonly Item[]) {
  let next = 0;
  return () => items[Math.min(next++, items.length - 1)]!;
}

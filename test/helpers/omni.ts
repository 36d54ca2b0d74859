import { rm } from "node:fs/promises";
import { join } from "node:path";
import { googleOmni } from "../../src/ai/google/omni.ts";
import type { VideoTask } from "../../src/domain/ai/models.ts";
import { diskFiles } from "../../src/storage/files/disk-files.ts";
import { temporaryFolder } from "./ffmpeg.ts";
import { accessTo } from "./model-calls.ts";
import { standIn } from "./stand-in.ts";

export type Reply = (origin: string) => Response;

/** Bytes that begin as an MP4 does. */
export const film = Buffer.concat([new Uint8Array([0, 0, 0, 24]), Buffer.from("ftypmp42"), Buffer.alloc(200_000, 7)]);
export const drawing = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 1, 2, 3]);

export const job =
  (status: string, more: object = {}): Reply =>
  () =>
    Response.json({ id: "job-1", status, ...more });

export const output = (...content: unknown[]) => ({ steps: [{ type: "model_output", content }] });

export const inline = (bytes: Uint8Array): Reply => job("completed", output({ type: "video", data: bytes.toBase64() }));

export const byAddress =
  (path = "/v1beta/files/film:download?alt=media"): Reply =>
  (origin) =>
    job("completed", output({ type: "video", uri: new URL(path, origin).href }))(origin);

export const failing =
  (status: number, body: unknown = {}): Reply =>
  () =>
    Response.json(body, { status });

/** What Google answers to each kind of request, in turn; the last of each goes on for ever. */
export type Replies = {
  readonly creates?: Reply;
  readonly looks?: readonly Reply[];
  readonly fetches?: readonly Reply[];
  readonly states?: readonly string[];
};

/** A folder for videos, and Google with one job in it. */
export async function omniBench() {
  const folder = await temporaryFolder();
  const files = await diskFiles(folder);
  const path = join(folder, "drawing.png");
  await Bun.write(path, drawing);
  const facts = { kind: "image", container: "png", mimeType: "image/png", extension: "png" } as const;
  const task = (more: Partial<VideoTask> = {}): VideoTask => ({
    ...{ prompt: "The cup turns", movement: "turns", image: { path, sizeBytes: drawing.length, facts } },
    ...{ durationSeconds: 5, resolution: { width: 1080, height: 1920 }, ...more },
  });
  const servers: { stop(): void }[] = [];

  const google = (replies: Replies, modelId = "gemini-omni-1.2-flash") => {
    const server = jobServer(replies);
    servers.push(server);
    const model = googleOmni({ files, pauses: () => 1 })(accessTo(`${server.url}/v1beta`, modelId));
    const count = (method: string, path: RegExp) => server.to(method, path).length;
    const counts = () => ({
      creations: count("POST", /interactions$/),
      looks: count("GET", /interactions/),
      fetches: count("GET", /download$/),
      cancels: count("POST", /cancel$/),
    });
    return { model, counts, taken: server.taken };
  };
  const close = async () => {
    for (const server of servers) server.stop();
    await rm(folder, { recursive: true });
  };
  return { folder, files, task, google, close };
}

function jobServer(replies: Replies) {
  const { creates = job("in_progress"), looks = [byAddress()], states = ["ACTIVE"] } = replies;
  const { fetches = [() => new Response(film)] } = replies;
  const inTurn = <Item>(items: readonly Item[]) => {
    let turn = 0;
    return () => items[Math.min(turn++, items.length - 1)]!;
  };
  const [look, fetch, state] = [inTurn(looks), inTurn(fetches), inTurn(states)];
  const server = standIn({
    "POST /v1beta/interactions": () => creates(server.url),
    "POST /v1beta/interactions/:id/cancel": () => job("cancelled")(server.url),
    "GET /v1beta/interactions/:id": () => look()(server.url),
    "GET /v1beta/files/:id\\:download": () => fetch()(server.url),
    "GET /v1beta/files/:id": () => Response.json({ state: state() }),
  });
  return server;
}

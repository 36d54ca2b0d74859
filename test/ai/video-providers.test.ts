import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { ModelPorts } from "../../src/ai/client/rows.ts";
import { providerModels } from "../../src/ai/providers.ts";
import type { VideoTask } from "../../src/domain/ai/models.ts";
import type { JobCheckpoint } from "../../src/domain/idempotency/checkpoints.ts";
import type { ErrorCode } from "../../src/errors.ts";
import { ssrfGuardedFetcher } from "../../src/media/web/fetcher.ts";
import { diskFiles } from "../../src/storage/files/disk-files.ts";
import { temporaryFolder } from "../support/media/ffmpeg.ts";
import { codeOf, recordedCall } from "../support/models/model-calls.ts";
import { imageBytes, mp4Bytes } from "../support/models/omni.ts";
import {
  type Script,
  type VideoProvider,
  videoKey,
  videoProviderServer,
  videoProviders,
} from "../support/models/video-providers.ts";

let folder: string;
let ports: ModelPorts;
const servers: { stop(): void }[] = [];
const defaults = { vision: "local", llm: "local", image: "local", video: "local", speech: "google", music: undefined };

beforeAll(async () => {
  folder = await temporaryFolder();
  const files = await diskFiles(folder);
  await Bun.write(join(folder, "drawing.png"), imageBytes);
  // safe because videos need no other ports
  ports = {
    files,
    fetcher: ssrfGuardedFetcher({ files, extraPorts: [], allowPrivateNetwork: false }),
    images: { convertImage: async (path, { mimeType }) => ({ bytes: await Bun.file(path).bytes(), mimeType }) },
    pollBackoff: () => 1,
  } as Partial<ModelPorts> as ModelPorts;
});
afterEach(() => {
  for (const server of servers.splice(0)) server.stop();
});
afterAll(() => rm(folder, { recursive: true }));

const task = ({ seconds }: VideoProvider): VideoTask => ({
  prompt: `The cup turns. ${"And turns. ".repeat(400)}`,
  movement: "turns",
  image: {
    path: join(folder, "drawing.png"),
    sizeBytes: imageBytes.length,
    facts: { kind: "image", container: "png", mimeType: "image/png", extension: "png" },
  },
  durationSeconds: seconds,
  resolution: { width: 1080, height: 1920 },
});

const noCheckpoint: JobCheckpoint = { save: async () => {} };

function connect(provider: VideoProvider, script: Script = {}) {
  const server = videoProviderServer(provider, script);
  servers.push(server);
  const models = providerModels({ ...ports, defaults, baseUrls: { [provider.setting]: server.url } });
  const model = models.video({ provider: provider.id, modelId: provider.model, apiKey: videoKey });
  return { server, model };
}

async function animate(provider: VideoProvider, script: Script = {}, checkpoint = noCheckpoint) {
  const { server, model } = connect(provider, script);
  const { call, records } = recordedCall();
  const work = model.animate(task(provider), call, checkpoint);
  const code = await codeOf(work);
  const bytes = code === "ok" ? await Bun.file((await work).path).bytes() : undefined;
  const message = await work.then(
    () => "",
    ({ message: text }) => text as string,
  );
  return { code, bytes, message, records, ...server };
}

const named = videoProviders.map((provider) => [`${provider.id} (${provider.model})`, provider] as const);

test.each(named)("%s: one job is started as described, read and received without the key", async (_, provider) => {
  const saved: string[] = [];
  const result = await animate(provider, {}, { save: async (id) => void saved.push(id) });
  expect(result.violations).toEqual([]);
  expect([result.code, result.message]).toEqual(["ok", ""]);
  expect(result.bytes).toEqual(new Uint8Array(mp4Bytes));
  expect(result.counts).toEqual({ starts: 1, statuses: 3, results: 1, cancels: 0 });
  expect(saved).toHaveLength(1);
  expect(saved[0]).not.toContain(videoKey);
  expect(result.records).toMatchObject([{ purpose: "video", seconds: provider.seconds, outcome: "ok" }]);
  expect(result.keys[0]).toMatch(/^[0-9a-f]{40}$/);
});

test.each(named)("%s: a later attempt reads the job of the checkpoint and starts none", async (_, provider) => {
  let id = "";
  await animate(
    provider,
    {},
    {
      async save(saved) {
        id = saved;
      },
    },
  );
  const { server, model } = connect(provider);
  // the job's addresses are those of the first server
  const moved = id.replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, server.url);
  const save = () => Promise.reject(new Error("It is stored already."));
  await model.animate(task(provider), recordedCall().call, { id: moved, save });
  expect(server.counts).toMatchObject({ starts: 0, statuses: 3, results: 1 });
  expect(server.violations).toEqual([]);
});

test("Kling gets the pictures of the product as an element beside the first frame; others get none", async () => {
  const bodyOf = async (provider: VideoProvider, count: number) => {
    const { server, model } = connect(provider);
    const references = Array.from({ length: count }, (_, index) => ({
      bytes: Buffer.from([index]),
      mimeType: "image/jpeg",
    }));
    await model.animate({ ...task(provider), references }, recordedCall().call, noCheckpoint);
    return { maxReferences: model.maxReferences, ...server.bodies[0] };
  };
  const [kling, seedance] = videoProviders as [VideoProvider, VideoProvider];
  const pictures = ["AA==", "AQ==", "Ag=="].map((data) => `data:image/jpeg;base64,${data}`);
  const three = await bodyOf(kling, 3);
  expect(three.elements).toEqual([{ frontal_image_url: pictures[0], reference_image_urls: pictures.slice(1) }]);
  expect(three).toMatchObject({ maxReferences: 4, prompt: expect.stringContaining("@Element1 show the product") });
  expect(three.start_image_url).toStartWith("data:image/png;base64,");
  // an element has at least one picture besides that of its front
  expect((await bodyOf(kling, 1)).elements[0].reference_image_urls).toEqual([pictures[0]]);
  expect(await bodyOf(kling, 0)).not.toHaveProperty("elements");
  expect(await bodyOf(seedance, 0)).toMatchObject({ maxReferences: 0 });
});

const status = (code: number, body: unknown = { error: `a fault with ${videoKey}` }) =>
  Response.json(body, { status: code });
const reset = () =>
  new Response(new ReadableStream({ pull: (controller) => controller.error() }), {
    headers: { "content-type": "application/json" },
  });
const page = () => new Response("<html>busy</html>", { headers: { "content-type": "text/html" } });

const startFaults: [name: string, reply: () => Response, code: ErrorCode][] = [
  ["a rate limit", () => status(429), "provider_rate_limited"],
  ["a server error", () => status(500), "provider_error"],
  ["a wrong key", () => status(401), "provider_key_rejected"],
  ["an answer that breaks off", reset, "provider_error"],
  ["an HTML page", page, "provider_bad_response"],
  ["another shape", () => status(200, { hello: 1 }), "provider_bad_response"],
];

test.each(named)("%s: a failed start is an error of its own, and is never repeated", async (_, provider) => {
  for (const [name, reply, code] of startFaults) {
    const result = await animate(provider, { starts: [reply] });
    expect([name, result.code]).toEqual([name, code]);
    expect(result.counts).toMatchObject({ starts: 1, statuses: 0 });
    expect(result.message).not.toContain(videoKey);
  }
});

test.each(named)("%s: a failed look at the job is repeated, the start never", async (_, provider) => {
  const faults = [() => status(500), () => status(429), reset, page, provider.running];
  const { server, model } = connect(provider, {
    statuses: [...faults, () => provider.done(server.resultUrl())],
  });
  await model.animate(task(provider), recordedCall().call, noCheckpoint);
  expect(server.counts).toMatchObject({ starts: 1, statuses: 6, results: 1 });
});

test.each(named)("%s: refused content is told apart from a failure", async (_, provider) => {
  const result = await animate(provider, { statuses: [() => provider.failed(`a fault with ${videoKey}`)] });
  expect(result.code).toBe("content_refused");
  expect(result.message).not.toContain(videoKey);
});

test.each(named)("%s: a result in a private network is not fetched", async (_, provider) => {
  for (const url of ["http://169.254.169.254/latest/meta-data", "http://127.0.0.1:1/x.mp4", "file:///etc/passwd"]) {
    const result = await animate(provider, { statuses: [() => provider.done(url)] });
    expect(result.code).toBe("provider_bad_response");
    expect(result.counts).toMatchObject({ starts: 1, results: 0 });
  }
});

test.each(named)("%s: a result that is too large, no video, or broken is none", async (_, provider) => {
  const large = () => new Response("x", { headers: { "content-length": `${2 * 2 ** 30}` } });
  const text = () => new Response("no video here at all");
  expect((await animate(provider, { results: [large] })).code).not.toBe("ok");
  expect((await animate(provider, { results: [text] })).code).toBe("provider_bad_response");
  const broken = await animate(provider, { results: [() => status(500), () => new Response(mp4Bytes)] });
  expect([broken.code, broken.counts.results]).toEqual(["ok", 2]);
});

test.each(named)("%s: a job that never ends is cancelled at the deadline", async (_, provider) => {
  const call = recordedCall();
  const { server, model } = connect(provider, {
    statuses: [
      provider.running,
      () => {
        call.expire();
        return provider.running();
      },
    ],
  });
  expect(await codeOf(model.animate(task(provider), call.call, noCheckpoint))).toBe("provider_timeout");
  expect(server.counts).toMatchObject({ starts: 1, cancels: provider.cancel ? 1 : 0 });
});

test("a job whose address is the provider's own is cancelled where the setting says, too", async () => {
  const [fal] = videoProviders as [VideoProvider];
  const call = recordedCall();
  const { server, model } = connect(fal, {
    starts: [() => fal.started("https://queue.fal.run")],
    statuses: [
      () => {
        call.expire();
        return fal.running();
      },
    ],
  });
  expect(await codeOf(model.animate(task(fal), call.call, noCheckpoint))).toBe("provider_timeout");
  expect(server.counts).toMatchObject({ starts: 1, statuses: 1, cancels: 1 });
});

test.each(named)(
  "%s: a start without an answer is given up at the deadline, and not sent again",
  async (_, provider) => {
    const call = recordedCall();
    const hang = () => {
      call.expire();
      return new Promise<Response>(() => {});
    };
    const { server, model } = connect(provider, { starts: [hang] });
    expect(await codeOf(model.animate(task(provider), call.call, noCheckpoint))).toBe("provider_timeout");
    expect(server.counts).toMatchObject({ starts: 1, statuses: 0, cancels: 0 });
  },
);

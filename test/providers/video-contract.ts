import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { VideoTask } from "../../src/domain/ai/models.ts";
import type { JobCheckpoint } from "../../src/domain/idempotency/checkpoints.ts";
import type { ErrorCode } from "../../src/errors.ts";
import type { ModelPorts } from "../../src/providers/client/rows.ts";
import { providerModels } from "../../src/providers/providers.ts";
import { ssrfGuardedFetcher } from "../../src/readers/web/fetcher.ts";
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

const defaults = { vision: "local", llm: "local", image: "local", video: "local", speech: "google", music: undefined };

export const noCheckpoint: JobCheckpoint = { save: async () => {} };

/** For the tests of a file. */
export function videoCalls() {
  let folder: string;
  let ports: ModelPorts;
  const servers: { stop(): void }[] = [];

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

  return { servers, task, connect, animate };
}

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

/** What holds for every provider, whatever it answers. */
export function videoContract(
  { servers, task, connect, animate }: ReturnType<typeof videoCalls>,
  providers: readonly VideoProvider[],
) {
  const named = namesOf(providers);

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

  /** What a provider's job ends with whose first download fails: of all at once, because each waits before the second one. */
  const downloadedAgain = (() => {
    let results: ReadonlyMap<VideoProvider, ReturnType<typeof animate>> | undefined;
    const start = () => {
      const others = servers.length;
      const replies = () => [() => status(500), () => new Response(mp4Bytes)];
      const started = new Map(providers.map((each) => [each, animate(each, { results: replies() })]));
      const own = servers.splice(others);
      void Promise.allSettled(started.values()).then(() => own.map((server) => server.stop()));
      return started;
    };
    return (provider: VideoProvider) => {
      results ??= start();
      return results.get(provider)!;
    };
  })();

  test.each(named)("%s: a result that is too large, no video, or broken is none", async (_, provider) => {
    const large = () => new Response("x", { headers: { "content-length": `${2 * 2 ** 30}` } });
    const text = () => new Response("no video here at all");
    expect((await animate(provider, { results: [large] })).code).not.toBe("ok");
    expect((await animate(provider, { results: [text] })).code).toBe("provider_bad_response");
    const broken = await downloadedAgain(provider);
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
}

/** For `test.each`. */
export const namesOf = (providers: readonly VideoProvider[]) =>
  providers.map((provider) => [`${provider.id} (${provider.model})`, provider] as const);

/** Each has a client of its own; the others are further models of one. */
export const clients = videoProviders.filter(({ id }, at) => videoProviders.findIndex((each) => each.id === id) === at);

import { afterAll, afterEach, beforeAll, expect } from "bun:test";
import { rm } from "node:fs/promises";
import { findFfmpeg } from "../../src/engine/ffmpeg/ffmpeg.ts";
import { ffmpegSoundTools } from "../../src/engine/speech/sound-tools.ts";
import type { ModelPorts } from "../../src/providers/client/rows.ts";
import { providerModels } from "../../src/providers/providers.ts";
import { ssrfGuardedFetcher } from "../../src/readers/web/fetcher.ts";
import { diskFiles } from "../../src/storage/files/disk-files.ts";
import { temporaryFolder } from "../support/media/ffmpeg.ts";
import { fakeServer, type ReceivedRequest } from "../support/models/fake-server.ts";
import { codeOf, recordedCall } from "../support/models/model-calls.ts";
import type { SoundProvider } from "../support/models/sound-providers.ts";

const defaults = { vision: "local", llm: "local", image: "local", video: "local", speech: "google", music: undefined };
// before any model of the rows has ended
const now = () => Date.parse("2026-11-23");

export type Reply = (request: ReceivedRequest) => Response | Promise<Response>;

/** For the tests of a file. */
export function soundCalls() {
  let folder: string;
  let ports: ModelPorts;
  const servers: { stop(): unknown }[] = [];

  beforeAll(async () => {
    folder = await temporaryFolder();
    const files = await diskFiles(folder);
    // safe because sounds need no other ports
    ports = {
      files,
      fetcher: ssrfGuardedFetcher({ files, extraPorts: [], allowPrivateNetwork: false }),
      soundTools: ffmpegSoundTools({ ffmpeg: await findFfmpeg(process.env.FFMPEG_PATH), files }),
    } as Partial<ModelPorts> as ModelPorts;
  });
  afterEach(() => {
    for (const server of servers.splice(0)) server.stop();
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** What the work of a provider that answers like this ends with. */
  async function outcomeOf(provider: SoundProvider, replies: readonly Reply[], recorded = recordedCall()) {
    const server = fakeServer({
      [provider.route]: (request) => replies[Math.min(server.requests.length, replies.length) - 1]!(request),
    });
    servers.push(server);
    const baseUrls = { [provider.setting]: `${server.url}${provider.base ?? ""}` };
    const models = providerModels({ ...ports, defaults, baseUrls, now });
    const work = provider.work(models, recorded.call);
    const code = await codeOf(work);
    const message = await work.then(
      () => "",
      (error: Error) => JSON.stringify([error.message, error.stack, error]),
    );
    return { code, message, requests: server.requests, records: recorded.records };
  }

  return { outcomeOf };
}

const block = new Uint8Array(4 * 2 ** 20).fill(32);
/** Sends 2 GB, if it is read so far. */
const endless = (count: { blocks: number }) => () =>
  new Response(new ReadableStream({ pull: (body) => (count.blocks++ < 512 ? body.enqueue(block) : body.close()) }), {
    headers: { "content-type": "audio/mpeg" },
  });

export async function expectBounded({ outcomeOf }: ReturnType<typeof soundCalls>, provider: SoundProvider) {
  const count = { blocks: 0 };
  const { code, requests } = await outcomeOf(provider, [endless(count)]);
  expect([code, requests.length]).toEqual(["provider_bad_response", 1]);
  expect(count.blocks).toBeLessThan(60);
}

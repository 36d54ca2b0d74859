import { afterAll, beforeEach, expect, test } from "bun:test";
import type { Services } from "../../../src/domain/services.ts";
import { wavOf } from "../../../src/domain/speech/samples.ts";
import { DomainError } from "../../../src/errors.ts";
import { leases } from "../../../src/storage/leases/table.ts";
import { jsonClient } from "../../support/json-client.ts";
import { fakeServer } from "../../support/models/fake-server.ts";
import { spokenSamples } from "../../support/models/voice-server.ts";
import { workWithScenes } from "../../support/scene-works.ts";
import { testService } from "../../support/service.ts";
import { mp4, png } from "../../support/uploads.ts";

const image = (await png(64, 64).bytes()).toBase64();
const clip = { type: "video", data: (await (await mp4()).bytes()).toBase64() };
const completed = { id: "v1_job", status: "completed", steps: [{ type: "model_output", content: [clip] }] };

/** How many calls of each are refused from now on. */
const away = { database: 0, store: 0 };
type Part = keyof typeof away;

/** Called when a provider is paid. */
let onPaid: (path: string) => void;
const paid = (path: string, answer: () => Response) => (): Response => {
  onPaid(path);
  return answer();
};
const provider = fakeServer({
  "POST /v1/images/generations": paid("image", () => Response.json({ created: 1, data: [{ b64_json: image }] })),
  "POST /v1/audio/speech": paid("voice", () => new Response(wavOf(spokenSamples("Good morning dear friends.")))),
  "POST /v1beta/interactions": paid("video", () => Response.json(completed)),
  "GET /v1beta/interactions/:id": () => Response.json(completed),
});

/** A port whose methods are refused while its part is away. */
const refusing = <Port extends object>(port: Port, part: Part, names: readonly (keyof Port)[]): Port => {
  const refused = names.map((name) => [
    name,
    async (...args: unknown[]) => {
      if (away[part] > 0) {
        away[part]--;
        throw new DomainError("unavailable", part === "store" ? { part: "file storage" } : {});
      }
      // safe because the names are those of methods
      return (port[name] as (...args: unknown[]) => unknown)(...args);
    },
  ]);
  return { ...port, ...Object.fromEntries(refused) };
};

const service = await testService(
  { OPENAI_BASE_URL: `${provider.url}/v1`, GOOGLE_BASE_URL: `${provider.url}/v1beta` },
  undefined,
  ({ generatedMedia, works, workMedia, ledger, files }: Services): Partial<Services> => ({
    generatedMedia: refusing(generatedMedia, "database", ["add"]),
    works: refusing(works, "database", ["find", "change"]),
    workMedia: refusing(workMedia, "database", ["find", "list", "put"]),
    ledger: refusing(ledger, "database", ["reserve", "end"]),
    files: refusing(files, "store", ["store", "storeCopy"]),
  }),
);
const ann = await service.register("Ann");
const api = jsonClient(ann);

beforeEach(() => {
  onPaid = () => {};
  provider.requests.length = 0;
});
afterAll(async () => {
  await service.close();
  await provider.stop();
});

/** The part refuses its next calls once the provider has been paid for this. */
const goAway = (part: Part, calls: number, when: string) => {
  onPaid = (path) => {
    if (path !== when) return;
    onPaid = () => {};
    away[part] = calls;
  };
};

const models = { "x-image-provider": "openai", "x-speech-provider": "openai", "x-video-provider": "google" };
const keys = { ...models, "x-image-api-key": "o", "x-video-api-key": "g", "x-api-key": "k" };

const paths = {
  image: ["/api/generate/image", { prompt: "A teapot" }],
  video: ["/api/generate/video", { prompt: "It pours", image_url: `data:image/png;base64,${image}` }],
  voice: ["/api/generate/speech", { text: "Good morning dear friends." }],
} as const;

async function ended(path: string) {
  for (;;) {
    const { body } = await api("GET", path);
    if (body.status !== "running") return body;
    await Bun.sleep(20);
  }
}

const send = async (path: string, body: object, headers: Record<string, string>) => {
  const first = await api("POST", path, body, { ...keys, ...headers });
  if (first.status !== 202) return first;
  const operation = await ended(first.headers.get("location")!);
  return { status: operation.responseStatus, body: operation.response ?? operation.error };
};

const payments = () => provider.requestsTo("POST", /./).length;

test.each([
  ["an image is drawn", "image", "database", {}],
  ["an image is drawn apart from its client", "image", "database", { prefer: "respond-async" }],
  ["a video is made", "video", "database", {}],
  ["a voice is spoken", "voice", "database", { prefer: "respond-async" }],
  ["an image is stored", "image", "store", {}],
  ["a voice is stored", "voice", "store", {}],
] as const)(
  "without a key, what is paid when %s is stored after an outage, and paid once",
  async (_, what, part, mode) => {
    const [path, body] = paths[what];
    goAway(part, 2, what);
    const { status, body: made } = await send(path, body, mode);
    const url = await ann.request(made.imageUrl ?? made.videoUrl ?? made.audioUrl);
    expect([status, url.status, payments(), away[part]]).toEqual([200, 200, 1, 0]);
  },
);

test("without a key, the image of a scene is paid once though the database is away before its video", async () => {
  const { base } = await workWithScenes(ann, { scenes: [{ scene_index: 0, duration_seconds: 4, image_prompt: "A" }] });
  goAway("database", 2, "image");
  const answer = send(`${base}/generate/scene/0`, {}, {});
  // the first attempt left the lock of the scene, which ends in 20 seconds
  while (payments() === 0 || away.database > 0) await Bun.sleep(20);
  await service.db.update(leases).set({ leasedUntil: 0 });
  const { status, body } = await answer;
  expect([status, Object.keys(body), payments()]).toEqual([200, ["imageUrl", "videoUrl"], 2]);
});

test.each(["image", "voice"] as const)(
  "with a key, %s whose store was away is answered with the result, and paid once",
  async (what) => {
    const [path, body] = paths[what];
    const headers = { "idempotency-key": crypto.randomUUID() };
    goAway("store", 2, what);
    const first = await send(path, body, headers);
    const second = await send(path, body, headers);
    expect([first.status, second.status, second.body]).toEqual([200, 200, first.body]);
    expect(payments()).toBe(1);
  },
);

test("what was not paid yet is refused at once, and nothing is paid", async () => {
  away.database = 1;
  const [path, body] = paths.image;
  const answer = await send(path, body, {});
  expect([answer.status, answer.body.code, payments()]).toEqual([503, "unavailable", 0]);
});

import { wavOf } from "../../../src/engine/timeline/samples.ts";
import { DomainError } from "../../../src/errors.ts";
import type { Services } from "../../../src/services.ts";
import { jsonClient } from "../../support/json-client.ts";
import { leaseEnds } from "../../support/lease-ends.ts";
import { fakeServer } from "../../support/models/fake-server.ts";
import { spokenSamples } from "../../support/models/voice-server.ts";
import { rememberedMedia } from "../../support/remembered-media.ts";
import { testService } from "../../support/service.ts";
import { mp4, png } from "../../support/uploads.ts";

type Part = "database" | "store";

/** How many calls of each part are refused from now on, and what to call when there are none left. */
function outages() {
  const away = { database: 0, store: 0 };
  const onBack = { database: () => {}, store: () => {} };
  /** A port whose methods are refused while its part is away. */
  const refusing = <Port extends object>(port: Port, part: Part, names: readonly (keyof Port)[]): Port => {
    const refused = names.map((name) => [
      name,
      async (...args: unknown[]) => {
        if (away[part] > 0) {
          away[part]--;
          if (away[part] === 0) onBack[part]();
          throw new DomainError("unavailable", part === "store" ? { part: "file storage" } : {});
        }
        // safe because the names are those of methods
        return (port[name] as (...args: unknown[]) => unknown)(...args);
      },
    ]);
    return { ...port, ...Object.fromEntries(refused) };
  };
  return { away, onBack, refusing };
}

/** A service whose parts go away when a provider was paid, and a user of it. */
export async function serviceWithOutages() {
  const image = (await png(64, 64).bytes()).toBase64();
  const clip = { type: "video", data: (await (await mp4()).bytes()).toBase64() };
  const completed = { id: "v1_job", status: "completed", steps: [{ type: "model_output", content: [clip] }] };
  let onPaid = (_: string) => {};
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
  const { away, onBack, refusing } = outages();
  const ends = leaseEnds();
  const service = await testService(
    { OPENAI_BASE_URL: `${provider.url}/v1`, GOOGLE_BASE_URL: `${provider.url}/v1beta` },
    undefined,
    ({ generatedMedia, works, workMedia, ledger, files, ...services }: Services): Partial<Services> => ({
      ...rememberedMedia(services),
      ...ends.store(services),
      generatedMedia: refusing(generatedMedia, "database", ["add"]),
      works: refusing(works, "database", ["find", "change"]),
      workMedia: refusing(workMedia, "database", ["find", "list", "put"]),
      ledger: refusing(ledger, "database", ["reserve", "end"]),
      files: refusing(files, "store", ["store", "storeCopy"]),
    }),
  );
  const ann = await service.register("Ann");
  const api = jsonClient(ann);

  /** The part refuses its next calls once the provider has been paid for this. Resolves when it is back. */
  const goAway = (part: Part, calls: number, when: string) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    onPaid = (path) => {
      if (path !== when) return;
      onPaid = () => {};
      away[part] = calls;
      onBack[part] = resolve;
    };
    return promise;
  };

  const models = { "x-image-provider": "openai", "x-speech-provider": "openai", "x-video-provider": "google" };
  const keys = { ...models, "x-image-api-key": "o", "x-video-api-key": "g", "x-api-key": "k" };
  const paths = {
    image: ["/api/generate/image", { prompt: "A teapot" }],
    video: ["/api/generate/video", { prompt: "It pours", image_url: `data:image/png;base64,${image}` }],
    voice: ["/api/generate/speech", { text: "Good morning dear friends." }],
  } as const;
  const send = async (path: string, body: object, headers: Record<string, string>) => {
    const first = await api("POST", path, body, { ...keys, ...headers });
    if (first.status !== 202) return first;
    const operation = await ends.operation(first.headers.get("location")!, api);
    return { status: operation.responseStatus, body: operation.response ?? operation.error };
  };

  /** What is sent while the part is away is stored afterwards, and paid once. */
  async function madeThrough(part: Part, what: keyof typeof paths, mode: Record<string, string>) {
    const [path, body] = paths[what];
    void goAway(part, 2, what);
    const { status, body: made } = await send(path, body, mode);
    const url = await ann.request(made.imageUrl ?? made.videoUrl ?? made.audioUrl);
    return { statuses: [status, url.status], payments: payments(), refusals: 2 - away[part] };
  }
  const payments = () => provider.requestsTo("POST", /./).length;
  const reset = () => {
    onPaid = () => {};
    provider.requests.length = 0;
  };
  const close = () => Promise.all([service.close(), provider.stop()]);
  return { service, ann, away, paths, goAway, send, madeThrough, payments, reset, close };
}

import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import type { Brief, ImageTask } from "../../src/domain/ai/models.ts";
import { findFfmpeg } from "../../src/engine/ffmpeg/ffmpeg.ts";
import { ffmpegSoundTools } from "../../src/engine/speech/sound-tools.ts";
import { secondsOf, wavOf } from "../../src/engine/timeline/samples.ts";
import type { ErrorCode } from "../../src/errors.ts";
import type { ModelPorts } from "../../src/providers/client/rows.ts";
import { providerModels } from "../../src/providers/providers.ts";
import { ssrfGuardedFetcher } from "../../src/readers/web/fetcher.ts";
import { diskFiles } from "../../src/storage/files/disk-files.ts";
import { temporaryFolder } from "../support/media/ffmpeg.ts";
import { fakeServer, jsonBody, type ReceivedRequest, type Routes } from "../support/models/fake-server.ts";
import { codeOf, recordedCall } from "../support/models/model-calls.ts";
import { scenarioOutput } from "../support/models/text-responses.ts";
import { spokenSamples } from "../support/models/voice-server.ts";
import { png } from "../support/uploads.ts";

const apiKey = "key-of-the-caller";
let folder: string;
let ports: ModelPorts;
let image: Uint8Array<ArrayBuffer>;
const servers: { stop(): void }[] = [];

beforeAll(async () => {
  folder = await temporaryFolder();
  const files = await diskFiles(folder);
  image = await png(32, 48).bytes();
  // safe because these models use no other ports
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

function connect(setting: string, routes: (origin: () => string) => Routes) {
  const server = fakeServer(routes(() => server.url));
  servers.push(server);
  const none = { vision: "local", llm: "local", image: "local", video: "local", speech: "google", music: undefined };
  return { server, models: providerModels({ ...ports, defaults: none, baseUrls: { [setting]: server.url } }) };
}

const picture = () => new Response(image, { headers: { "content-type": "image/png" } });
const imageTask = (fields: Partial<ImageTask> = {}): ImageTask => ({
  prompt: "A cup",
  shot: { prompt: "A cup", avoid: "" },
  resolution: { width: 1080, height: 1920 },
  ...fields,
});
const reference = () => ({ bytes: image, mimeType: "image/png" });
const dataUri = () => `data:image/png;base64,${image.toBase64()}`;

/** Where the image is that a provider's answer names. */
const ownFile = (origin: string) => `${origin}/files/1.png`;
let fileUrl = ownFile;
let file = picture;
afterEach(() => {
  fileUrl = ownFile;
  file = picture;
});

type ImageCase = {
  readonly id: string;
  /** The row's default, if absent. */
  readonly modelId?: string;
  readonly setting: string;
  readonly create: string;
  readonly routes: (origin: () => string) => Routes;
  readonly body: object;
  /** Answers that refuse the prompt, and that of a job which never ends. */
  readonly refused: () => Response;
  readonly running?: (origin: string) => Readonly<Record<string, () => Response>>;
  /** Where a job is cancelled that nobody waits for any more. */
  readonly cancel?: string;
  readonly references?: { readonly create?: string; readonly body: () => object };
};

const cases: ImageCase[] = [
  {
    id: "fal",
    setting: "FAL",
    create: "/fal-ai/flux-2-pro",
    routes: (origin) => ({
      "POST /fal-ai/flux-2-pro": () => Response.json({ images: [{ url: fileUrl(origin()) }] }),
      "POST /fal-ai/flux-2-pro/edit": () => Response.json({ images: [{ url: fileUrl(origin()) }] }),
      "GET /files/1.png": () => file(),
    }),
    // FLUX.2 has no count
    body: { prompt: "A cup", image_size: { width: 1080, height: 1920 } },
    refused: () => Response.json({ detail: [{ type: "content_policy_violation", msg: apiKey }] }, { status: 422 }),
    running: (origin) => ({
      "POST /fal-ai/flux-2-pro": () => Response.json({ request_id: "1", response_url: `${origin}/requests/1` }),
      "GET /requests/1": () => Response.json({ detail: "Request is still in progress" }, { status: 400 }),
    }),
    cancel: "PUT /requests/1/cancel",
    references: { create: "/fal-ai/flux-2-pro/edit", body: () => ({ image_urls: [dataUri(), dataUri()] }) },
  },
  {
    id: "fal",
    modelId: "fal-ai/bytedance/seedream/v5/lite/text-to-image",
    setting: "FAL",
    create: "/fal-ai/bytedance/seedream/v5/lite/text-to-image",
    routes: (origin) => ({
      "POST /fal-ai/bytedance/seedream/v5/lite/text-to-image": () =>
        Response.json({ images: [{ url: fileUrl(origin()) }], seed: 1 }),
      "POST /fal-ai/bytedance/seedream/v5/lite/edit": () =>
        Response.json({ images: [{ url: fileUrl(origin()) }], seed: 1 }),
      "GET /files/1.png": () => file(),
    }),
    // no smaller than 2560 × 1440
    body: { prompt: "A cup", image_size: { width: 1440, height: 2560 }, num_images: 1 },
    refused: () => Response.json({ detail: [{ type: "content_policy_violation", msg: apiKey }] }, { status: 422 }),
    running: (origin) => ({
      "POST /fal-ai/bytedance/seedream/v5/lite/text-to-image": () =>
        Response.json({ request_id: "1", response_url: `${origin}/requests/1` }),
      "GET /requests/1": () => Response.json({ detail: "Request is still in progress" }, { status: 400 }),
    }),
    cancel: "PUT /requests/1/cancel",
    references: {
      create: "/fal-ai/bytedance/seedream/v5/lite/edit",
      body: () => ({ image_urls: [dataUri(), dataUri()] }),
    },
  },
  {
    id: "replicate",
    setting: "REPLICATE",
    create: "/v1/models/black-forest-labs/flux-2-pro/predictions",
    routes: (origin) => ({
      "POST /v1/models/black-forest-labs/flux-2-pro/predictions": () =>
        Response.json({ status: "starting", urls: { get: `${origin()}/v1/predictions/1` } }, { status: 201 }),
      "GET /v1/predictions/1": () =>
        Response.json({ status: "succeeded", output: fileUrl(origin()), urls: { get: "" } }),
      "GET /files/1.png": () => file(),
    }),
    body: { input: { prompt: "A cup", aspect_ratio: "9:16", output_format: "png" } },
    refused: () => Response.json({ status: "failed", error: `NSFW ${apiKey}`, urls: { get: "" } }, { status: 201 }),
    running: (origin) => ({
      "POST /v1/models/black-forest-labs/flux-2-pro/predictions": () =>
        Response.json({ status: "starting", urls: { get: `${origin}/v1/predictions/1` } }, { status: 201 }),
      "GET /v1/predictions/1": () =>
        Response.json({ status: "processing", urls: { get: `${origin}/v1/predictions/1` } }),
    }),
    cancel: "POST /v1/predictions/1/cancel",
    // a list: single pictures are ignored
    references: { body: () => ({ input: { input_images: [dataUri(), dataUri()] } }) },
  },
  {
    id: "xai",
    setting: "XAI",
    create: "/v1/images/generations",
    routes: () => ({
      "POST /v1/images/generations": () => Response.json({ data: [{ b64_json: image.toBase64() }] }),
      "POST /v1/images/edits": () => Response.json({ data: [{ b64_json: image.toBase64() }] }),
    }),
    body: { model: "grok-imagine-image", prompt: "A cup", n: 1, response_format: "b64_json", aspect_ratio: "9:16" },
    refused: () => Response.json({ code: "content_policy_violation", error: apiKey }, { status: 400 }),
    references: {
      create: "/v1/images/edits",
      body: () => ({ images: Array(2).fill({ url: dataUri(), type: "image_url" }) }),
    },
  },
  {
    id: "bfl",
    setting: "BFL",
    create: "/v1/flux-2-pro",
    routes: (origin) => ({
      "POST /v1/flux-2-pro": () => Response.json({ id: "1", polling_url: `${origin()}/v1/get_result?id=1` }),
      "GET /v1/get_result": () => Response.json({ status: "Ready", result: { sample: fileUrl(origin()) } }),
      "GET /files/1.png": () => file(),
    }),
    body: { prompt: "A cup", width: 1088, height: 1920, output_format: "png" },
    refused: () => Response.json({ detail: { type: "content_moderated", message: apiKey } }, { status: 422 }),
    running: (origin) => ({
      "POST /v1/flux-2-pro": () => Response.json({ id: "1", polling_url: `${origin}/v1/get_result?id=1` }),
      "GET /v1/get_result": () => Response.json({ status: "Pending", result: null }),
    }),
    references: { body: () => ({ input_image: image.toBase64(), input_image_2: image.toBase64() }) },
  },
  {
    id: "gateway",
    setting: "GATEWAY",
    create: "/v4/ai/image-model",
    routes: () => ({ "POST /v4/ai/image-model": () => Response.json({ images: [image.toBase64()] }) }),
    body: { prompt: "A cup", n: 1, size: "1080x1920", providerOptions: {} },
    refused: () => Response.json({ error: { type: "content_filter", message: apiKey } }, { status: 400 }),
    references: {
      body: () => ({ files: Array(2).fill({ type: "file", mediaType: "image/png", data: image.toBase64() }) }),
    },
  },
];
cases.push({
  ...cases.at(-1)!,
  modelId: "bfl/flux-3-image",
  body: {
    ...{ prompt: "A cup", n: 1, aspectRatio: "9:16" },
    providerOptions: { blackForestLabs: { resolution: "1k" } },
  },
});
const named = cases.map((one) => [one.modelId ?? one.id, one] as const);
const chosen = ({ id: provider, modelId }: ImageCase) => ({ provider, apiKey, ...(modelId && { modelId }) });

test.each(named)("%s draws an image with one request", async (_, one) => {
  const { setting, create, routes, body } = one;
  const { server, models } = connect(setting, routes);
  const { call, records } = recordedCall();
  const drawn = await models.image(chosen(one)).draw(imageTask(), call);
  expect(drawn).toEqual(new Uint8Array(image));
  const [first, ...others] = server.requests;
  expect([first!.path, jsonBody(first)]).toEqual([create, body]);
  expect(first!.headers.get("idempotency-key")).toMatch(/^[0-9a-f]{40}$/);
  expect(others.filter(({ method }) => method === "POST")).toEqual([]);
  // the package of Black Forest Labs sends the key to its own origin, which is allowed
  const downloads = others.filter(({ path }) => path.startsWith("/files/") && one.id !== "bfl");
  expect(JSON.stringify(downloads.map(({ headers }) => [...headers]))).not.toContain(apiKey);
  expect(records).toMatchObject([{ purpose: "image", outcome: "ok" }]);
});

test.each(named.filter(([, { references }]) => references))(
  "%s is sent the pictures of the product",
  async (_, one) => {
    const { server, models } = connect(one.setting, one.routes);
    await models.image(chosen(one)).draw(imageTask({ references: [reference(), reference()] }), recordedCall().call);
    expect(server.requests[0]!.path).toBe(one.references!.create ?? one.create);
    expect(jsonBody(server.requests[0])).toMatchObject(one.references!.body());
  },
);

test.each(named)("%s: a failed creation is never repeated, and its text is not passed on", async (_, one) => {
  for (const [status, code] of [
    [429, "provider_rate_limited"],
    [500, "provider_error"],
    [401, "provider_key_rejected"],
  ] as const) {
    const fail = () => Response.json({ error: `a fault with ${apiKey}` }, { status });
    const { server, models } = connect(one.setting, () => ({ [`POST ${one.create}`]: fail }));
    const work = models.image(chosen(one)).draw(imageTask(), recordedCall().call);
    expect(await codeOf(work)).toBe(code);
    expect(server.requests).toHaveLength(1);
    expect(await work.catch(({ message }) => message)).not.toContain(apiKey);
  }
});

test("Replicate is asked for ratios that FLUX has", async () => {
  const { server, models } = connect("REPLICATE", cases.find(({ id }) => id === "replicate")!.routes);
  const wide = imageTask({ resolution: { width: 2520, height: 1080 } });
  await models.image({ provider: "replicate", apiKey }).draw(wide, recordedCall().call);
  expect(jsonBody(server.requests[0]).input.aspect_ratio).toBe("16:9");
});

const reset = () =>
  new Response(new ReadableStream({ pull: (controller) => controller.error() }), {
    headers: { "content-type": "application/json" },
  });

const creations: [name: string, reply: (one: ImageCase) => Response, code: ErrorCode][] = [
  ["an answer that breaks off", reset, "provider_error"],
  ["an HTML page", () => new Response("<html>busy</html>"), "provider_bad_response"],
  ["another shape", () => Response.json({ hello: 1 }), "provider_bad_response"],
  [
    "an image that is none",
    () => Response.json({ images: ["aGk="], data: [{ b64_json: "aGk=" }] }),
    "provider_bad_response",
  ],
  ["refused content", ({ refused }) => refused(), "content_refused"],
];

test.each(named)("%s: an answer that cannot be used is an error of its own, and is asked for once", async (_, one) => {
  for (const [name, reply, code] of creations) {
    const { server, models } = connect(one.setting, () => ({ [`POST ${one.create}`]: () => reply(one) }));
    const work = models.image(chosen(one)).draw(imageTask(), recordedCall().call);
    expect([name, await codeOf(work)]).toEqual([name, code]);
    expect(server.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
    expect(await work.catch(({ message }) => message)).not.toContain(apiKey);
  }
});

test.each(named.filter(([, { running }]) => running))(
  "%s: a result that is elsewhere or too large is none",
  async (_, one) => {
    const outcome = async () => {
      const { models } = connect(one.setting, one.routes);
      return codeOf(models.image(chosen(one)).draw(imageTask(), recordedCall().call));
    };
    fileUrl = () => "http://169.254.169.254/latest/meta-data";
    expect(await outcome()).toBe("provider_bad_response");
    fileUrl = ownFile;
    file = () => new Response("x", { headers: { "content-length": `${2 * 2 ** 30}`, "content-type": "image/png" } });
    expect(await outcome()).not.toBe("ok");
  },
);

test.each(named.filter(([, { running }]) => running))(
  "%s: an image that never comes is given up at the deadline, and cancelled where it can be",
  async (_, one) => {
    const { call, expire } = recordedCall();
    const cancels: (string | null)[] = [];
    const { server, models } = connect(one.setting, (origin) => ({
      ...(one.cancel && {
        [one.cancel]: ({ headers }: ReceivedRequest) => {
          cancels.push(headers.get("authorization"));
          return Response.json({});
        },
      }),
      ...Object.fromEntries(
        Object.keys(one.running!("")).map((route) => [
          route,
          () => {
            if (route.startsWith("GET")) expire();
            return one.running!(origin())[route]!();
          },
        ]),
      ),
    }));
    expect(await codeOf(models.image(chosen(one)).draw(imageTask(), call))).toBe("provider_timeout");
    expect(server.requests.filter(({ path }) => path === one.create)).toHaveLength(1);
    expect(cancels).toEqual(one.cancel ? [expect.stringContaining(apiKey)] : []);
  },
);

test("FLUX.2 is asked for sizes that it draws", async () => {
  const sizes = await Promise.all(
    ["fal", "bfl", "gateway"].map(async (id) => {
      const one = cases.find((other) => other.id === id)!;
      const { server, models } = connect(one.setting, one.routes);
      await models
        .image(chosen(one))
        .draw(imageTask({ resolution: { width: 3840, height: 2160 } }), recordedCall().call);
      const { image_size, width, height, size } = jsonBody(server.requests[0]);
      return size ?? `${(image_size ?? { width }).width}x${(image_size ?? { height }).height}`;
    }),
  );
  expect(sizes).toEqual(["1920x1088", "1920x1088", "1920x1088"]);
});

test.each(named)("%s: a creation without an answer is given up at the deadline, and not sent again", async (_, one) => {
  const { call, expire } = recordedCall();
  const hang = () => {
    expire();
    return new Promise<Response>(() => {});
  };
  const { server, models } = connect(one.setting, () => ({ [`POST ${one.create}`]: hang }));
  expect(await codeOf(models.image(chosen(one)).draw(imageTask(), call))).toBe("provider_timeout");
  expect(server.requests).toHaveLength(1);
});

test("fal's queue may answer in place of the image", async () => {
  let looks = 0;
  const { models } = connect("FAL", (origin) => ({
    "POST /fal-ai/flux-2-pro": () => Response.json({ request_id: "1", response_url: `${origin()}/requests/1` }),
    "GET /requests/1": () =>
      ++looks < 2
        ? Response.json({ detail: "Request is still in progress" }, { status: 400 })
        : Response.json({ images: [{ url: fileUrl(origin()) }] }),
    "GET /files/1.png": () => file(),
  }));
  expect(await models.image({ provider: "fal", apiKey }).draw(imageTask(), recordedCall().call)).toHaveLength(
    image.length,
  );
});

test("an image that Black Forest Labs refuses is refused at once", async () => {
  const { models } = connect("BFL", (origin) => ({
    "POST /v1/flux-2-pro": () => Response.json({ id: "1", polling_url: `${origin()}/v1/get_result?id=1` }),
    "GET /v1/get_result": () => Response.json({ status: "Request Moderated", result: null }),
  }));
  expect(await codeOf(models.image({ provider: "bfl", apiKey }).draw(imageTask(), recordedCall().call))).toBe(
    "content_refused",
  );
});

const text = "Good morning, dear friends of coffee and tea";

test("ElevenLabs speaks with a voice by its name or its id", async () => {
  const { server, models } = connect("ELEVENLABS", () => ({
    "POST /v1/text-to-speech/:voice": () =>
      new Response(wavOf(spokenSamples(text)), { headers: { "content-type": "audio/mpeg" } }),
  }));
  const model = models.speech({ provider: "elevenlabs", apiKey });
  const speak = (voice: string) =>
    model.speak({ text, voice: model.voiceNamed(voice), speed: 1, instructions: "" }, recordedCall().call);
  expect(secondsOf(await speak("george"))).toBeCloseTo(secondsOf(spokenSamples(text)), 1);
  await speak("AbCdEfGhIjKlMnOpQrSt");
  expect(server.requests.map(({ path }) => path)).toEqual([
    "/v1/text-to-speech/JBFqnCBsd6RMkjVDRZzb",
    "/v1/text-to-speech/AbCdEfGhIjKlMnOpQrSt",
  ]);
  expect(jsonBody(server.requests[0])).toEqual({ text, model_id: "eleven_multilingual_v2" });
  expect(server.requests[0]!.headers.get("xi-api-key")).toBe(apiKey);
  expect(() => model.voiceNamed("nobody")).toThrow("voice");
});

test("ElevenLabs gets no more requests of one key at a time than every plan takes", async () => {
  let running = 0;
  let most = 0;
  const { promise: hasTwo, resolve: reachTwo } = Promise.withResolvers<void>();
  const { server, models } = connect("ELEVENLABS", () => ({
    async "POST /v1/text-to-speech/:voice"() {
      running += 1;
      most = Math.max(most, running);
      if (running === 2) reachTwo();
      await hasTwo;
      await new Promise(setImmediate);
      running -= 1;
      return new Response(wavOf(spokenSamples(text)), { headers: { "content-type": "audio/mpeg" } });
    },
  }));
  const speak = () => {
    const model = models.speech({ provider: "elevenlabs", apiKey });
    return model.speak({ text, voice: model.voiceNamed("george"), speed: 1, instructions: "" }, recordedCall().call);
  };
  await Promise.all(Array.from({ length: 6 }, speak));
  expect([server.requests.length, most]).toEqual([6, 2]);
});

test("ElevenLabs gives the times of words", async () => {
  const words = [
    { text: "Good", type: "word", start: 0, end: 0.4 },
    { text: " ", type: "spacing", start: 0.4, end: 0.5 },
    { text: "morning", type: "word", start: 0.5, end: 1 },
  ];
  const { models } = connect("ELEVENLABS", () => ({
    "POST /v1/speech-to-text": () =>
      Response.json({ language_code: "en", language_probability: 1, text: "Good morning", words }),
  }));
  const sound = { bytes: wavOf(spokenSamples(text)), durationSeconds: 2, peakDecibels: -10 };
  const heard = await models
    .transcription({ provider: "elevenlabs", apiKey })
    .transcribe({ sound }, recordedCall().call);
  expect(heard).toMatchObject({ text: "Good morning", language: "en" });
  expect(heard.words.map(({ text: word, start }) => [word, start])).toEqual([
    ["Good", 0],
    ["morning", 0.5],
  ]);
});

test("the gateway speaks, and hears words with their times, with one request each", async () => {
  const sound = wavOf(spokenSamples(text));
  const words = [
    { text: "Good", startSecond: 0, endSecond: 0.4 },
    { text: "morning", startSecond: 0.5, endSecond: 1 },
  ];
  const { server, models } = connect("GATEWAY", () => ({
    "POST /v4/ai/speech-model": () => Response.json({ audio: sound.toBase64() }),
    "POST /v4/ai/transcription-model": () => Response.json({ text: "Good morning", language: "en", segments: words }),
  }));
  const voices = models.speech({ provider: "gateway", apiKey });
  const task = { text, voice: voices.voiceNamed("Kore"), speed: 1, instructions: "" };
  expect(secondsOf(await voices.speak(task, recordedCall().call))).toBeCloseTo(secondsOf(spokenSamples(text)), 1);
  const heard = await models
    .transcription({ provider: "gateway", apiKey })
    .transcribe({ sound: { bytes: sound, durationSeconds: 2, peakDecibels: -10 } }, recordedCall().call);
  expect(heard).toMatchObject({ text: "Good morning", language: "en" });
  expect(heard.words.map(({ text: word, start }) => [word, start])).toEqual([
    ["Good", 0],
    ["morning", 0.5],
  ]);
  expect(server.requests.map(({ path }) => path)).toEqual(["/v4/ai/speech-model", "/v4/ai/transcription-model"]);
  expect(jsonBody(server.requests[0])).toMatchObject({ text, voice: "Kore" });
  expect(server.requests.map(({ headers }) => headers.get("authorization"))).toEqual(Array(2).fill(`Bearer ${apiKey}`));
});

test("ElevenLabs makes music and effects, with one request each", async () => {
  const sound = () => new Response(wavOf(spokenSamples(text)), { headers: { "content-type": "audio/mpeg" } });
  const { server, models } = connect("ELEVENLABS", () => ({
    "POST /v1/music": sound,
    "POST /v1/sound-generation": sound,
  }));
  const { call, records } = recordedCall();
  const model = models.music({ provider: "elevenlabs", apiKey });
  await model.compose({ prompt: "Calm piano", seconds: 20, kind: "music" }, call);
  await model.compose({ prompt: "A door", seconds: 60, kind: "effect" }, call);
  expect(server.requests.map(jsonBody)).toEqual([
    { prompt: "Calm piano", music_length_ms: 20_000, model_id: "music_v2_5" },
    { text: "A door", duration_seconds: 30, model_id: "eleven_text_to_sound_v2" },
  ]);
  expect(records.map(({ model: used, purpose, seconds }) => [used, purpose, seconds])).toEqual([
    ["music_v2_5", "music", 20],
    ["eleven_text_to_sound_v2", "music", 30],
  ]);
});

type TextProvider = {
  readonly id: string;
  readonly setting: string;
  readonly path: string;
  readonly keyHeader: readonly [name: string, value: string];
  /** What its requests say besides the prompt. */
  readonly body: object;
  answer(text: string): object;
  refused(): Response;
};

const textProviders: readonly TextProvider[] = [
  {
    ...{ id: "anthropic", setting: "ANTHROPIC", path: "/v1/messages", keyHeader: ["x-api-key", apiKey] },
    body: { model: "claude-sonnet-5-5" },
    answer: (text) => ({
      ...{ id: "msg_1", type: "message", role: "assistant", model: "claude-sonnet-5-5", stop_reason: "end_turn" },
      content: [{ type: "text", text }],
      usage: { input_tokens: 12, output_tokens: 34 },
    }),
    refused: () =>
      Response.json({
        ...{ id: "msg_1", type: "message", role: "assistant", model: "claude-sonnet-5-5", stop_reason: "refusal" },
        content: [],
        usage: { input_tokens: 12, output_tokens: 0 },
      }),
  },
  {
    ...{ id: "xai", setting: "XAI", path: "/v1/responses", keyHeader: ["authorization", `Bearer ${apiKey}`] },
    // xAI stores responses by default
    body: { model: "grok-4.7", store: false },
    answer: (text) => ({
      ...{ id: "resp_1", object: "response", created_at: 1, model: "grok-4.7", status: "completed" },
      output: [
        {
          ...{ type: "message", id: "msg_1", role: "assistant", status: "completed" },
          content: [{ type: "output_text", text, annotations: [] }],
        },
      ],
      usage: { input_tokens: 12, output_tokens: 34, total_tokens: 46 },
    }),
    refused: () => {
      const error = `Content violates usage guidelines. Team: ${apiKey}. Failed check: SAFETY_CHECK_TYPE_BIO`;
      return Response.json({ code: "permission-denied", error }, { status: 403 });
    },
  },
  {
    ...{ id: "gateway", setting: "GATEWAY", path: "/v4/ai/language-model" },
    keyHeader: ["authorization", `Bearer ${apiKey}`],
    body: {},
    answer: (text) => ({
      content: [{ type: "text", text }],
      finishReason: { unified: "stop", raw: "stop" },
      usage: { inputTokens: { total: 12 }, outputTokens: { total: 34 } },
      warnings: [],
    }),
    refused: () =>
      Response.json({
        content: [],
        finishReason: { unified: "content-filter", raw: "refusal" },
        usage: { inputTokens: { total: 12 }, outputTokens: { total: 0 } },
        warnings: [],
      }),
  },
];
const textNamed = textProviders.map((provider) => [provider.id, provider] as const);

test.each(textNamed)("%s sees pictures and writes in the schema", async (id, provider) => {
  const { setting, path, keyHeader, body, answer } = provider;
  const outputs = [JSON.stringify({ matches: false, differences: ["The cap."] }), JSON.stringify(scenarioOutput)];
  const { server, models } = connect(setting, () => ({
    [`POST ${path}`]: () => Response.json(answer(outputs[server.requests.length - 1]!)),
  }));
  const { call, records } = recordedCall();
  const picture = { image: reference() };
  const task = { prompt: { system: "Compare.", message: "The same?" }, picture, references: [picture] };
  expect(await models.vision({ provider: id, apiKey }).matchProduct(task, call)).toEqual(JSON.parse(outputs[0]!));
  expect(JSON.stringify(jsonBody(server.requests[0])).split(image.toBase64())).toHaveLength(3);
  expect((await models.llm({ provider: id, apiKey }).writeScenario(scenario, call)).scenes).toHaveLength(1);
  for (const request of server.requests) {
    expect(request.headers.get(keyHeader[0])).toBe(keyHeader[1]);
    expect(jsonBody(request)).toMatchObject(body);
  }
  expect(records).toMatchObject([
    { purpose: "match", inputTokens: 12, outputTokens: 34, outcome: "ok" },
    { purpose: "scenario", inputTokens: 12, outputTokens: 34, outcome: "ok" },
  ]);
});

/** A failure after which nobody is to ask again so soon. */
const textFault = (status: number) => () =>
  Response.json({ error: { message: apiKey } }, { status, headers: { "retry-after": "60" } });

test.each(textNamed)("%s: a fault is an error of its own, without the key", async (id, { setting, path, refused }) => {
  const faults = [
    [textFault(401), "provider_key_rejected", 1],
    [textFault(400), "provider_rejected_request", 1],
    [textFault(429), "provider_rate_limited", 1],
    [textFault(500), "provider_error", 1],
    [refused, "content_refused", 1],
    [reset, "provider_error", 3],
    [() => new Response("<html>"), "provider_bad_response", 2],
    [() => Response.json({ hello: 1 }), "provider_bad_response", 2],
    [() => new Response("x", { headers: { "content-length": `${2 ** 31}` } }), "not ok", 3],
  ] as const;
  const expectFault = async ([reply, code, most]: (typeof faults)[number]) => {
    const { server, models } = connect(setting, () => ({ [`POST ${path}`]: reply }));
    const work = models.llm({ provider: id, apiKey }).writeScenario(scenario, recordedCall().call);
    if (code === "not ok") expect(await codeOf(work)).not.toBe("ok");
    else expect(await codeOf(work)).toBe(code);
    expect(server.requests.length).toBeLessThanOrEqual(most);
    expect(await work.catch(({ message }) => message)).not.toContain(apiKey);
  };
  // at once, because some are repeated after a while
  await Promise.all(faults.map(expectFault));
});

test.each(textNamed)("%s: an answer that never comes is given up at the deadline", async (id, { setting, path }) => {
  const { call, expire } = recordedCall();
  const hang = () => {
    expire();
    return new Promise<Response>(() => {});
  };
  const { server, models } = connect(setting, () => ({ [`POST ${path}`]: hang }));
  expect(await codeOf(models.llm({ provider: id, apiKey }).writeScenario(scenario, call))).toBe("provider_timeout");
  expect(server.requests).toHaveLength(1);
});

// safe because an external model reads only the prompt
const scenario = { prompt: { system: "You are a director.", message: "A cup." }, brief: {} as Brief };

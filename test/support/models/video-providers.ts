import { fakeServer, jsonBody, type ReceivedRequest } from "./fake-server.ts";
import { mp4Bytes } from "./omni.ts";

/** How a provider's video jobs look over the wire, after its published description. */
export type VideoProvider = {
  readonly id: string;
  readonly setting: string;
  readonly model: string;
  readonly seconds: number;
  readonly start: string;
  readonly status: string;
  readonly cancel?: string;
  readonly keyHeader: readonly [name: string, value: string];
  /** What is wrong with a request to start a job. */
  violations(request: ReceivedRequest): readonly string[];
  started(origin: string): Response;
  running(): Response;
  done(url: string): Response;
  failed(reason: string): Response;
};

export const videoKey = "key-of-the-caller";
const picture = /^data:image\/png;base64,[A-Za-z0-9+/]+=*$/;

/** The fields of a body that are not what a provider describes; none may be missing or unknown. */
function wrongFields(body: Record<string, unknown>, expected: Readonly<Record<string, unknown>>): readonly string[] {
  const names = [...new Set([...Object.keys(body), ...Object.keys(expected)])];
  return names.flatMap((name) => {
    const wanted = expected[name];
    const value = body[name];
    const isRight =
      wanted instanceof RegExp ? wanted.test(String(value)) : JSON.stringify(wanted) === JSON.stringify(value);
    return isRight ? [] : [`${name}: ${String(JSON.stringify(value)).slice(0, 60)}`];
  });
}

const json = (body: unknown, status = 200) => Response.json(body, { status });
const prompt = /The cup turns/;

/** A model of fal, whose queue is the same for all. */
function falModel(model: string, seconds: number, expected: Readonly<Record<string, unknown>>, maxPrompt = 2_500) {
  const [owner, name] = model.split("/");
  const requests = `/${owner}/${name}/requests`;
  return {
    ...{ id: "fal", setting: "FAL", model, seconds, start: `POST /${model}`, status: `GET ${requests}/:id` },
    cancel: `PUT ${requests}/:id/cancel`,
    keyHeader: ["authorization", `Key ${videoKey}`] as const,
    violations: (request: ReceivedRequest) => [
      ...wrongFields(jsonBody(request), { prompt, image_url: picture, ...expected }),
      ...(jsonBody(request).prompt.length <= maxPrompt ? [] : ["a long prompt"]),
    ],
    started: (origin: string) =>
      json({ status: "IN_QUEUE", request_id: "job-1", response_url: `${origin}${requests}/job-1` }),
    running: () => json({ status: "IN_PROGRESS" }, 202),
    done: (url: string) => json({ video: { url, content_type: "video/mp4" } }),
    failed: (reason: string) =>
      json({ detail: [{ loc: ["body"], msg: reason, type: "content_policy_violation" }] }, 422),
  };
}

function replicateModel(model: string, seconds: number, expected: Readonly<Record<string, unknown>>): VideoProvider {
  return {
    id: "replicate",
    setting: "REPLICATE",
    model,
    seconds,
    start: `POST /v1/models/${model}/predictions`,
    status: "GET /v1/predictions/:id",
    cancel: "POST /v1/predictions/:id/cancel",
    keyHeader: ["authorization", `Bearer ${videoKey}`],
    violations: (request) => wrongFields(jsonBody(request).input, { prompt, duration: seconds, ...expected }),
    started: (origin) =>
      json({ id: "job-1", status: "starting", urls: { get: `${origin}/v1/predictions/job-1` } }, 201),
    running: () => json({ id: "job-1", status: "processing", urls: { get: "" } }),
    done: (output) => json({ id: "job-1", status: "succeeded", output, urls: { get: "" } }),
    failed: (error) => json({ id: "job-1", status: "failed", error: `NSFW: ${error}`, urls: { get: "" } }),
  };
}

function xaiModel(model: string, resolution: string): VideoProvider {
  return {
    id: "xai",
    setting: "XAI",
    model,
    seconds: 5,
    start: "POST /v1/videos/generations",
    status: "GET /v1/videos/:id",
    keyHeader: ["authorization", `Bearer ${videoKey}`],
    violations: (request) => {
      const { image, ...body } = jsonBody(request);
      const expected = { model, prompt, duration: 5, aspect_ratio: "9:16", resolution };
      return [...wrongFields(body, expected), ...wrongFields(image, { url: picture })];
    },
    started: () => json({ request_id: "job-1" }),
    running: () => new Response(null, { status: 202 }),
    done: (url) => json({ status: "done", video: { url, duration: 5 } }),
    failed: (message) => json({ status: "failed", error: { code: "moderation", message: `moderation ${message}` } }),
  };
}

export const videoProviders: readonly VideoProvider[] = [
  {
    id: "fal",
    setting: "FAL",
    model: "fal-ai/kling-video/v3/pro/image-to-video",
    seconds: 5,
    start: "POST /fal-ai/kling-video/v3/pro/image-to-video",
    status: "GET /fal-ai/kling-video/requests/:id",
    cancel: "PUT /fal-ai/kling-video/requests/:id/cancel",
    keyHeader: ["authorization", `Key ${videoKey}`],
    violations: (request) => wrongFields(jsonBody(request), { prompt, start_image_url: picture, duration: "5" }),
    started: (origin) =>
      json({
        status: "IN_QUEUE",
        request_id: "job-1",
        response_url: `${origin}/fal-ai/kling-video/requests/job-1`,
        status_url: `${origin}/fal-ai/kling-video/requests/job-1/status`,
        cancel_url: `${origin}/fal-ai/kling-video/requests/job-1/cancel`,
      }),
    running: () => json({ detail: "Request is still in progress" }, 400),
    done: (url) => json({ video: { url, content_type: "video/mp4" } }),
    failed: (reason) => json({ detail: [{ loc: ["body"], msg: reason, type: "content_policy_violation" }] }, 422),
  },
  falModel("bytedance/seedance-2.0/image-to-video", 5, { duration: "5", aspect_ratio: "9:16", resolution: "1080p" }),
  // refuses a string
  falModel("fal-ai/wan/v2.7/image-to-video", 5, { duration: 5, resolution: "1080p" }),
  falModel("fal-ai/minimax/hailuo-2.3/standard/image-to-video", 6, { duration: "6" }, 2_000),
  falModel("fal-ai/veo3.1/fast/image-to-video", 6, { duration: "6s", aspect_ratio: "9:16", resolution: "1080p" }),
  falModel("fal-ai/kling-video/v3/standard/image-to-video", 5, {
    ...{ duration: "5", image_url: undefined, start_image_url: picture },
  }),
  {
    id: "runway",
    setting: "RUNWAY",
    model: "gen4_turbo",
    seconds: 5,
    start: "POST /v1/image_to_video",
    status: "GET /v1/tasks/:id",
    cancel: "DELETE /v1/tasks/:id",
    keyHeader: ["authorization", `Bearer ${videoKey}`],
    violations: (request) => [
      ...wrongFields(jsonBody(request), {
        ...{ model: "gen4_turbo", promptText: prompt, promptImage: picture, ratio: "720:1280", duration: 5 },
      }),
      ...(request.headers.get("x-runway-version") === "2024-11-06" ? [] : ["no version"]),
      ...(jsonBody(request).promptText.length <= 1000 ? [] : ["a long prompt"]),
    ],
    started: () => json({ id: "job-1" }),
    running: () => json({ id: "job-1", status: "RUNNING", progress: 0.5 }),
    done: (url) => json({ id: "job-1", status: "SUCCEEDED", output: [url] }),
    failed: (failure) => json({ id: "job-1", status: "FAILED", failure, failureCode: "SAFETY.INPUT.TEXT" }),
  },
  replicateModel("bytedance/seedance-1-pro", 5, { image: picture }),
  // its default, 1080p, has no 10 seconds
  replicateModel("minimax/hailuo-02", 6, { first_frame_image: picture, resolution: "768p" }),
  xaiModel("grok-imagine-video", "720p"),
  xaiModel("grok-imagine-video-1.5", "1080p"),
  {
    id: "bfl",
    setting: "BFL",
    model: "flux-3-video",
    seconds: 5,
    start: "POST /v1/flux-3-video",
    status: "GET /v1/get_result",
    keyHeader: ["x-key", videoKey],
    violations: (request) =>
      wrongFields(jsonBody(request), {
        ...{
          mode: "i2v",
          prompt,
          aspect_ratio: "9:16",
          duration: 5,
          resolution: "fhd",
          keyframes: /^[A-Za-z0-9+/]+=*$/,
        },
      }),
    started: (origin) => json({ id: "job-1", polling_url: `${origin}/v1/get_result?id=job-1` }),
    running: () => json({ id: "job-1", status: "Pending" }),
    done: (sample) => json({ id: "job-1", status: "Ready", result: { sample } }),
    failed: (details) => json({ id: "job-1", status: "Request Moderated", details: { details } }),
  },
  {
    id: "gateway",
    setting: "GATEWAY",
    model: "klingai/kling-v3.0-i2v",
    seconds: 5,
    start: "POST /v4/ai/video-model/start",
    status: "POST /v4/ai/video-model/status",
    keyHeader: ["authorization", `Bearer ${videoKey}`],
    violations: (request) => {
      const { image, ...body } = jsonBody(request);
      const fields = { prompt, n: 1, aspectRatio: "9:16", duration: 5, providerOptions: {} };
      const modelId = request.headers.get("ai-model-id");
      return [
        ...wrongFields(body, fields),
        ...wrongFields(image, { type: "file", mediaType: "image/png", data: /^[A-Za-z0-9+/]+=*$/ }),
        ...(modelId === "klingai/kling-v3.0-i2v" ? [] : [`model ${modelId}`]),
      ];
    },
    started: () => json({ operation: { job: "job-1" } }),
    running: () => json({ status: "pending" }),
    done: (url) => json({ status: "completed", videos: [{ type: "url", url, mediaType: "video/mp4" }] }),
    failed: (error) => json({ status: "error", error: `blocked by moderation: ${error}` }),
  },
  {
    id: "alibaba",
    setting: "ALIBABA",
    model: "wan3.0-video",
    seconds: 5,
    start: "POST /api/v1/services/aigc/video-generation/video-synthesis",
    status: "GET /api/v1/tasks/:id",
    cancel: "POST /api/v1/tasks/:id/cancel",
    keyHeader: ["authorization", `Bearer ${videoKey}`],
    violations: (request) => {
      const { model, input, parameters } = jsonBody(request);
      return [
        ...wrongFields({ model }, { model: "wan3.0-video" }),
        ...wrongFields(parameters, { duration: 5, resolution: "1080P", ratio: "9:16" }),
        ...wrongFields({ prompt: input.prompt, ...input.media[0] }, { prompt, type: "first_frame", url: picture }),
        ...(request.headers.get("x-dashscope-async") === "enable" ? [] : ["not asynchronous"]),
      ];
    },
    started: () => json({ output: { task_id: "job-1", task_status: "PENDING" } }),
    running: () => json({ output: { task_id: "job-1", task_status: "RUNNING" } }),
    done: (url) => json({ output: { task_id: "job-1", task_status: "SUCCEEDED", video_url: url } }),
    failed: (message) =>
      json({ output: { task_id: "job-1", task_status: "FAILED", message: `inspection: ${message}` } }),
  },
];

type Reply = () => Response | Promise<Response>;
export type Script = {
  readonly starts?: readonly Reply[];
  readonly statuses?: readonly Reply[];
  readonly results?: readonly Reply[];
};

/** A strict stand-in of a provider, with one job. By default the job ends at the third look. */
export function videoProviderServer(provider: VideoProvider, script: Script = {}) {
  const { start, status, cancel, keyHeader } = provider;
  const violations: string[] = [];
  const resultUrl = () => `${server.url}/results/video.mp4`;
  const {
    starts = [() => provider.started(server.url)],
    statuses = [provider.running, provider.running, () => provider.done(resultUrl())],
    results = [() => new Response(mp4Bytes, { headers: { "content-type": "video/mp4" } })],
  } = script;
  const counts = { starts: 0, statuses: 0, results: 0, cancels: 0 };
  const keys: (string | null)[] = [];
  const bodies: ReturnType<typeof jsonBody>[] = [];
  const next = (kind: "starts" | "statuses" | "results", replies: readonly Reply[]) =>
    replies[Math.min(counts[kind]++, replies.length - 1)]!();
  const withKey = (request: ReceivedRequest) => {
    const [name, value] = keyHeader;
    if (request.headers.get(name) !== value) violations.push(`${request.method} ${request.path} without the key`);
  };
  const server = fakeServer({
    [start](request) {
      withKey(request);
      keys.push(request.headers.get("idempotency-key"));
      bodies.push(jsonBody(request));
      violations.push(...provider.violations(request));
      return next("starts", starts);
    },
    [status](request) {
      withKey(request);
      return next("statuses", statuses);
    },
    ...(cancel && {
      [cancel](request: ReceivedRequest) {
        withKey(request);
        counts.cancels += 1;
        return Response.json({});
      },
    }),
    "GET /results/video.mp4"(request) {
      if (JSON.stringify([...request.headers]).includes(videoKey)) violations.push("the key is sent for a result");
      return next("results", results);
    },
  });
  return { url: server.url, violations, counts, keys, bodies, resultUrl, stop: server.stop };
}

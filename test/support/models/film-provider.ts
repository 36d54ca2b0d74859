import { wavOf } from "../../../src/domain/speech/samples.ts";
import { mp4, png } from "../uploads.ts";
import { fakeServer, jsonBody } from "./fake-server.ts";
import { openaiResponse, scenarioOutput } from "./text-responses.ts";
import { spokenSamples } from "./voice-server.ts";

export const paidKinds = ["scenario", "image", "video", "voice"] as const;
export type PaidKind = (typeof paidKinds)[number];

/** What one call of each kind costs. Pictures have a price of their own, so that sums tell them apart. */
export const filmPrices = [
  { provider: "openai", model: "gpt-6-luna", category: "llm", unit: "input_token_million", price: "1" },
  { provider: "openai", model: "gpt-6-luna", category: "llm", unit: "output_token_million", price: "1" },
  { provider: "openai", model: "gpt-image-2.5-flare", category: "image", unit: "image", price: "0.05" },
  { provider: "google", model: "gemini-omni-1.2-flash", category: "video", unit: "second", price: "0.1" },
  { provider: "openai", model: "gpt-4o-mini-tts", category: "speech", unit: "character_million", price: "15" },
];

export const filmModels = {
  llm: { provider: "openai" },
  image: { provider: "openai" },
  video: { provider: "google" },
  speech: { provider: "openai" },
};

const subjects = ["A cup on a desk", "A cup in the rain", "A cup at the sea"];

/**
 * Everything that a film pays for. `before` runs when a call has arrived and is counted, `answers` may replace an answer,
 * and `polls` what is said of a video that is being made.
 */
export async function filmProvider() {
  const [scene] = scenarioOutput.scenes;
  const scenes = subjects.map((image_prompt, scene_index) => ({
    ...{ ...scene!, scene_index, image_prompt, duration_seconds: 1, voice_text: `Number ${scene_index}.` },
  }));
  const video = (await (await mp4()).bytes()).toBase64();
  const counts: Record<PaidKind, number> = { scenario: 0, image: 0, video: 0, voice: 0 };
  let cancelled = 0;
  const hooks = {
    before: async (_: PaidKind): Promise<unknown> => undefined,
    answer: (_: PaidKind, __: number): Response | undefined => undefined,
    poll: async (): Promise<Response | undefined> => undefined,
    reset() {
      hooks.before = async () => undefined;
      hooks.answer = () => undefined;
      hooks.poll = async () => undefined;
    },
  };
  const paid = async (kind: PaidKind, answer: () => Response | Promise<Response>) => {
    const count = ++counts[kind];
    await hooks.before(kind);
    return hooks.answer(kind, count) ?? (await answer());
  };
  const finished = () => {
    const content = [{ type: "video", data: video }];
    return Response.json({ id: "v1_job", status: "completed", steps: [{ type: "model_output", content }] });
  };
  const server = fakeServer({
    "POST /v1/responses": () => paid("scenario", () => openaiResponse({ text: JSON.stringify({ scenes }) })),
    "POST /v1/images/generations": () =>
      paid("image", async () => {
        // another picture each time
        const picture = await png(90 + 2 * (counts.image % 100), 160).bytes();
        return Response.json({ data: [{ b64_json: picture.toBase64() }] });
      }),
    "POST /v1beta/interactions": () =>
      paid("video", () => Response.json({ id: `v1_job${counts.video}`, status: "in_progress" })),
    "POST /v1beta/interactions/:id/cancel": () => {
      cancelled++;
      return Response.json({});
    },
    "GET /v1beta/interactions/:id": async () => (await hooks.poll()) ?? finished(),
    "POST /v1/audio/speech": (request) =>
      paid("voice", () => new Response(wavOf(spokenSamples(jsonBody(request).input)))),
  });
  return Object.assign(hooks, {
    settings: { OPENAI_BASE_URL: `${server.url}/v1`, GOOGLE_BASE_URL: `${server.url}/v1beta` },
    requests: server.requests,
    counts: () => ({ ...counts }),
    cancelled: () => cancelled,
    stop: server.stop,
  });
}

export type FilmProvider = Awaited<ReturnType<typeof filmProvider>>;

import { wavOf } from "../../../src/engine/timeline/samples.ts";
import { mp4, png, wav } from "../uploads.ts";
import { fakeServer, jsonBody, type ReceivedRequest } from "./fake-server.ts";
import { openaiResponse, scenarioOutput } from "./text-responses.ts";
import { spokenSamples } from "./voice-server.ts";

export const paidKinds = ["scenario", "image", "match", "video", "voice", "music"] as const;
/** A table has translations, too. */
type PaidKind = (typeof paidKinds)[number] | "translation";

/** What one call of each kind costs. Pictures have a price of their own, so that sums tell them apart. */
export const filmPrices = [
  { provider: "openai", model: "gpt-6-luna", category: "llm", unit: "input_token_million", price: "1" },
  { provider: "openai", model: "gpt-6-luna", category: "llm", unit: "output_token_million", price: "1" },
  { provider: "openai", model: "gpt-image-2.6-flare", category: "image", unit: "image", price: "0.05" },
  // the default of earlier versions, which films are carried over from
  { provider: "openai", model: "gpt-image-2.5-flare", category: "image", unit: "image", price: "0.05" },
  { provider: "google", model: "gemini-omni-1.2-flash", category: "video", unit: "second", price: "0.1" },
  { provider: "openai", model: "gpt-4o-mini-tts", category: "speech", unit: "character_million", price: "15" },
  { provider: "elevenlabs", model: "music_v2_5", category: "music", unit: "second", price: "0.01" },
];

export const filmModels = {
  llm: { provider: "openai" },
  image: { provider: "openai" },
  video: { provider: "google" },
  speech: { provider: "openai" },
};

/** What one call of each kind costs, in millionths: 47 tokens, a picture, 3 seconds, 9 characters. */
const costs: Record<PaidKind, number> = {
  ...{ scenario: 47, translation: 47, image: 50_000, match: 47, video: 300_000, voice: 135, music: 30_000 },
};

/** These, and those that a film has where its order asks for them. */
export const allFilmModels = { ...filmModels, vision: { provider: "openai" }, music: { provider: "elevenlabs" } };

const subjects = ["A cup on a desk", "A cup in the rain", "A cup at the sea"];

/** Each text of a request with the language before it, such as `en:Rad`; undefined for another request. */
function translatedTexts(sent: string): Record<string, string> | undefined {
  const { input } = JSON.parse(sent);
  const message: string = input.flatMap(({ content }: { content: unknown }) => content).at(-1)?.text ?? "";
  const [, language] = /^Translate each text into .*\((.+)\)\./.exec(message) ?? [];
  if (!language) return undefined;
  const texts = message.matchAll(/<material name="(text_\d+)">\n([\s\S]*?)\n<\/material>/g);
  return Object.fromEntries([...texts].map(([, name, text]) => [name, `${language}:${text}`]));
}

/**
 * Everything that a film pays for. `before` runs when a call has arrived and is counted, `answer` may replace its answer,
 * and `poll` what is said of a video that is being made.
 */
export async function filmProvider() {
  const [scene] = scenarioOutput.scenes;
  const scenes = subjects.map((image_prompt, scene_index) => ({
    ...{ ...scene!, scene_index, image_prompt, duration_seconds: 1, voice_text: `Number ${scene_index}.` },
  }));
  const video = (await (await mp4()).bytes()).toBase64();
  const music = await wav().bytes();
  // safe because these are the kinds
  const counts = Object.fromEntries([...paidKinds, "translation"].map((kind) => [kind, 0])) as Record<PaidKind, number>;
  const keys: string[] = [];
  let cancelled = 0;
  let billed = 0;
  const hooks = {
    /** Of a scenario, three at most. */
    scenes: 3,
    before: async (_: PaidKind, __: ReceivedRequest): Promise<unknown> => undefined,
    answer: (_: PaidKind, __: number, ___: ReceivedRequest): Response | undefined | Promise<Response | undefined> =>
      undefined,
    poll: async (_: ReceivedRequest): Promise<Response | undefined> => undefined,
    reset() {
      hooks.scenes = 3;
      hooks.before = async () => undefined;
      hooks.answer = () => undefined;
      hooks.poll = async () => undefined;
    },
  };
  const paid = async (kind: PaidKind, request: ReceivedRequest, answer: () => Response | Promise<Response>) => {
    const count = ++counts[kind];
    keys.push(request.headers.get("idempotency-key") ?? `${kind} ${count}`);
    await hooks.before(kind, request);
    const other = await hooks.answer(kind, count, request);
    if (other) return other;
    billed += costs[kind];
    return await answer();
  };
  const draw = (request: ReceivedRequest) =>
    paid("image", request, async () => {
      // another picture each time
      const picture = await png(90 + 2 * (counts.image % 100), 160).bytes();
      return Response.json({ data: [{ b64_json: picture.toBase64() }] });
    });
  const finished = () => {
    const content = [{ type: "video", data: video }];
    return Response.json({ id: "v1_job", status: "completed", steps: [{ type: "model_output", content }] });
  };
  const server = fakeServer({
    "POST /v1/responses": (request) => {
      const sent = new TextDecoder().decode(request.bytes);
      const isMatch = sent.includes("differences");
      const texts = translatedTexts(sent);
      const kind = isMatch ? "match" : texts ? "translation" : "scenario";
      const output = isMatch
        ? { matches: true, differences: [] }
        : (texts ?? { scenes: scenes.slice(0, hooks.scenes) });
      return paid(kind, request, () => openaiResponse({ text: JSON.stringify(output) }));
    },
    "POST /v1/images/generations": draw,
    "POST /v1/images/edits": draw,
    "POST /v1beta/interactions": (request) =>
      paid("video", request, () => Response.json({ id: `v1_job${counts.video}`, status: "in_progress" })),
    "POST /v1beta/interactions/:id/cancel": () => {
      cancelled++;
      return Response.json({});
    },
    "GET /v1beta/interactions/:id": async (request) => (await hooks.poll(request)) ?? finished(),
    "POST /v1/audio/speech": (request) =>
      paid("voice", request, () => new Response(wavOf(spokenSamples(jsonBody(request).input)))),
    "POST /v1/music": (request) =>
      paid("music", request, () => new Response(music, { headers: { "content-type": "audio/wav" } })),
  });
  return Object.assign(hooks, {
    /** `host` tells the requests of one process from those of another. */
    settingsFor(host = "127.0.0.1") {
      const url = server.url.replace("127.0.0.1", host);
      return { OPENAI_BASE_URL: `${url}/v1`, GOOGLE_BASE_URL: `${url}/v1beta`, ELEVENLABS_BASE_URL: url };
    },
    requests: server.requests,
    /** Of films. */
    counts() {
      const { translation: _, ...ofFilms } = counts;
      return ofFilms;
    },
    translations: () => counts.translation,
    /** The keys that more than one call of something was sent with. */
    repeatedKeys: () => keys.filter((key, at) => keys.indexOf(key) !== at),
    cancelled: () => cancelled,
    /** What its answers cost by the table of prices, in dollars: `answer` gives those that cost nothing. */
    billed: () => billed / 1_000_000,
    stop: server.stop,
  });
}

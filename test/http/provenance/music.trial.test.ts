import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { Reader } from "@contentauth/c2pa-node";
import type { GateReport } from "../../../src/domain/gate/report.ts";
import { wavOf } from "../../../src/engine/timeline/samples.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";
import { fakeServer } from "../../support/models/fake-server.ts";
import { tone } from "../../support/models/voice-server.ts";
import { testService } from "../../support/service.ts";
import { png } from "../../support/uploads.ts";
import { newWork, requireJson, saveResponse } from "../../support/work-videos.ts";

const sound = wavOf(tone(4));
const provider = fakeServer({
  "POST /v1/music": () => new Response(sound, { headers: { "content-type": "audio/wav" } }),
});
const service = await testService({ ELEVENLABS_BASE_URL: provider.url });
const ann = await service.register("Ann");
const folder = await temporaryFolder();
afterAll(async () => {
  await Promise.all([service.close(), provider.stop(), rm(folder, { recursive: true, force: true })]);
});

const work = await newWork(ann, { name: "Film" });
await work.image(0, png(90, 60));
const { projectId, workId } = work;
const eleven = { "x-music-provider": "elevenlabs", "x-model-id": "music_v2", "x-api-key": "a-key" };
const compose = (body: object) =>
  requireJson(ann.json("POST", "/api/generate/music", { prompt: "Calm piano", seconds: 4, ...body }, eleven));
const ofModel = (await compose({ projectId })).audioUrl;
const forADay = (await compose({})).audioUrl;

const request = (audioUrl: string, options: object = {}) => ({
  ...{ projectId, workId, clips: [{ sceneIndex: 0, position: 0, end: 3 }], audio: { audioUrl } },
  options: { width: 64, height: 64, fps: 30, quality: "draft", ...options },
});

type Report = {
  active_manifest: string;
  validation_state: string;
  manifests: {
    [label: string]: {
      assertions: { label: string; data: { actions: Record<string, unknown>[] } }[];
      ingredients: { title: string }[];
    };
  };
};

/** What an export of the request says of its music: as JSON, and as another implementation reads its file. */
async function musicOf(body: object) {
  const path = await saveResponse(folder, await ann.json("POST", "/api/export", body));
  const { exports } = await requireJson(ann.request("/api/exports?limit=1"));
  const provenance = await requireJson(ann.request(`/api/exports/${exports[0].id}/provenance`));
  // safe because the reader has parsed a manifest
  const report = (await Reader.fromAsset({ path }))!.json() as unknown as Report;
  const { assertions, ingredients } = report.manifests[report.active_manifest]!;
  const { actions } = assertions.find(({ label }) => label === "c2pa.actions.v2")!.data;
  expect(report.validation_state).toBe("Valid");
  return {
    whole: provenance.digitalSourceType,
    models: provenance.models,
    ingredient: provenance.ingredients.find(({ role }: { role: string }) => role === "music"),
    made: actions[0],
    placed: actions[1 + ingredients.findIndex(({ title }) => title === "Music")],
  };
}

const iptc = "http://cv.iptc.org/newscodes/digitalsourcetype";
const model = { provider: "elevenlabs", model: "music_v2" };

test.each([
  ["of a project", ofModel],
  ["with a URL for a day", forADay],
])("music of a model, %s, is an ingredient with its model and source", async (_, audioUrl) => {
  const { whole, models, ingredient, made, placed } = await musicOf(request(audioUrl));
  expect(ingredient).toMatchObject({ role: "music", digitalSourceType: "trainedAlgorithmicMedia", model });
  expect(ingredient.sha256).toBe(new Bun.CryptoHasher("sha256").update(sound).digest("hex"));
  expect([whole, models]).toEqual(["compositeWithTrainedAlgorithmicMedia", [model]]);
  expect(made).toMatchObject({ digitalSourceType: `${iptc}/compositeWithTrainedAlgorithmicMedia` });
  expect(placed).toMatchObject({
    digitalSourceType: `${iptc}/trainedAlgorithmicMedia`,
    softwareAgent: { name: expect.stringContaining("music_v2") },
  });
});

test("uploaded music has no source type, and makes no film a generated one", async () => {
  const own = new File([wavOf(tone(3))], "own.wav", { type: "audio/wav" });
  const { id } = await work.asset(own);
  const { whole, models, ingredient, placed } = await musicOf(request(`/api/projects/${projectId}/assets/${id}`));
  expect(ingredient).not.toHaveProperty("digitalSourceType");
  expect(ingredient).not.toHaveProperty("model");
  expect(placed).not.toHaveProperty("digitalSourceType");
  expect([whole, models]).toEqual(["composite", []]);
});

test("local makes no music", async () => {
  const headers = { "x-music-provider": "local" };
  const response = await ann.json("POST", "/api/generate/music", { prompt: "Calm", seconds: 4 }, headers);
  expect([response.status, (await response.json()).code]).toEqual([400, "unsupported_capability"]);
});

test("the gate asks a film with music of a model to say so, and its label of its own counts", async () => {
  const check = async (options: object): Promise<GateReport> => {
    const body = { ...request(ofModel, options), platforms: ["reels"] };
    return requireJson(ann.json("POST", "/api/export/check", body));
  };
  const disclosureIn = ({ reports: [first] }: GateReport) =>
    first!.rules.find(({ rule }) => rule === "disclosure")!.status;
  expect(disclosureIn(await check({}))).toBe("fail");
  expect(disclosureIn(await check({ disclosure: "auto" }))).toBe("pass");
});

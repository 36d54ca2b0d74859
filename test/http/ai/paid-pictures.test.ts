import { afterAll, beforeAll, expect, test } from "bun:test";
import { fakeServer } from "../../support/models/fake-server.ts";
import { rememberedMedia } from "../../support/remembered-media.ts";
import { workWithScenes } from "../../support/scene-works.ts";
import { testService } from "../../support/service.ts";
import { formOf, mp4, png } from "../../support/uploads.ts";

const video = await mp4();
const picture = new Response(await png(32, 48).bytes(), { headers: { "content-type": "image/png" } });
const provider = fakeServer({
  "POST /fal-ai/flux-2-pro": () => Response.json({ images: [{ url: `${provider.url}/1.png` }] }),
  "POST /fal-ai/flux-2-pro/edit": () => Response.json({ images: [{ url: `${provider.url}/1.png` }] }),
  "GET /1.png": () => picture.clone(),
  "POST /v1/videos/generations": () => Response.json({ request_id: "1" }),
  "GET /v1/videos/:id": () => Response.json({ status: "done", video: { url: `${provider.url}/1.mp4`, duration: 5 } }),
  "GET /1.mp4": () => new Response(video, { headers: { "content-type": "video/mp4" } }),
});
const service = await testService(
  { FAL_BASE_URL: provider.url, XAI_BASE_URL: provider.url },
  undefined,
  rememberedMedia,
);
const ann = await service.register("Ann");
const scene = { duration_seconds: 5, image_prompt: "A cup", video_prompt: "It turns" };
let target: { projectId: string; workId: string; sceneIndex: number };
let assetIds: readonly string[];

beforeAll(async () => {
  const { base, projectId } = await workWithScenes(ann, { scenes: [scene] });
  target = { projectId, workId: base.split("/").at(-1)!, sceneIndex: 0 };
  const uploads = [png(30, 20), png(1500, 800)].map(async (file) => {
    const form = formOf({ file });
    const answer = await ann.request(`/api/projects/${projectId}/assets`, { method: "POST", body: form });
    return (await answer.json()).id;
  });
  assetIds = await Promise.all(uploads);
});
afterAll(async () => {
  await service.close();
  await provider.stop();
});

const headers = { "x-image-provider": "fal", "x-api-key": "a-key" };
const work = () => `/api/projects/${target.projectId}/works/${target.workId}`;

test("pictures of the product are in what an image costs, each by its megapixels", async () => {
  const costOf = async (referenceAssetIds: readonly string[]) => {
    expect((await ann.json("PUT", work(), { scenes: [{ ...scene, referenceAssetIds }] })).status).toBe(200);
    const drawn = await ann.json("POST", "/api/generate/image", { prompt: "A cup", ...target }, headers);
    expect(drawn.status).toBe(200);
    return drawn.headers.get("x-cost");
  };
  // two megapixels are drawn; the pictures have one and two
  expect(await costOf([])).toBe("0.045 USD");
  expect(await costOf(assetIds)).toBe("0.09 USD");
});

test("the first frame is in what a video costs where the provider charges for it", async () => {
  const form = formOf({ file: png(32, 48) });
  await ann.request(`${work()}/media/scene/0/image`, { method: "POST", body: form });
  const made = await ann.json(
    "POST",
    `${work()}/generate/scene/0`,
    {},
    { "x-image-provider": "local", "x-video-provider": "xai", "x-video-api-key": "a-key" },
  );
  expect(made.status).toBe(200);
  // five seconds at 720p, and one picture
  expect(made.headers.get("x-cost")).toBe("0.352 USD");
});

test("an estimate has the pictures that will be sent, up to as many as the model takes", async () => {
  const highest = async (body: object) => {
    const order = { scenes: 2, models: { image: { provider: "fal" } }, ...body };
    const path = `/api/projects/${target.projectId}/films/estimate`;
    return Number((await (await ann.json("POST", path, order)).json()).estimate.high);
  };
  const brief = { text: "A cup", assetIds };
  const [sent, kept] = [await highest({ brief }), await highest({ brief, references: false })];
  // two pictures of at most four megapixels for each of two scenes
  expect(sent - kept).toBeCloseTo(2 * 2 * 4 * 0.015, 6);
});

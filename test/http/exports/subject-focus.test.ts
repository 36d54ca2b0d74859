import { afterAll, expect, test } from "bun:test";
import { fakeServer } from "../../support/models/fake-server.ts";
import { openaiResponse } from "../../support/models/text-responses.ts";
import { rememberedMedia } from "../../support/remembered-media.ts";
import { testService } from "../../support/service.ts";
import { png } from "../../support/uploads.ts";
import { measuredReport, newWork, requireJson } from "../../support/work-videos.ts";

const answer = { description: "A square.", subject_boxes: [{ at_seconds: 0, box_2d: [330, 400, 670, 500] }] };
const provider = fakeServer({ "POST /v1/responses": () => openaiResponse({ text: JSON.stringify(answer) }) });
const service = await testService({ OPENAI_BASE_URL: `${provider.url}/v1` }, undefined, rememberedMedia);
const ann = await service.register("Ann");
afterAll(() => Promise.all([service.close(), provider.stop()]));

test("pictures have the middle of their box", async () => {
  const { projectId, workId, image, asset } = await newWork(ann);
  const file = png(160, 90);
  await image(2, file);
  const { id } = await asset(file);
  const openai = { "x-vision-provider": "openai", "x-api-key": "sk-test" };
  await requireJson(ann.json("POST", `/api/projects/${projectId}/assets/${id}/analyze`, {}, openai));
  const clips = [{ sceneIndex: 2, position: 0, end: 1, fit: "cover", focus: "auto" }];
  const options = { width: 90, height: 160, fps: 20 };
  const body = { projectId, workId, clips, options };
  const { focus } = await measuredReport(async () => ann.json("POST", "/api/export/validate", body));
  expect(focus[0].parts).toMatchObject([{ reason: "subject" }]);
  expect(focus[0].parts[0].from.x).toBeCloseTo(0.45, 1);
});

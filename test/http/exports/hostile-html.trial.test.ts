import { afterAll, expect, test } from "bun:test";
import { testService } from "../../support/service.ts";
import { newWork } from "../../support/work-videos.ts";

const service = await testService();
const ann = await service.register("Ann");
const { projectId, workId } = await newWork(ann);

afterAll(() => service.close());

test("a card that takes longer than a task may is refused by its limit", async () => {
  const style = "backdrop-filter:blur(90px);filter:blur(90px);width:4096px;height:4096px;background:#fff3";
  const html = `${`<div style="${style}">`.repeat(60)}x`;
  const options = { width: 64, height: 48, fps: 10 };
  const layers = [{ type: "html", end: 2, width: 4096, height: 4096, html }];
  const film = { projectId, workId, options, clips: [], layers };
  const response = await ann.json("POST", "/api/export/frame?t=1", film);
  // 503 on a machine that has no time for the task
  const { status } = response;
  expect([400, 503]).toContain(status);
  if (status === 400) expect(await response.text()).toContain("takes too long to draw");
}, 120_000);

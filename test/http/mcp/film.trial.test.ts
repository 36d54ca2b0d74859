import { afterAll, expect, test } from "bun:test";
import { loadImage } from "@napi-rs/canvas";
import { callTool, newClient } from "../../support/mcp-clients.ts";
import { sharedService } from "../../support/service.ts";
import { listen, png, wav } from "../../support/uploads.ts";
import { measured } from "../../support/work-videos.ts";

const service = await sharedService();
const ann = await service.register("Ann");
const server = listen(service);
afterAll(async () => {
  server.stop();
});

const base64 = async (file: File) => Buffer.from(await file.arrayBuffer()).toString("base64");

test("a film is made by tools alone, from a brief to a link", async () => {
  const client = await newClient(server, ann.accessToken);
  const call = (name: string, args: object = {}) => callTool(client, name, args);
  expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28");

  const { styleGuide } = await call("style_guide_extract", { text: "Warm colors, calm tempo. Brand color #c0392b." });
  const { id: projectId } = await call("projects_create", { name: "Coffee", styleGuide });
  expect((await call("projects_list")).projects).toMatchObject([{ id: projectId }]);
  const brief = { productName: "Sunrise", productDescription: "Coffee.", videoDuration: 2, sceneCount: 2 };
  const { id: workId } = await call("works_create", {
    projectId,
    ...brief,
    resolution: { width: 64, height: 112 },
  });
  const work = { projectId, workId };
  const { scenes } = await call("works_generate_scenario", work);
  expect(scenes).toHaveLength(2);
  const made = await call("works_generate_scene", { ...work, sceneIndex: 0, requestId: "scene-0" });
  expect(made.videoUrl).toEndWith("/media/scene/0/video");

  const music = await call("assets_upload", {
    projectId,
    data: await base64(wav()),
    filename: "music.wav",
    tags: ["a"],
  });
  expect(music).toMatchObject({ type: "audio", name: "music.wav", tags: ["a"] });
  const image = await call("assets_upload", { projectId, data: await base64(png(64, 112)), filename: "end.png" });
  await call("works_set_scene_media", { ...work, sceneIndex: 1, kind: "image", assetId: image.id });
  const { generatedScenes } = await call("works_get", work);
  expect(generatedScenes).toMatchObject([{ status: "done" }, { status: "image_ready" }]);

  const request = {
    ...work,
    clips: [
      {
        sceneIndex: 0,
        position: 0,
        end: 0.5,
        transition: "fade",
        transitionDuration: 0.2,
        fit: "cover",
        focus: "auto",
      },
      { sceneIndex: 1, position: 0.5, end: 1 },
    ],
    texts: [{ text: "Hello", position: 0, end: 1, fontSize: 14 }],
    audio: { audioUrl: music.url },
    options: { fps: 10, quality: "draft" },
  };
  const report = await measured(() => call("export_validate", request));
  expect(report).toMatchObject({ ok: true, focus: [{ path: "clips.0.focus" }] });

  const frame = await client.callTool({ name: "export_frame", arguments: { ...request, t: 0.2 } });
  const [picture] = frame.content as { type: string; data: string; mimeType: string }[];
  expect([picture!.type, picture!.mimeType]).toEqual(["image", "image/png"]);
  const { width, height } = await loadImage(Buffer.from(picture!.data, "base64"));
  expect([width, height]).toEqual([32, 56]);
  const sheet = await client.callTool({ name: "contact_sheet", arguments: { ...request, columns: 2, rows: 1 } });
  expect(sheet.content).toMatchObject([{ type: "image" }, { type: "text" }]);

  const reported: { progress: number; message?: string }[] = [];
  const started = await client.callTool(
    { name: "export_start", arguments: { ...request, waitSeconds: 50 } },
    { onprogress: (progress) => reported.push(progress) },
  );
  expect(started.structuredContent).toMatchObject({ status: "done", progress: 1 });
  const { id: exportId } = started.structuredContent as { id: string };
  const progress = reported.map((state) => state.progress);
  expect(progress).toEqual([...new Set(progress)].sort((a, b) => a - b));
  expect(progress.length).toBeGreaterThan(0);

  const status = await client.callTool({ name: "export_status", arguments: { exportId } });
  const [text, link] = status.content as { type: string; text: string; uri: string; mimeType: string; size: number }[];
  expect(JSON.parse(text!.text)).toEqual(status.structuredContent);
  expect(link).toMatchObject({ type: "resource_link", mimeType: "video/mp4" });
  const film = await fetch(link!.uri, { headers: { authorization: `Bearer ${ann.accessToken}` } });
  const bytes = await film.bytes();
  expect([film.status, bytes.byteLength]).toEqual([200, link!.size]);
  expect(Buffer.from(bytes.subarray(4, 8)).toString()).toBe("ftyp");

  expect(await call("export_cancel", { exportId })).toEqual({ deleted: true });
  expect(await call("usage_list")).toEqual({ calls: [] });
  await client.close();
});

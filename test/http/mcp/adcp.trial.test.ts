import { afterAll, expect, test } from "bun:test";
import { getComplianceStoryboardById, runStoryboard } from "@adcp/sdk/testing";
import { callTool, newClient } from "../../support/mcp-clients.ts";
import { testService } from "../../support/service.ts";
import { listen } from "../../support/uploads.ts";

const service = await testService();
const server = listen(service);
const ann = await service.register("Ann");
const client = await newClient(server, ann.accessToken);
afterAll(async () => {
  await client.close();
  await server.stop();
  await service.close();
});

/** Runs one of the protocol's own storyboards with its own client, and returns the steps by their result. */
async function storyboard(id: string) {
  const token = ann.accessToken;
  const result = await runStoryboard(`${server.url}/mcp`, getComplianceStoryboardById(id)!, {
    ...{ auth: { type: "bearer", token }, allow_http: true, protocol: "mcp" },
    test_kit: { auth: { api_key: token, probe_task: "list_creatives" } },
  });
  const steps = result.phases.flatMap((phase) => phase.steps);
  const named = (wanted: (step: (typeof steps)[number]) => unknown) =>
    steps.filter(wanted).map(({ step_id }) => step_id);
  return {
    failed: steps
      .filter(({ passed, skipped }) => !passed && !skipped)
      .map(({ step_id, error }) => `${step_id} ${error}`),
    passed: named(({ passed, skipped }) => passed && !skipped),
    skipped: named(({ skipped }) => skipped),
  };
}

test("the storyboard of generative agents passes, but for catalogs, which this agent does not take", async () => {
  expect(await storyboard("creative_generative")).toEqual({
    failed: [],
    passed: [
      ...["get_capabilities", "discover_formats", "build_draft", "refine_creative"],
      ...["build_multi_format", "build_production"],
    ],
    skipped: [
      ...["sync_generation_catalog", "build_catalog_aware_creative", "sync_substitution_probe_catalog"],
      ...["build_substitution_probe_creative", "expect_substitution_safe"],
    ],
  });
});

test("the storyboard of template agents passes", async () => {
  expect(await storyboard("creative_template")).toEqual({
    failed: [],
    passed: [
      ...["get_capabilities", "discover_formats", "filter_by_type", "preview_creative"],
      ...["build_creative", "build_multi_format"],
    ],
    skipped: [],
  });
});

test("what the storyboards of every agent ask of this one passes", async () => {
  expect(await storyboard("capability_discovery")).toMatchObject({ failed: [], skipped: [] });
  expect(await storyboard("v3_envelope_integrity")).toMatchObject({ failed: [], skipped: [] });
  // the other steps need a library of creatives, or sell media
  expect(await storyboard("creative_lifecycle")).toMatchObject({ passed: ["get_capabilities", "list_formats"] });
});

const agent_url = "https://films.example/mcp";

test("a video is built once for a key, watched without a token, and built in other formats", async () => {
  const format = { agent_url, id: "video_1x1", duration_ms: 3000 };
  const request = {
    message: "Velo Nord: the city bike that folds in ten seconds.",
    ...{ target_format_id: format, quality: "draft", brand: { domain: "velo.example" } },
    ...{ idempotency_key: "the-key-of-a-bike-1", include_preview: true },
  };
  const built = await callTool(client, "build_creative", request);
  expect(built).toMatchObject({
    status: "completed",
    creative_manifest: {
      format_id: format,
      assets: { video: { asset_type: "video", width: 360, height: 360, duration_ms: 3000 } },
      provenance: { digital_source_type: "composite_synthetic", disclosure: { required: false } },
    },
    ...{ vendor_cost: 0, currency: "USD" },
  });
  const { creative_manifest: manifest, preview, ext } = built;
  const file = await fetch(manifest.assets.video.url.replace(/^https?:\/\/[^/]+/, server.url));
  expect([file.status, file.headers.get("content-type")]).toEqual([200, "video/mp4"]);
  expect(preview.previews[0].renders[0].preview_url).toBe(manifest.assets.video.url);

  const again = await callTool(client, "build_creative", request);
  expect(again.ext.reelwright.creative_id).toBe(ext.reelwright.creative_id);
  const changed = await client.callTool({ name: "build_creative", arguments: { ...request, message: "Another." } });
  expect(changed.structuredContent).toMatchObject({ adcp_error: { code: "IDEMPOTENCY_CONFLICT" } });

  const sizes = ["display_300x250", "display_728x90", "display_320x50", "display_160x600", "display_970x250"];
  const banners = await callTool(client, "build_creative", {
    ...{ idempotency_key: "the-key-of-a-bike-2", creative_manifest: manifest },
    target_format_ids: sizes.map((id) => ({ agent_url, id })),
  });
  for (const { assets } of banners.creative_manifests) {
    const { url, width, height } = assets.generated_image;
    const image = await fetch(url.replace(/^https?:\/\/[^/]+/, server.url));
    const bytes = await image.bytes();
    const view = new DataView(bytes.buffer);
    expect([view.getUint32(16), view.getUint32(20)]).toEqual([width, height]);
  }
  const task = await callTool(client, "tasks/get", { task_id: ext.reelwright.creative_id, include_result: true });
  expect(task).toMatchObject({
    status: "completed",
    result: { creative_manifest: { format_id: { id: "video_1x1" } } },
  });
  const previews = await callTool(client, "preview_creative", {
    request_type: "batch",
    requests: [
      { creative_manifest: manifest, output_format: "html" },
      { creative_manifest: { format_id: { agent_url, id: "none" }, assets: {} } },
    ],
  });
  expect(previews.results).toMatchObject([
    {
      success: true,
      response: { previews: [{ renders: [{ preview_html: expect.stringContaining("<video src=") }] }] },
    },
    { success: false, errors: [{ code: "UNSUPPORTED_FEATURE", field: "format_id" }] },
  ]);
});

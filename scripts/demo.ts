import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { connect } from "../src/client.ts";
import { exportVideo, register, uploader } from "./demo/api.ts";
import * as local from "./demo/local.ts";
import { createBasics, createMedia, type DemoBasics, type DemoMedia } from "./demo/media.ts";
import { startService } from "./demo/service.ts";
import { secondsSince, step } from "./demo/steps.ts";
import * as uploads from "./demo/uploads.ts";

/**
 * Makes a video over the API, from the registration to a finished `demo.mp4`: from uploaded files, or with `--local`
 * from a product's name and its palette alone.
 */
const { values: options } = parseArgs({
  options: {
    url: { type: "string" },
    out: { type: "string", default: "demo.mp4" },
    local: { type: "boolean", default: false },
    product: { type: "string", default: local.sunrise.name },
    description: { type: "string" },
    palette: { type: "string", default: local.sunrise.palette.join(",") },
  },
});
const startedAt = performance.now();

if (options.local) await withService(await step("Compose music", createBasics), makeLocalVideo);
else await withService(await step("Create clips, a logo and music", createMedia, clipNames), makeVideoOfUploads);
console.log(`\nDone in ${secondsSince(startedAt)} s: ${resolve(options.out)}`);

/** Runs the demo on the service at `--url`, or on a temporary one whose data is removed afterwards. */
async function withService<Media extends DemoBasics>(
  media: Media,
  make: (url: string, media: Media, out: string) => Promise<unknown>,
) {
  const dataDir = await mkdtemp(join(tmpdir(), "reelwright-demo-data-"));
  const start = () => step("Start a service", () => startService(dataDir), urlOf);
  const service = options.url ? { url: options.url, stop: async () => {} } : await start();
  try {
    await make(service.url, media, resolve(options.out));
  } finally {
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
    await rm(media.folder, { recursive: true, force: true });
  }
}

function clipNames({ clips }: DemoMedia) {
  return clips.map((path) => basename(path)).join(", ");
}

function urlOf({ url }: { url: string }) {
  return url;
}

async function makeVideoOfUploads(url: string, media: DemoMedia, out: string) {
  const token = await step("Register", () => register(url));
  const api = connect(url, { token });
  const upload = uploader(url, token);

  const projectId = await step("Create a project with a style guide", () => uploads.createProject(api));
  const assets = `/api/projects/${projectId}/assets`;
  const logo = await step("Upload a logo", () => upload(assets, "file", media.logo));
  const font = await step("Upload a font", () => upload(assets, "file", media.font));

  const workId = await step("Create a work", () => uploads.createWork(api, projectId));
  const slots = `/api/projects/${projectId}/works/${workId}/media`;
  for (const [index, path] of media.clips.entries()) {
    await step(`Upload clip ${index + 1}`, () => upload(`${slots}/scene/${index}/video`, "file", path));
  }
  await step("Upload music", () => upload(`${slots}/audio`, "audio", media.music));
  const templateId = await step("Create a template with placeholders", () =>
    uploads.createTemplate(api, projectId, logo),
  );
  await step("Apply the template to the work", () => uploads.applyTemplate(api, projectId, workId, templateId));
  await step("Save the edit of the work", () => uploads.saveEdit(api, projectId, workId, font));
  await exportTo(out, () => exportVideo(api, projectId, workId, out));
}

async function makeLocalVideo(url: string, media: DemoBasics, out: string) {
  const product = local.productOf(options);
  const token = await step("Register", () => register(url));
  const api = connect(url, { token });
  const upload = uploader(url, token);

  const projectId = await step("Create a project with a palette", () => local.createProject(api, product));
  const fontAssetId = await step("Upload a font", () =>
    upload(`/api/projects/${projectId}/assets`, "file", media.font),
  );
  const workId = await step(
    "Create a work",
    () => local.createWork(api, projectId, product, local.portrait),
    () => product.name,
  );
  const path = { projectId, workId };
  const scenes = await step(
    "Write the scenario",
    () => local.writeScenario(api, path),
    (written) => `${written.length} scenes`,
  );
  for (const { scene_index, text_overlay, duration_seconds } of scenes) {
    await step(
      `Generate scene ${scene_index + 1}`,
      () => local.generateScene(api, path, scene_index),
      () => `${duration_seconds} s, ${text_overlay ?? "no text"}`,
    );
  }
  await step("Upload music", () =>
    upload(`/api/projects/${projectId}/works/${workId}/media/audio`, "audio", media.music),
  );
  const look = { palette: product.palette, fontAssetId, resolution: local.portrait.resolution };
  await step("Save the edit of the work", () => local.saveEdit(api, path, scenes, look));
  await exportTo(out, () => exportVideo(api, projectId, workId, out));
}

function exportTo(out: string, run: () => Promise<string>) {
  return step(`Export ${basename(out)}`, run, (summary) => summary);
}

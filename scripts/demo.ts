import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { connect } from "../src/client.ts";
import * as film from "./demo-film.ts";
import * as local from "./demo-local.ts";
import { type DemoMedia, type DemoSet, gatherMedia, gatherSet } from "./demo-media.ts";
import { startService } from "./demo-service.ts";
import { secondsSince, step } from "./demo-steps.ts";

/**
 * A whole film over the API, from a registration to a finished `demo.mp4`: of uploads, or with `--local`
 * of nothing but a product's name and its colors.
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
const started = performance.now();

if (options.local) await useService(await step("Compose music", gatherSet), makeLocalFilm);
else await useService(await step("Gather media", gatherMedia, namesOf), makeFilm);
console.log(`\nDone in ${secondsSince(started)} s: ${resolve(options.out)}`);

/** Has a film made by the service that was named, else by one of its own that leaves nothing behind. */
async function useService<Media extends DemoSet>(
  media: Media,
  make: (url: string, media: Media, out: string) => Promise<unknown>,
) {
  const dataDir = await mkdtemp(join(tmpdir(), "reelwright-demo-data-"));
  const start = () => step("Start a service of its own", () => startService(dataDir), urlOf);
  const service = options.url ? { url: options.url, stop: async () => {} } : await start();
  try {
    await make(service.url, media, resolve(options.out));
  } finally {
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
    await rm(media.folder, { recursive: true, force: true });
  }
}

function namesOf({ clips }: DemoMedia) {
  return clips.map((path) => basename(path)).join(", ");
}

function urlOf({ url }: { url: string }) {
  return url;
}

async function makeFilm(url: string, media: DemoMedia, out: string) {
  const token = await step("Register", () => film.register(url));
  const api = connect(url, { token });
  const upload = film.uploader(url, token);

  const projectId = await step("Create a project with a style guide", () => film.createProject(api));
  const assets = `/api/projects/${projectId}/assets`;
  const logo = await step("Upload a picture", () => upload(assets, "file", media.logo));
  const font = await step("Upload a font", () => upload(assets, "file", media.font));

  const workId = await step("Create a work", () => film.createWork(api, projectId));
  const slots = `/api/projects/${projectId}/works/${workId}/media`;
  for (const [index, path] of media.clips.entries()) {
    await step(`Upload clip ${index + 1}`, () => upload(`${slots}/scene/${index}/video`, "file", path));
  }
  await step("Upload music", () => upload(`${slots}/audio`, "audio", media.music));
  const templateId = await step("Make a template with placeholders", () => film.createTemplate(api, projectId, logo));
  await step("Apply it to the work", () => film.applyTemplate(api, projectId, workId, templateId));
  await step("Save the cut in the work's editor", () => film.saveCut(api, projectId, workId, font));
  await exportTo(out, () => film.exportFilm(api, projectId, workId, out));
}

async function makeLocalFilm(url: string, media: DemoSet, out: string) {
  const product = local.productOf(options);
  const token = await step("Register", () => film.register(url));
  const api = connect(url, { token });
  const upload = film.uploader(url, token);

  const projectId = await step("Create a project with a palette", () => local.createProject(api, product));
  const fontAssetId = await step("Upload a font", () =>
    upload(`/api/projects/${projectId}/assets`, "file", media.font),
  );
  const workId = await step(
    "Create a work",
    () => local.createWork(api, projectId, product, local.upright),
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
      `Draw and film scene ${scene_index + 1}`,
      () => local.generateScene(api, path, scene_index),
      () => `${duration_seconds} s, ${text_overlay ?? "without words"}`,
    );
  }
  await step("Upload music", () =>
    upload(`/api/projects/${projectId}/works/${workId}/media/audio`, "audio", media.music),
  );
  const look = { palette: product.palette, fontAssetId, resolution: local.upright.resolution };
  await step("Save the cut in the work's editor", () => local.saveCut(api, path, scenes, look));
  await exportTo(out, () => film.exportFilm(api, projectId, workId, out));
}

function exportTo(out: string, run: () => Promise<string>) {
  return step(`Export ${basename(out)}`, run, (report) => report);
}

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { connect } from "../src/client.ts";
import { download, exportVideo, register, uploader } from "./demo/api.ts";
import { createMedia, type DemoMedia } from "./demo/media.ts";
import { drawFilmstrip, drawPoster } from "./demo/pictures.ts";
import { type Product, productOf, sunrise } from "./demo/product.ts";
import { startService } from "./demo/service.ts";
import { secondsSince, step } from "./demo/steps.ts";
import * as works from "./demo/works.ts";

/** Makes a video over the API from a product's name and its palette, from the registration to a finished `demo.mp4`. */
const { values: options } = parseArgs({
  options: {
    url: { type: "string" },
    out: { type: "string", default: "demo.mp4" },
    // the only way now; scripts may still name it
    local: { type: "boolean", default: true },
    product: { type: "string", default: sunrise.name },
    description: { type: "string" },
    palette: { type: "string", default: sunrise.palette.join(",") },
    width: { type: "string", default: `${works.portrait.resolution.width}` },
    // a folder for poster.jpg and filmstrip.jpg
    pictures: { type: "string" },
  },
});
const startedAt = performance.now();
const product = productOf(options);
const format = works.portraitOf(Number(options.width));
const media = await step("Compose music, draw a logo", () => createMedia(product.palette));
await withService((url) => makeVideo(url, product, media, resolve(options.out)));
console.log(`\nDone in ${secondsSince(startedAt)} s: ${resolve(options.out)}`);

/** Runs the demo on the service at `--url`, or on a temporary one whose data is removed afterwards. */
async function withService(make: (url: string) => Promise<unknown>) {
  const dataDir = await mkdtemp(join(tmpdir(), "reelwright-demo-data-"));
  const start = () => step("Start a service", () => startService(dataDir), urlOf);
  const service = options.url ? { url: options.url, stop: async () => {} } : await start();
  try {
    await make(service.url);
  } finally {
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
    await rm(media.folder, { recursive: true, force: true });
  }
}

function urlOf({ url }: { url: string }) {
  return url;
}

async function makeVideo(url: string, product: Product, media: DemoMedia, out: string) {
  const { resolution: size } = format;
  const token = await step("Register", () => register(url));
  const api = connect(url, { token });
  const upload = uploader(url, token);

  const projectId = await step("Create a project with a palette", () => works.createProject(api, product));
  const assets = `/api/projects/${projectId}/assets`;
  const logo = await step("Upload a logo", () => upload(assets, "file", media.logo));
  const fontAssetId = await step("Upload a font", () => upload(assets, "file", media.font));
  const workId = await step(
    "Create a work",
    () => works.createWork(api, projectId, product, format),
    () => product.name,
  );
  const path = { projectId, workId };
  const scenes = await step(
    "Write the scenario",
    () => works.writeScenario(api, path),
    (written) => `${written.length} scenes`,
  );
  const images = await Promise.all(scenes.map((scene) => generate(scene)));
  await step("Upload music", () =>
    upload(`/api/projects/${projectId}/works/${workId}/media/audio`, "audio", media.music),
  );
  const look = { product, fontAssetId, size };
  const endCardPercent = endCardStart(scenes);
  const templateId = await step("Create a template with placeholders", () =>
    works.createTemplate(api, projectId, logo, { size, endCardPercent }),
  );
  await step("Apply the template to the work", () => works.applyTemplate(api, path, templateId));
  await step(
    "Save the edit of the work",
    () => works.saveEdit(api, path, scenes, { ...look, lastImage: images.at(-1)! }), // safe because a scenario has a scene
  );
  const captions = works.sceneCaptions(scenes, look);
  const exporting = () => exportVideo(api, { ...path, captions }, out);
  await step(`Export ${basename(out)}`, exporting, (summary) => summary);
  const { pictures } = options;
  if (!pictures) return;
  await step("Draw a poster", () => drawPoster(api, path, join(pictures, "poster.jpg")));
  await step("Draw a filmstrip", () => drawFilmstrip(api, path, join(pictures, "filmstrip.jpg")));

  function generate({ scene_index, text_overlay, duration_seconds }: works.Scene) {
    return step(
      `Generate scene ${scene_index + 1}`,
      async () => download(url, token, await works.generateScene(api, path, scene_index)),
      () => `${duration_seconds} s, ${text_overlay ?? "no text"}`,
    );
  }
}

/** The percentage of the video at which its last scene starts. */
function endCardStart(scenes: readonly works.Scene[]): number {
  const { start, end } = works.sceneRanges(scenes).at(-1)!; // safe because a scenario has a scene
  return (100 * start) / end;
}

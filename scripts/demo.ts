import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { connect } from "../src/client.ts";
import { register } from "./demo/api.ts";
import { drawClip } from "./demo/clip.ts";
import { createProject, finishedFilm, orderFilm } from "./demo/film.ts";
import { drawFilmstrip, drawFrames, drawPoster } from "./demo/pictures.ts";
import { foldaway, type Product, productOf } from "./demo/product.ts";
import { startService } from "./demo/service.ts";
import { secondsSince, step } from "./demo/steps.ts";

/** Orders a film over the API from a product's name and its facts, and downloads it as `demo.mp4`. */
const { values: options } = parseArgs({
  options: {
    url: { type: "string" },
    out: { type: "string", default: "demo.mp4" },
    // the only way now; scripts may still name it
    local: { type: "boolean", default: true },
    product: { type: "string", default: foldaway.name },
    description: { type: "string" },
    palette: { type: "string" },
    width: { type: "string", default: "1080" },
    // a folder for poster.jpg, filmstrip.jpg, frames.jpg and clip.mp4
    pictures: { type: "string" },
  },
});
const startedAt = performance.now();
const folder = await mkdtemp(join(tmpdir(), "reelwright-demo-"));
await withService((url) => makeVideo(url, productOf(options), resolve(options.out)));
console.log(`\nDone in ${secondsSince(startedAt)} s: ${resolve(options.out)}`);

/** Runs the demo on the service at `--url`, or on a temporary one whose data is removed afterwards. */
async function withService(make: (url: string) => Promise<unknown>) {
  const start = () => step("Start a service", () => startService(join(folder, "data")), urlOf);
  const service = options.url ? { url: options.url, stop: async () => {} } : await start();
  try {
    await make(service.url);
  } finally {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function urlOf({ url }: { url: string }) {
  return url;
}

async function makeVideo(url: string, product: Product, out: string) {
  const token = await step("Register", () => register(url));
  const api = connect(url, { token });
  const projectId = await step("Create a project", () => createProject(api, product));
  const settings = { projectId, width: Number(options.width) };
  const ordered = await step(
    "Order a film",
    () => orderFilm(api, product, settings),
    ({ steps }) => `${steps.length} steps so far`,
  );
  const film = await step("Make the film", () =>
    finishedFilm(api, ordered, ({ id }) => console.log(`  ${id} after ${secondsSince(startedAt)} s`)),
  );
  for (const { message } of film.warnings) console.log(`  ${message}`);
  await step(
    `Download ${basename(out)}`,
    () => api.downloadExport(film.exportId, { to: out }),
    () => `${(Bun.file(out).size / 1e6).toFixed(1)} MB`,
  );
  const { pictures } = options;
  if (!pictures) return;
  const work = { projectId, workId: film.workId };
  await step("Draw a poster", () => drawPoster(api, work, join(pictures, "poster.jpg")));
  await step("Draw a filmstrip", () => drawFilmstrip(api, work, join(pictures, "filmstrip.jpg")));
  await step("Draw a clip", async () => Bun.write(join(pictures, "clip.mp4"), await drawClip(api, work)));
  await step("Draw frames", () => drawFrames(api, work, join(pictures, "frames.jpg")));
}

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { connect } from "../src/client.ts";
import * as film from "./demo-film.ts";
import { type DemoMedia, gatherMedia } from "./demo-media.ts";
import { startService } from "./demo-service.ts";

/** The whole main path over the API: from a registration to a finished `demo.mp4`. */
const { values: options } = parseArgs({
  options: { url: { type: "string" }, out: { type: "string", default: "demo.mp4" } },
});
const started = performance.now();

const media = await step("Gather media", gatherMedia, ({ clips }) => clips.map((path) => basename(path)).join(", "));
const dataDir = await mkdtemp(join(tmpdir(), "reelwright-demo-data-"));
const service = options.url
  ? { url: options.url, stop: async () => {} }
  : await step(
      "Start a service of its own",
      () => startService(dataDir),
      ({ url }) => url,
    );
try {
  await makeFilm(service.url, media, resolve(options.out));
  console.log(`\nDone in ${secondsSince(started)} s: ${resolve(options.out)}`);
} finally {
  await service.stop();
  await rm(dataDir, { recursive: true, force: true });
  await rm(media.folder, { recursive: true, force: true });
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
  await step(
    "Export",
    () => film.exportFilm(api, projectId, workId, out),
    (report) => report,
  );
}

/** Runs one step, says what it did and how long it took. */
async function step<T>(name: string, run: () => Promise<T>, tell: (result: T) => string = () => "") {
  const begun = performance.now();
  const alive = process.stdout.isTTY ? showAlive(name) : undefined;
  try {
    const result = await run();
    console.log(
      `${process.stdout.isTTY ? "\r" : ""}✓ ${name.padEnd(38)}${secondsSince(begun).padStart(6)} s  ${tell(result)}`,
    );
    return result;
  } finally {
    clearInterval(alive);
  }
}

/** A growing line, for people who wait at a terminal. */
function showAlive(name: string) {
  process.stdout.write(`… ${name} `);
  return setInterval(() => process.stdout.write("."), 1000);
}

function secondsSince(begun: number): string {
  return ((performance.now() - begun) / 1000).toFixed(1);
}

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startService } from "../../scripts/demo/service.ts";
import { installClient } from "../support/client-package.ts";
import { mp4 } from "../support/uploads.ts";

/**
 * Makes a video with the client's package in headless Chromium, from another origin than the service's: `bun
 * test/client/in-browser.ts`. Chromium is that of CHROMIUM_PATH or of the PATH. Not one of the tests, which need none.
 */
const chromium = process.env.CHROMIUM_PATH ?? Bun.which("chromium");
if (!chromium) throw new Error("There is no chromium on the PATH: install it, or set CHROMIUM_PATH.");

const timeoutMs = 120_000;
const folder = await mkdtemp(join(tmpdir(), "reelwright-browser-"));
const { promise: result, resolve } = Promise.withResolvers<unknown>();
const site = await openSite();
const service = await startService(join(folder, "data"), { CORS_ORIGINS: site.url.origin });
const page = `${site.url.origin}/?service=${encodeURIComponent(service.url)}`;
const flags = ["--headless", "--no-sandbox", "--disable-gpu", `--user-data-dir=${join(folder, "profile")}`];
const browser = Bun.spawn([chromium, ...flags, page], { stdout: "ignore", stderr: "ignore" });
const late = setTimeout(() => resolve("It sent nothing."), timeoutMs);
try {
  const made = await Promise.race([result, browser.exited]);
  const expected = { steps: { uploaded: true, exported: "done" }, errors: ["validation_error", "not_found"] };
  if (!Bun.deepMatch(expected, made)) throw new Error(`The page did not make a video: ${JSON.stringify(made)}`);
  process.stdout.write(`A video was made in Chromium: ${JSON.stringify(made)}\n`);
} finally {
  clearTimeout(late);
  browser.kill();
  await browser.exited;
  await Promise.all([service.stop(), site.stop(true)]);
  await rm(folder, { recursive: true, force: true });
}

/** The page, with the installed package bundled for browsers. */
async function openSite() {
  const project = join(folder, "project");
  await installClient(project);
  const { outputs } = await Bun.build({ entrypoints: [join(project, "page.js")], target: "browser" });
  const html = '<!doctype html><title>client</title><script type="module" src="/page.js"></script>';
  const clip = await mp4();
  return Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    routes: {
      "/": () => new Response(html, { headers: { "content-type": "text/html" } }),
      "/page.js": () => new Response(outputs[0]!, { headers: { "content-type": "text/javascript" } }),
      "/clip.mp4": () => new Response(clip),
      "/result": async (request) => {
        resolve(await request.json());
        return new Response(null, { status: 204 });
      },
    },
  });
}

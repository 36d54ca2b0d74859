import { afterAll, expect, test } from "bun:test";
import { rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { loadImage } from "@napi-rs/canvas";
import { run } from "../support/client-package.ts";
import { temporaryFolder } from "../support/media/ffmpeg.ts";
import { sharedService } from "../support/service.ts";
import { listen } from "../support/uploads.ts";

const root = join(import.meta.dir, "../..");
const service = await sharedService();
const ann = await service.register("Ann");
const server = listen(service);
const folder = await temporaryFolder();
afterAll(async () => {
  server.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The recipe's program, for a tiny film. */
async function tinyProgram(): Promise<string> {
  const page = await Bun.file(join(root, "docs/cookbook/agent-by-mcp.md")).text();
  const blocks = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code!);
  expect(blocks).toHaveLength(1);
  const changes = {
    "width: 1080, height: 1920": "width: 64, height: 112",
    "videoDuration: 6": "videoDuration: 2",
    "fps: 30": "fps: 10",
  };
  return Object.entries(changes).reduce((code, [from, to]) => {
    expect(code).toContain(from);
    return code.replace(from, to);
  }, blocks[0]!);
}

test("the recipe's program makes a film", async () => {
  await Bun.write(join(folder, "agent-by-mcp.ts"), await tinyProgram());
  await Bun.write(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  const env = { ...process.env, REELWRIGHT_URL: server.url, REELWRIGHT_TOKEN: ann.accessToken };

  const output = await run([process.execPath, "agent-by-mcp.ts"], folder, env);

  expect(output).toMatch(/^\d+ tools\. Makes short marketing videos\./m);
  const film = Bun.file(join(folder, "film.mp4"));
  expect(output).toContain(`film.mp4, ${film.size} bytes`);
  expect(await film.slice(4, 8).text()).toBe("ftyp");
  const { width, height } = await loadImage(join(folder, "frame.png"));
  expect([width, height]).toEqual([64, 112]);
});

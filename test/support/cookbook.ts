import { rm } from "node:fs/promises";
import { join } from "node:path";
import { findFfmpeg } from "../../src/engine/ffmpeg/ffmpeg.ts";
import { ffmpegInspector } from "../../src/engine/inspect/inspect.ts";
import { temporaryFolder } from "./media/ffmpeg.ts";
import { testService } from "./service.ts";
import { listen } from "./uploads.ts";

const root = join(import.meta.dir, "../..");

type RecipeRun = {
  /** Where the program runs, with the files that it reads. */
  readonly folder: string;
  readonly url: string;
  readonly token: string;
  readonly args?: readonly string[];
  readonly env?: Record<string, string>;
};

/** A service on a port with a user, and an empty folder for a program. `close` ends the service and removes the folder. */
export async function recipeService() {
  const service = await testService();
  const user = await service.register("Ann");
  const { accessToken: token } = user;
  const server = listen(service);
  const folder = await temporaryFolder();
  return {
    run: { folder, url: server.url, token } satisfies RecipeRun,
    user,
    async close() {
      await server.stop();
      await service.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** What would make large or long films in the recipes, and what tests put there. */
const smaller = [
  ["1080", "64"],
  ["1920", "112"],
  ["fps: 30", "fps: 10"],
  ["seconds: 12", "seconds: 4"],
  ["scenes: 4", "scenes: 2"],
] as const;

/** Starts the program of a page of docs/cookbook, its only block of TypeScript, for smaller and shorter films. */
export async function startRecipe(name: string, { folder, url, token, args = [], env = {} }: RecipeRun) {
  const page = await Bun.file(join(root, "docs/cookbook", `${name}.md`)).text();
  const [program, ...others] = [...page.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, block]) => block!);
  if (!program || others.length > 0) throw new Error(`${name} must have one program.`);
  const client = JSON.stringify(join(root, "src/client.ts"));
  const placed = smaller.reduce((text, [from, to]) => text.replaceAll(from, to), program);
  await Bun.write(join(folder, "recipe.ts"), placed.replace('"reelwright"', client));
  return Bun.spawn([process.execPath, "recipe.ts", ...args], {
    cwd: folder,
    env: { ...process.env, ...env, REELWRIGHT_URL: url, REELWRIGHT_TOKEN: token },
    stdout: "pipe",
    stderr: "pipe",
  });
}

/** Runs the program to its end. */
export async function runRecipe(name: string, run: RecipeRun) {
  const program = await startRecipe(name, run);
  const [output, errors, exitCode] = await Promise.all([
    new Response(program.stdout).text(),
    new Response(program.stderr).text(),
    program.exited,
  ]);
  return { exitCode, lines: output.trim().split("\n"), errors };
}

/** The facts of a film in the folder. */
export const filmIn = async (folder: string, name: string) =>
  ffmpegInspector({ ffmpeg: await findFfmpeg(process.env.FFMPEG_PATH), makeFolder: temporaryFolder }).inspect(
    join(folder, name),
    { owner: "ann" },
  );

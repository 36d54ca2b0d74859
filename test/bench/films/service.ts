import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { startService } from "../../../scripts/demo/service.ts";
import { findFfmpeg } from "../../../src/engine/ffmpeg/ffmpeg.ts";
import { registerOn, type TestUser } from "../../support/service.ts";
import { requireJson } from "../../support/work-videos.ts";
import { type ClipKind, clipKinds, makeClip } from "./clips.ts";
import type { Uploads } from "./requests.ts";
import { footageFolder, mediaFolder } from "./settings.ts";

export type Footage = { readonly clips: readonly string[]; readonly music: readonly string[]; readonly image: string };

/** Makes the clips, the music and the image of the films; keeps them if `BENCH_FOOTAGE` names a folder. */
export async function makeFootage(folder: string, kinds: readonly ClipKind[] = clipKinds): Promise<Footage> {
  const target = footageFolder ?? join(folder, "footage");
  await mkdir(target, { recursive: true });
  // the same clips for every ffmpeg that is measured
  const { path: ffmpeg } = await findFfmpeg();
  const clips: string[] = [];
  for (const kind of kinds) clips.push(await makeClip(kind, target, ffmpeg, mediaFolder));
  const draw = async (name: string, source: readonly string[], options: readonly string[] = []) => {
    const path = join(target, name);
    await execa(ffmpeg, ["-v", "error", "-y", ...source, ...options, path]);
    return path;
  };
  const music = async (name: string, file: string, tone: number) =>
    mediaFolder
      ? join(mediaFolder, file)
      : await draw(name, ["-f", "lavfi", "-t", "31", "-i", `sine=f=${tone}`], ["-c:a", "pcm_s16le"]);
  return {
    clips,
    music: [
      await music("music.wav", "Toothsome-Meme.VBRv2.mp3", 220),
      await music("other-music.wav", "glitch-hop-is-dead.wav", 260),
    ],
    image: await draw("image.png", ["-f", "lavfi", "-i", "testsrc2=s=400x300"], ["-frames:v", "1"]),
  };
}

/** The service in a process of its own, on a data folder that can be used before. */
export const startFilmService = (dataDir: string, ffmpeg: string, variables: Record<string, string> = {}) =>
  startService(dataDir, { RATE_LIMIT: "off", FFMPEG_PATH: ffmpeg, ...variables });

/** Registers a user at the service's address, which may change when it is started again. */
export const registerAt = (service: { readonly url: string }): Promise<TestUser> =>
  registerOn((path, init) => fetch(`${service.url}${path}`, init), "Ann");

/** Uploads the footage into a new work. */
export async function uploadFootage(user: TestUser, { clips, music, image }: Footage): Promise<Uploads> {
  const { id: projectId } = await requireJson(user.json("POST", "/api/projects", { name: "Bench" }));
  const { id: workId } = await requireJson(user.json("POST", `/api/projects/${projectId}/works`, {}));
  const scenes = `/api/projects/${projectId}/works/${workId}/media/scene`;
  for (const [index, path] of clips.entries()) await send(user, `${scenes}/${index}/video`, path);
  const asset = (path: string) => send(user, `/api/projects/${projectId}/assets`, path);
  const musicUrls: string[] = [];
  for (const path of music) musicUrls.push((await asset(path)).url);
  return { projectId, workId, imageId: (await asset(image)).id, musicUrls };
}

async function send(user: TestUser, path: string, file: string) {
  const body = new FormData();
  body.set("file", Bun.file(file), file.split("/").at(-1)!);
  return await requireJson(user.request(path, { method: "POST", body }));
}

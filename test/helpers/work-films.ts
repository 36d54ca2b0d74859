import { join } from "node:path";
import type { TestFfmpeg } from "./ffmpeg.ts";
import { drawNumbers, lumaFrames, numberOn } from "./media.ts";
import type { TestUser } from "./service.ts";
import { formOf, newProject } from "./uploads.ts";

export async function created(answer: Response | Promise<Response>) {
  const response = await answer;
  if (!response.ok) throw new Error(await response.text());
  return await response.json();
}

/** A work in a project of its own, and how to fill it. */
export async function newWork(user: TestUser, fields: object = {}) {
  const projectId = await newProject(user);
  const { id: workId } = await created(user.json("POST", `/api/projects/${projectId}/works`, fields));
  const base = `/api/projects/${projectId}/works/${workId}`;
  const send = (path: string, field: string, file: File) =>
    created(user.request(path, { method: "POST", body: formOf({ [field]: file }) }));
  return {
    ...{ projectId, workId, base },
    scene: (index: number, file: File) => send(`${base}/media/scene/${index}/video`, "file", file),
    picture: (index: number, file: File) => send(`${base}/media/scene/${index}/image`, "file", file),
    audio: (file: File) => send(`${base}/media/audio`, "audio", file),
    asset: (file: File) => send(`/api/projects/${projectId}/assets`, "file", file),
  };
}

/** A clip whose frame k shows the number first + k. */
export async function numbered(folder: string, first: number, frames = 45) {
  const path = join(folder, `numbers-${first}-${frames}.mp4`);
  await drawNumbers(path, { first, frames });
  return new File([await Bun.file(path).bytes()], "numbers.mp4", { type: "video/mp4" });
}

/** Writes an answer to a file. */
export async function saved(folder: string, response: Response): Promise<string> {
  if (!response.ok) throw new Error(await response.text());
  const path = join(folder, `${crypto.randomUUID()}.mp4`);
  await Bun.write(path, await response.arrayBuffer());
  return path;
}

/** The number that each frame of a film shows. */
export const numbersIn = async (ffmpeg: TestFfmpeg, path: string) => (await lumaFrames(ffmpeg, path)).map(numberOn);

export const countUp = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index);

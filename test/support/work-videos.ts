import { join } from "node:path";
import { drawNumbers, lumaFrames, numberOn } from "./media/draw-media.ts";
import type { TestFfmpeg } from "./media/ffmpeg.ts";
import type { TestUser } from "./service.ts";
import { formOf, newProject, png } from "./uploads.ts";

/** The JSON of a successful response; throws otherwise. */
export async function requireJson(sent: Response | Promise<Response>) {
  const response = await sent;
  if (!response.ok) throw new Error(await response.text());
  return await response.json();
}

/** A new work in a new project, with functions that upload its files. */
export async function newWork(user: TestUser, fields: object = {}) {
  const projectId = await newProject(user);
  const { id: workId } = await requireJson(user.json("POST", `/api/projects/${projectId}/works`, fields));
  const base = `/api/projects/${projectId}/works/${workId}`;
  const send = (path: string, field: string, file: File) =>
    requireJson(user.request(path, { method: "POST", body: formOf({ [field]: file }) }));
  return {
    projectId,
    workId,
    base,
    scene: (index: number, file: File) => send(`${base}/media/scene/${index}/video`, "file", file),
    image: (index: number, file: File) => send(`${base}/media/scene/${index}/image`, "file", file),
    audio: (file: File) => send(`${base}/media/audio`, "audio", file),
    voice: (file: File) => send(`${base}/media/voice`, "file", file),
    sceneVoice: (index: number, file: File) => send(`${base}/media/scene/${index}/voice`, "file", file),
    asset: (file: File) => send(`/api/projects/${projectId}/assets`, "file", file),
  };
}

/** A new work with a video in its scene 0, and a request that exports one second of it. */
export async function newFilm(user: TestUser, folder: string) {
  const work = await newWork(user, { name: "Film" });
  await work.scene(0, await numberedVideo(folder, 100));
  const request = {
    projectId: work.projectId,
    workId: work.workId,
    clips: [{ sceneIndex: 0, position: 0, end: 1 }],
    options: { width: 64, height: 36, fps: 30 },
  };
  return { work, request };
}

/** The same with a picture in its scene 0, which costs less. */
export async function newPictureFilm(user: TestUser, { seconds = 0.3, fps = 10 } = {}) {
  const work = await newWork(user, { name: "Film" });
  await work.image(0, png(64, 36));
  const request = {
    projectId: work.projectId,
    workId: work.workId,
    clips: [{ sceneIndex: 0, position: 0, end: seconds }],
    options: { width: 64, height: 36, fps },
  };
  return { work, request };
}

/** A video whose frame k shows the number first + k. */
export async function numberedVideo(folder: string, first: number, frames = 45) {
  const path = join(folder, `numbers-${first}-${frames}.mp4`);
  await drawNumbers(path, { first, frames });
  return new File([await Bun.file(path).bytes()], "numbers.mp4", { type: "video/mp4" });
}

/** Writes the body of a successful response to a file and returns its path. */
export async function saveResponse(folder: string, response: Response): Promise<string> {
  if (!response.ok) throw new Error(await response.text());
  const path = join(folder, `${crypto.randomUUID()}.mp4`);
  await Bun.write(path, await response.arrayBuffer());
  return path;
}

/** The number that each frame of a numbered video shows. */
export const readNumbers = async (ffmpeg: TestFfmpeg, path: string) => (await lumaFrames(ffmpeg, path)).map(numberOn);

export const countUp = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index);

/** The report of a validation that `send` asks for, once it knows the focus of each clip: an answer may come before. */
export const measuredReport = (send: () => Promise<Response>) => measured(() => requireJson(send()));

/** The same of a report that is read already. */
export async function measured(validate: () => ReturnType<typeof requireJson>) {
  for (;;) {
    const report = await validate();
    if (!report.warnings.some(({ code }: { readonly code: string }) => code === "focus_measuring")) return report;
  }
}

import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { TestService, TestUser } from "../support/service.ts";
import { requireJson } from "../support/work-videos.ts";
import type { Footage } from "./footage.ts";

const transitions = ["fade", "slideleft", "wipeup", "circleopen", "dissolve", "cut"];

/** Uploads footage to a new work and returns an export request of `seconds` seconds that repeats the clips. */
export async function createExportRequest(user: TestUser, footage: Footage, { seconds = 30 } = {}) {
  const project = await requireJson(user.json("POST", "/api/projects", { name: "Bench" }));
  const work = await requireJson(user.json("POST", `/api/projects/${project.id}/works`, {}));
  const media = `/api/projects/${project.id}/works/${work.id}/media`;
  for (const [index, path] of footage.clips.entries()) await send(user, `${media}/scene/${index}/video`, "file", path);
  const { audioUrl } = await send(user, `${media}/audio`, "audio", footage.music);
  const image = await send(user, `/api/projects/${project.id}/assets`, "file", footage.image);
  const request = {
    projectId: project.id,
    workId: work.id,
    ...edit(footage, image.id, seconds),
    audio: { volume: 0.5, audioUrl },
  };
  return { projectPath: `/api/projects/${project.id}`, request };
}

function edit({ clips }: Footage, assetId: string, seconds: number) {
  return {
    clips: Array.from({ length: seconds / 5 }, (_, index) => clipAt(index, clips.length)),
    texts: Array.from({ length: Math.floor(seconds / 7) }, (_, index) => ({
      text: `Line ${index + 1} of the video`,
      position: index * 7,
      end: index * 7 + 6,
      fontSize: 72,
      centerY: 500 - (index % 4) * 150,
      strokeColor: "#000",
      strokeWidth: 4,
    })),
    images: Array.from({ length: seconds / 15 }, (_, index) => ({
      assetId,
      position: index * 15,
      end: index * 15 + 14,
      centerX: (index % 2) * 200 - 100,
      centerY: -500,
      opacity: 0.5,
      rotation: 15,
    })),
  };
}

const clipAt = (index: number, scenes: number) => ({
  sceneIndex: index % scenes,
  position: index * 5,
  end: index * 5 + 5,
  transition: transitions[index % transitions.length],
  transitionDuration: 0.5,
});

async function send(user: TestUser, path: string, field: string, file: string) {
  const body = new FormData();
  body.set(field, Bun.file(file), file.split("/").at(-1)!);
  return requireJson(user.request(path, { method: "POST", body }));
}

/** Exports a video, and writes it to `path` if given. */
export async function exportVideo(user: TestUser, request: object, path?: string): Promise<void> {
  const response = await user.json("POST", "/api/export", request);
  if (!response.ok) throw new Error(await response.text());
  const video = await response.arrayBuffer();
  if (path) await Bun.write(path, video);
}

/** Clears the render cache. */
export const clearRenderCache = ({ dataDir }: Pick<TestService, "dataDir">) =>
  rm(join(dataDir, "cache"), { recursive: true, force: true });

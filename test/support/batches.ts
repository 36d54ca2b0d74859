import { eventsOf } from "./events.ts";
import type { TestUser } from "./service.ts";
import { png } from "./uploads.ts";
import { newWork, requireJson } from "./work-videos.ts";

const canvas = { width: 64, height: 36, fps: 10 };

const text = (id: string, words: string, start: number, end: number) => ({
  overlay: { [id]: { text: words, fontSize: 8, fontColor: "#ffffff", centerX: 0, centerY: 0 } },
  action: { id, start, end },
});

/** A work of one second of a clip, or of a picture, whose saved editor shows a name, and then a price. */
export async function productTable(user: TestUser, scene: File = png(64, 36), words = "{{price}} €") {
  const work = await newWork(user, { name: "Product" });
  await (scene.type.startsWith("image/") ? work.image(0, scene) : work.scene(0, scene));
  const name = text("name", "{{name}}", 0, 1);
  const price = text("price", words, 0.5, 1);
  await requireJson(
    user.json("PUT", work.base, {
      editorState: {
        textOverlays: { ...name.overlay, ...price.overlay },
        editorData: {
          videoTrack: [{ id: "clip", start: 0, end: 1, sceneIndex: 0 }],
          textTrack: [name.action, price.action],
          imageTrack: [],
          audioTrack: [],
        },
        exportSettings: canvas,
      },
    }),
  );
  const { projectId, workId } = work;
  return { work, workId, projectId, base: { workId }, path: `/api/projects/${projectId}/batches` };
}

/** The batch once its events tell that it waits, or has ended: they do not have all of it. */
// biome-ignore lint/suspicious/noExplicitAny: a batch as JSON
export async function restedBatch(user: TestUser, path: string): Promise<any> {
  for await (const { data } of eventsOf(await user.request(`${path}/events`))) {
    if (!["validating", "ready", "running"].includes(`${data.status}`)) return await requireJson(user.request(path));
  }
  throw new Error(`The events of ${path} have ended.`);
}

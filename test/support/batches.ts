import type { TestUser } from "./service.ts";
import { newWork, requireJson } from "./work-videos.ts";

const canvas = { width: 64, height: 36, fps: 10 };

const text = (id: string, words: string, start: number, end: number) => ({
  overlay: { [id]: { text: words, fontSize: 8, fontColor: "#ffffff", centerX: 0, centerY: 0 } },
  action: { id, start, end },
});

/** A work of one second whose saved editor shows a name, and then a price. */
export async function productTable(user: TestUser, clip: File, words = "{{price}} €") {
  const work = await newWork(user, { name: "Product" });
  await work.scene(0, clip);
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

/** The batch once it waits, or has ended. */
// biome-ignore lint/suspicious/noExplicitAny: a batch as JSON
export async function restedBatch(user: TestUser, path: string): Promise<any> {
  for (;;) {
    const batch = await requireJson(user.request(path));
    if (!["validating", "ready", "running"].includes(batch.status)) return batch;
    await Bun.sleep(50);
  }
}

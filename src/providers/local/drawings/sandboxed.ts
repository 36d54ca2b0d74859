import { writeFile } from "node:fs/promises";
import type { InputOf } from "../../../engine/sandbox/contract.ts";
import type { sceneLayersTask, storyboardTask } from "./tasks.ts";

export const localTasks = {
  async drawStoryboard({ request, output }: InputOf<typeof storyboardTask>) {
    await writeFile(output, await (await import("./storyboard.ts")).drawStoryboard(request));
    return null;
  },
  drawSceneLayers: async ({ size, design, ...files }: InputOf<typeof sceneLayersTask>) =>
    (await import("./film-scene.ts")).drawSceneLayers(size, design, files),
};

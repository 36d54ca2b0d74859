import { writeFile } from "node:fs/promises";
import type { InputOf } from "../../../engine/sandbox/contract.ts";
import type { storyboardTask } from "./tasks.ts";

export const localTasks = {
  async drawStoryboard({ request, output }: InputOf<typeof storyboardTask>) {
    await writeFile(output, await (await import("./storyboard.ts")).drawStoryboard(request));
    return null;
  },
};

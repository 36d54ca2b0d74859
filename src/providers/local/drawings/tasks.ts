import { z } from "zod";
import type { StoryboardRequest } from "../../../domain/ai/generation/local-generator.ts";
import { addedTask } from "../../../engine/sandbox/contract.ts";

/** Draws the storyboard as PNG. */
export const storyboardTask = addedTask<{ readonly output: string; readonly request: StoryboardRequest }>()(
  "drawStoryboard",
  z.null(),
);

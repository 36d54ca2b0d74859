import { z } from "zod";
import type { StoryboardRequest } from "../../../domain/ai/generation/local-generator.ts";
import type { SceneDesign } from "../../../domain/ai/scene-design.ts";
import { addedTask } from "../../../engine/sandbox/contract.ts";
import type { Canvas } from "../../../engine/timeline/timeline.ts";

/** Draws the storyboard as PNG. */
export const storyboardTask = addedTask<{ readonly output: string; readonly request: StoryboardRequest }>()(
  "drawStoryboard",
  z.null(),
);

type SceneLayers = {
  readonly output: string;
  readonly pathPrefix: string;
  readonly size: Canvas;
  readonly groundSize: Canvas;
  readonly design: SceneDesign;
};

const point = { x: z.number(), y: z.number() };
const scenePart = z.object({
  box: z.object({ ...point, width: z.number(), height: z.number() }).readonly(),
  frames: z.int().positive(),
  motion: z.object({
    from: z.object(point).readonly(),
    delay: z.number(),
    sway: z
      .object({ ...point, seconds: z.number(), phase: z.number() })
      .readonly()
      .optional(),
  }),
});

/** See `drawSceneLayers`. */
export const sceneLayersTask = addedTask<SceneLayers>()("drawSceneLayers", z.array(scenePart).readonly());

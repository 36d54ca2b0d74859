import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { z } from "zod";
import type { ShotWish } from "../../domain/ai/generation/prompts.ts";
import type { SceneTarget } from "../../domain/ai/generation/scene-lock.ts";
import { assertScopes } from "../../domain/auth/caller.ts";
import type { Services } from "../../domain/services.ts";
import { optional, SceneIndex } from "../../domain/shared/schemas.ts";
import { defaultResolution } from "../../domain/works/editor-state.ts";
import type { Canvas } from "../../timeline/timeline.ts";
import type { AppEnv } from "../app-env.ts";
import { loadWorkNamedBy } from "../middleware/load-resource.ts";
import { Prompt, Resolution, StyleGuide } from "./schemas.ts";

const work = { projectId: optional(z.string()), workId: optional(z.string()) };

const areAlike = (names: readonly unknown[]) => new Set(names.map((name) => name === undefined)).size === 1;

/** Where the result is to go: looked at before the rest, so that a stranger learns nothing from the rest. */
export const Target = z
  .looseObject({ ...work, sceneIndex: optional(z.unknown()) })
  .refine(({ projectId, workId, sceneIndex }) => areAlike([projectId, workId, sceneIndex]), {
    path: ["sceneIndex"],
    message: "Name projectId, workId and sceneIndex together, or none of them.",
  });

const said = (text: string) => text.trim() !== "";

const shot = {
  ...work,
  sceneIndex: optional(SceneIndex),
  prompt: Prompt.refine(said, "Must not be empty."),
  negative_prompt: optional(Prompt),
  styleGuide: optional(StyleGuide),
  resolution: optional(Resolution),
};

export const ImageRequest = z.object({ ...shot, image_instruction: optional(Prompt) });

export const VideoRequest = z.object({
  ...shot,
  // a data URL is long: what a JSON body may hold bounds it
  image_url: z.string().refine(said, "Must not be empty."),
  duration: optional(z.number().positive().max(600)),
  video_instruction: optional(Prompt),
});

type ShotRequest = Pick<
  z.output<typeof ImageRequest>,
  "prompt" | "negative_prompt" | "styleGuide" | "resolution" | "sceneIndex"
>;

const namedInBody = async (c: Context<AppEnv>) => Target.parse(await c.req.json());

/** After `needs`: finds the work that the body names; one that names none is fine. */
export function ownPlace(services: Pick<Services, "projects" | "works">) {
  const own = loadWorkNamedBy(services, namedInBody);
  return createMiddleware<AppEnv>(async (c, next) => {
    if ((await namedInBody(c)).workId === undefined) return next();
    assertScopes(c.var.caller, ["works:write"]);
    return own(c, async () => {
      c.set("place", { project: c.var.project, work: c.var.work });
      await next();
    });
  });
}

export type Shot = { readonly wish: ShotWish; readonly resolution: Canvas; readonly target?: SceneTarget };

/** What a request leaves open comes from the work that it names, and from its project. */
export function shotOf(
  request: ShotRequest,
  place: AppEnv["Variables"]["place"],
  instructions: { readonly given?: string | undefined; readonly ofWork?: string | undefined },
): Shot {
  const { prompt, negative_prompt: negativePrompt = "", sceneIndex } = request;
  const styleGuide = request.styleGuide ?? place?.project.styleGuide;
  const instruction = instructions.given ?? instructions.ofWork ?? "";
  return {
    wish: { prompt, negativePrompt, instruction, ...(styleGuide && { styleGuide }) },
    resolution: request.resolution ?? place?.work.resolution ?? defaultResolution,
    ...(place && sceneIndex !== undefined && { target: { work: place.work, sceneIndex } }),
  };
}

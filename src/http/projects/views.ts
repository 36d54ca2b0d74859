import { z } from "zod";
import { projectTypes } from "../../domain/projects/default-prompts.ts";
import { Id, named, namedObject, Timestamp } from "../schemas/responses.ts";

/** Unknown keys are stored and returned too. */
export const StyleGuide = named(
  "StyleGuide",
  z.looseObject({
    tone: z.string().optional(),
    color_palette: z.array(z.string()).optional().describe("CSS colors."),
    tempo: z.string().optional(),
    camera_style: z.string().optional(),
    brand_voice: z.string().optional(),
    must_include: z.array(z.string()).optional(),
    must_avoid: z.array(z.string()).optional(),
  }),
);

export const Prompts = {
  systemPrompt: z.string().describe("Guides the writing of scenarios."),
  analyzerPrompt: z.string().describe("Guides the analysis of videos; empty for the built-in prompt."),
  imageSystemPrompt: z.string().describe("Guides the generation of images."),
  videoSystemPrompt: z.string().describe("Guides the generation of videos."),
};

export const Project = namedObject("Project", {
  id: Id,
  userId: Id,
  name: z.string(),
  projectType: z.enum(projectTypes).optional(),
  ...Prompts,
  knowledge: z.string().describe("Background for the language model."),
  styleGuide: StyleGuide.optional(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

export const Projects = z.array(Project);

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

/** The prompts of a project or work, each with the schema that `of` returns for its description. */
export const promptFields = <Schema>(of: (about: string) => Schema) => ({
  systemPrompt: of("Guides the writing of scenarios."),
  analyzerPrompt: of("Guides the analysis of videos; empty for the built-in prompt."),
  imageSystemPrompt: of("Guides the generation of images."),
  videoSystemPrompt: of("Guides the generation of videos."),
});

export const Prompts = promptFields((about) => z.string().describe(about));

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

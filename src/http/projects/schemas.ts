import { z } from "zod";
import { projectTypes } from "../../domain/projects/default-prompts.ts";
import { named } from "../../domain/shared/schemas.ts";
import { Name, Prompt, SameId, StyleGuide, textUpTo } from "../schemas/common.ts";
import { isNotLarger, readonlyBody } from "../schemas/objects.ts";

const maxKnowledgeBytes = 256 * 1024;

const Knowledge = textUpTo(200_000).refine(
  (text) => Buffer.byteLength(text) <= maxKnowledgeBytes || isNotLarger("knowledge", text),
  "Must not be larger than 256 KiB.",
);

/** Null clears the field or restores its default. */
const optionalFields = {
  projectType: z.enum(projectTypes).nullish().describe("Chooses the default prompts; `blank` by default."),
  systemPrompt: Prompt.nullish().describe("Guides the writing of scenarios."),
  analyzerPrompt: Prompt.nullish().describe("Guides the analysis of videos; empty for the built-in prompt."),
  imageSystemPrompt: Prompt.nullish().describe("Guides the generation of images."),
  videoSystemPrompt: Prompt.nullish().describe("Guides the generation of videos."),
  knowledge: Knowledge.nullish().describe("Background for the language model, at most 256 KiB."),
  styleGuide: StyleGuide.nullish(),
};

export const NewProject = named("NewProject", readonlyBody(z.object({ name: Name, ...optionalFields })));

export const ProjectChanges = named(
  "ProjectChanges",
  readonlyBody(z.object({ name: Name.optional(), ...optionalFields, id: SameId, userId: SameId })),
);

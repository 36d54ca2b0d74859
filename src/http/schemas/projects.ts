import { z } from "zod";
import { projectTypes } from "../../domain/projects/default-prompts.ts";
import { Name, Prompt, SameId, StyleGuide, textUpTo } from "./common.ts";
import { readonlyBody } from "./objects.ts";

const maxKnowledgeBytes = 256 * 1024;

const Knowledge = textUpTo(200_000).refine(
  (text) => Buffer.byteLength(text) <= maxKnowledgeBytes,
  "Must not be larger than 256 KiB.",
);

/** Null clears the field or restores its default. */
const optionalFields = {
  projectType: z.enum(projectTypes).nullish(),
  systemPrompt: Prompt.nullish(),
  analyzerPrompt: Prompt.nullish(),
  imageSystemPrompt: Prompt.nullish(),
  videoSystemPrompt: Prompt.nullish(),
  knowledge: Knowledge.nullish(),
  styleGuide: StyleGuide.nullish(),
};

export const NewProject = readonlyBody(z.object({ name: Name, ...optionalFields }));

export const ProjectChanges = readonlyBody(
  z.object({ name: Name.optional(), ...optionalFields, id: SameId, userId: SameId }),
);

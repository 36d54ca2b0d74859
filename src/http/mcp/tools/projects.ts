import type { Tool } from "../calls/tool.ts";

export const projectTools: readonly Tool[] = [
  {
    name: "projects_list",
    title: "List projects",
    description: "Lists the user's projects, last changed first. Start here to find a projectId.",
    operation: "listProjects",
    list: "projects",
  },
  {
    name: "projects_create",
    title: "Create a project",
    description:
      "Creates a project, which holds works (videos), assets and templates, with the style that all of them share. Only the name is required; style_guide_extract can make the styleGuide.",
    operation: "createProject",
    omit: ["analyzerPrompt"],
    brief: { "styleGuide.brand.captions": "The style of captions where a request has none, as in export_start." },
  },
  {
    name: "projects_get",
    title: "Read a project",
    description: "Reads a project with its style guide, its prompts and its knowledge.",
    operation: "getProject",
  },
  {
    name: "projects_update",
    title: "Change a project",
    description:
      "Changes the fields that are named; null clears a field or restores its default. styleGuide is replaced as a whole.",
    operation: "updateProject",
    omit: ["id", "userId"],
    sameAs: "projects_create",
  },
  {
    name: "projects_delete",
    title: "Delete a project",
    description: "Deletes a project with its works, assets, templates and exports for good. Ask the user first.",
    operation: "deleteProject",
  },
];

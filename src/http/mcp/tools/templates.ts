import type { Tool } from "../calls/tool.ts";

export const templateTools: readonly Tool[] = [
  {
    name: "templates_list",
    title: "List templates",
    description: "Lists the project's templates: overlays that can be applied to any work with works_apply_template.",
    operation: "listTemplates",
  },
  {
    name: "templates_get",
    title: "Read a template",
    description:
      "Reads a template with its overlays. Placeholders such as {{price}} in its texts get values when it is applied.",
    operation: "getTemplate",
  },
  {
    name: "templates_create",
    title: "Create a template",
    description:
      "Stores text and image overlays (name and content) for use in many works, or copies a design of template_library_list (fromLibrary). Times are percent of the video (relative) or seconds (absolute); texts may have placeholders such as {{price}}.",
    operation: "createTemplate",
    brief: {
      "content.textOverlays":
        "[{ id, text, timingMode: relative | absolute, startPercent, endPercent, startSeconds, endSeconds }], with centerX, centerY and the look of texts of export_start.",
      "content.imageOverlays":
        "[{ id, assetId, width, height, centerX, centerY }], with the times of textOverlays, opacity, rotation, group and layer.",
      "content.layers": "As layers of export_start.",
    },
  },
  {
    name: "template_library_list",
    title: "List ready-made templates",
    description:
      "Lists designs such as a lower third, a price tag and an end card, with their placeholders. templates_create with fromLibrary copies one into a project.",
    operation: "listLibraryTemplates",
  },
  {
    name: "templates_update",
    title: "Change a template",
    description:
      "Changes the fields that are named; content is replaced as a whole. Works that it was applied to do not change.",
    operation: "updateTemplate",
    omit: ["id"],
    sameAs: "templates_create",
  },
  {
    name: "templates_delete",
    title: "Delete a template",
    description: "Deletes a template for good. Works that it was applied to do not change.",
    operation: "deleteTemplate",
  },
];

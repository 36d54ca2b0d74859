import { z } from "zod";
import { storageRoom } from "../../../domain/files/storage.ts";
import type { SceneFile } from "../../../domain/works/scene-state.ts";
import { parseSceneIndex } from "../../middleware/load-resource.ts";
import { resultOf } from "../calls/results.ts";
import { dataArgument, formWith, urlArgument, withSourceFile } from "../calls/source-files.ts";
import type { Tool, ToolCall, ToolResult } from "../calls/tool.ts";
import { idOf } from "../calls/tool-call.ts";

const ofEditors = ["currentStep", "hasReferenceVideo", "generatedScenes", "analyzerPrompt"];

const setSceneMedia = (call: ToolCall): Promise<ToolResult> =>
  withSourceFile(
    call,
    async (file) => {
      const form = formWith("file", file, {});
      const { kind } = call.args;
      if (kind === "image") return resultOf({}, await call.send({ form }));
      const [project, work, scene] = ["projectId", "workId", "sceneIndex"].map((name) => idOf(call.args, name));
      const path = `/api/projects/${project}/works/${work}/media/scene/${scene}/${kind}`;
      const headers = { "content-type": form.contentType };
      return resultOf({}, await call.request(path, { method: "POST", headers, body: form.body }));
    },
    () => roomForScene(call),
  );

/** The edit is the whole body. */
async function importEdit(call: ToolCall): Promise<ToolResult> {
  // safe because `extra` has checked it
  return resultOf({}, await call.send({ json: call.args.edit as object }));
}

async function roomForScene({ args, services, caller }: ToolCall): Promise<number> {
  const scene = parseSceneIndex(idOf(args, "sceneIndex"));
  const slot = `scene/${scene}/${args.kind as SceneFile | "voice"}` as const; // safe because `extra` has checked it
  const replaced = await services.workMedia.find(idOf(args, "workId"), slot);
  return storageRoom(services, caller.user.id, replaced?.file.sizeBytes);
}

export const workTools: readonly Tool[] = [
  {
    name: "works_list",
    title: "List works",
    description:
      "Lists the project's works, last changed first. A work is one video: its brief, its scenes and their media.",
    operation: "listWorks",
    list: "works",
  },
  {
    name: "works_create",
    title: "Create a work",
    description:
      "Creates a work (one video) from a brief: productName, productDescription, targetAudience, language, videoDuration in seconds, sceneCount. Then call works_generate_scenario, or give scenes yourself.",
    operation: "createWork",
    omit: [...ofEditors, "editorState"],
  },
  {
    name: "works_import",
    title: "Import an edit",
    description:
      "Makes a work of an edit of Shotstack, Creatomate, editly or OpenTimelineIO, with its files. The report names each property that is shown differently (changed) or not (ignored): tell the user of those. Then export_frame shows it and export_start renders it.",
    operation: "importEdit",
    extra: z.object({ edit: z.looseObject({}).describe("The JSON of the edit, as its service takes it.") }),
    isOpenWorld: true,
    run: importEdit,
  },
  {
    name: "works_get",
    title: "Read a work",
    description: "Reads a work with its scenes, which of them have an image or a video, and the state of its editor.",
    operation: "getWork",
  },
  {
    name: "works_update",
    title: "Change a work",
    description:
      "Changes the fields that are named; null clears a field. scenes is replaced as a whole: send all of them.",
    operation: "updateWork",
    omit: [...ofEditors, "id", "createdAt"],
    sameAs: "works_create",
    brief: {
      editorState: "The saved edit, as works_get returns it; replaced as a whole. works_apply_template fills it.",
    },
  },
  {
    name: "works_delete",
    title: "Delete a work",
    description:
      "Deletes a work and its media for good. Exports that have ended stay until they expire. Ask the user first.",
    operation: "deleteWork",
  },
  {
    name: "works_apply_template",
    title: "Apply a template",
    description:
      "Puts a template's overlays on the work's timeline, with values for its placeholders. The work needs a duration: call works_generate_scenario first, or set videoDuration.",
    operation: "applyTemplate",
  },
  {
    name: "works_generate_scenario",
    title: "Write the scenario",
    description:
      "Writes the work's scenes from its brief and the project's style, and saves them. Next: works_generate_scene for each scene.",
    operation: "writeWorkScenario",
  },
  {
    name: "works_generate_scene",
    title: "Generate a scene",
    description:
      "Draws the image of one scene, makes its video from it, and saves both. Existing media that still fit stay, unless force is true. Takes from seconds to minutes.",
    operation: "generateScene",
  },
  {
    name: "works_generate_voice",
    title: "Speak the scenes",
    description:
      'Speaks the voice_text of every scene, or of one, and saves the voices; fitScenes makes the scenes as long as their voices. Then export_start takes voice: {} and captions: { from: "voice" }.',
    operation: "generateVoices",
  },
  {
    name: "works_set_scene_media",
    title: "Set the media of a scene",
    description:
      "Sets a scene's image, video or recorded voice from an asset, a URL or base64 data. It replaces an existing one.",
    operation: "uploadSceneImage",
    extra: z.object({
      kind: z
        .enum(["image", "video", "voice"])
        .describe("An image is animated in the video if the scene has no video of its own."),
      assetId: z.string().optional().describe("An asset of the project."),
      url: urlArgument.optional(),
      data: dataArgument.optional(),
    }),
    isOpenWorld: true,
    run: setSceneMedia,
  },
];

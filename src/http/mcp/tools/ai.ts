import { z } from "zod";
import { resultOf } from "../calls/results.ts";
import { formWith, urlArgument, withSourceFile } from "../calls/source-files.ts";
import type { Tool, ToolCall, ToolResult } from "../calls/tool.ts";

const analyze = (call: ToolCall): Promise<ToolResult> =>
  withSourceFile(call, async (file) => {
    const { mode, analyzerPrompt } = call.args;
    return resultOf({}, await call.send({ form: formWith("video", file, { mode, analyzerPrompt }) }));
  });

const styleGuide = "As in projects_create.";

const brand = z.object({
  text: z.string().max(100_000).optional().describe("A text about the brand: guidelines, an About page, a brief."),
  url: z.string().max(8192).optional().describe("A public web page of the brand, instead of a text."),
});

/** Chooses the route: for a page or for a text. */
async function extract(call: ToolCall): Promise<ToolResult> {
  const { text, url } = call.args;
  const body = url === undefined ? { text } : { url, includeProductInfo: true };
  return resultOf(
    {},
    await call.send({ json: body, ...(url !== undefined && { path: "/api/style-guide/extract-from-landing" }) }),
  );
}

export const aiTools: readonly Tool[] = [
  {
    name: "ai_analyze_video",
    title: "Analyze a video",
    description:
      "Measures the cuts, colors and tempo of a reference video, from an asset or a URL, and describes its scenes. Nothing is saved: pass the result as analysis to works_update to imitate its style.",
    operation: "analyzeVideo",
    extra: z.object({
      projectId: z.string().optional().describe("The project of the asset."),
      assetId: z.string().optional().describe("A video of the project."),
      url: urlArgument.optional(),
      mode: z.enum(["style_transfer", "content_remix"]).optional(),
      analyzerPrompt: z.string().max(50_000).optional().describe("What to look at."),
    }),
    isOpenWorld: true,
    run: analyze,
  },
  {
    name: "ai_match_product",
    title: "Compare a picture with a product",
    description:
      "Checks whether a picture, such as the image of a scene, shows the product as its pictures do, and names what differs. To send those pictures to the models that draw, set referenceAssetIds of the scenes.",
    operation: "matchProduct",
  },
  {
    name: "ai_generate_scenario",
    title: "Draft a scenario",
    description:
      "Writes scenes from a brief without saving them. To write and save those of a work, use works_generate_scenario.",
    operation: "writeScenario",
    brief: { styleGuide },
  },
  {
    name: "ai_generate_image",
    title: "Generate an image",
    description:
      "Draws an image from a prompt. With projectId, workId and sceneIndex it becomes the scene's; without them the result is a URL that is valid for 24 hours.",
    operation: "generateImage",
    brief: { styleGuide: `${styleGuide} By default, the style guide of the named work's project.` },
  },
  {
    name: "ai_generate_video",
    title: "Generate a video",
    description:
      "Makes a short video from an image and a prompt. With projectId, workId and sceneIndex it becomes the scene's; without them the result is a URL that is valid for 24 hours.",
    operation: "generateVideo",
    brief: { styleGuide: `${styleGuide} By default, the style guide of the named work's project.` },
  },
  {
    name: "speech_generate",
    title: "Speak a text",
    description:
      "Speaks a text in a voice of a provider (see providers_list; local cannot speak) and returns the time of each word. For the scenes of a work use works_generate_voice.",
    operation: "generateSpeech",
  },
  {
    name: "music_generate",
    title: "Generate music",
    description:
      "Makes music or a sound effect from a prompt with a provider (see providers_list; local cannot). With projectId it becomes an asset: export_start takes its id as music.",
    operation: "generateMusic",
  },
  {
    name: "transcribe",
    title: "Transcribe speech",
    description:
      "Transcribes the speech of an asset, with times. The transcript is kept: export_start takes captions with that assetId.",
    operation: "transcribe",
  },
  {
    name: "style_guide_extract",
    title: "Extract a style guide",
    description:
      "Reads how a brand looks and speaks from a text or a web page. Pass the result as styleGuide to projects_create or projects_update.",
    operation: "extractStyleGuide",
    extra: brand,
    isOpenWorld: true,
    run: extract,
  },
  {
    name: "providers_list",
    title: "List providers",
    description:
      "Lists the AI providers and models of each category: llm, image, video, vision, speech, music. local needs no key and costs nothing.",
    operation: "listProviders",
    list: "providers",
  },
  {
    name: "usage_list",
    title: "List paid calls",
    description: "Lists the calls of external providers that the user's requests have made, newest first.",
    operation: "listProviderCalls",
  },
];

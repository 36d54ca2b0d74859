import { z } from "zod";
import { storageRoom } from "../../../domain/files/storage.ts";
import { resultOf } from "../calls/results.ts";
import { dataArgument, formWith, urlArgument, withSourceFile } from "../calls/source-files.ts";
import type { Tool, ToolCall, ToolResult } from "../calls/tool.ts";

const labels = {
  name: z.string().optional().describe("The name of the asset; by default that of the file."),
  tags: z.array(z.string()).optional(),
  description: z.string().optional().describe("What the asset shows; assets_analyze can write it."),
};

const add = (call: ToolCall): Promise<ToolResult> =>
  withSourceFile(
    call,
    async (file) => {
      const { name, tags, description } = call.args;
      return resultOf({}, await call.send({ form: formWith("file", file, { name, tags, description }) }));
    },
    () => storageRoom(call.services, call.caller.user.id),
  );

export const assetTools: readonly Tool[] = [
  {
    name: "assets_list",
    title: "List assets",
    description: "Lists the project's images, videos, sounds and fonts, newest first.",
    operation: "listAssets",
  },
  {
    name: "assets_get",
    title: "Read an asset",
    description:
      "Reads an asset: type, size, duration, description, URL. Use its url as audio.audioUrl in export_start.",
    operation: "getAsset",
  },
  {
    name: "assets_add_from_url",
    title: "Add an asset from a URL",
    description:
      "Fetches an image, a video, a sound or a font from a public URL and stores it as an asset of the project.",
    operation: "uploadAsset",
    extra: z.object({ url: urlArgument, ...labels }),
    isOpenWorld: true,
    run: add,
  },
  {
    name: "assets_upload",
    title: "Upload an asset",
    description:
      "Stores a small file, sent as base64, as an asset of the project. For larger files use assets_add_from_url.",
    operation: "uploadAsset",
    extra: z.object({
      data: dataArgument,
      filename: z.string().min(1).max(200).describe("Such as logo.png."),
      ...labels,
    }),
    run: add,
  },
  {
    name: "assets_beats",
    title: "Find the beats of a sound",
    description:
      "Measures tempo and beats of a sound or a video, in seconds, to cut clips to them. bpm overrides a half or double tempo; a confidence below 0.2 means that it has no steady beat.",
    operation: "findBeats",
    isReadOnly: true,
  },
  {
    name: "stock_search",
    title: "Search stock media",
    description:
      "Searches free images or videos of pexels or pixabay with the user's key for it. Show where they come from: author and pageUrl.",
    operation: "searchStock",
  },
  {
    name: "assets_add_from_stock",
    title: "Add an asset from stock media",
    description: "Stores a result of stock_search as an asset of the project; its source names author and licence.",
    operation: "addStockAsset",
  },
  {
    name: "assets_analyze",
    title: "Describe an asset",
    description:
      "Lets a model describe an image or a video in one or two sentences and saves them as the asset's description.",
    operation: "describeAsset",
  },
  {
    name: "assets_analyze_batch",
    title: "Describe several assets",
    description: "Describes up to 50 assets as assets_analyze does, and saves the descriptions.",
    operation: "describeAssets",
  },
  {
    name: "assets_delete",
    title: "Delete an asset",
    description:
      "Deletes an asset and its file for good. Works and templates that use it can no longer be exported with it.",
    operation: "deleteAsset",
  },
];

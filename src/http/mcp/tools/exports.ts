import type { ContentBlock } from "@modelcontextprotocol/server";
import { z } from "zod";
import { cancelExport, type ExportView, followExport } from "../calls/follow-export.ts";
import type { Tool, ToolCall, ToolResult } from "../calls/tool.ts";
import { idOf } from "../calls/tool-call.ts";

export const waitSeconds = (byDefault: number) =>
  z
    .int()
    .min(0)
    .max(50)
    .default(byDefault)
    .describe(`Seconds to wait for the end, with progress; ${byDefault} by default, 0 returns at once.`);

/** While this call waits, it owns the export: cancelling the call cancels the export. */
async function start(call: ToolCall): Promise<ToolResult> {
  const { id }: ExportView = await (await call.send()).json();
  const state = await followExport(call, id, Number(call.args.waitSeconds)).finally(async () => {
    if (call.signal.aborted) await cancelExport(call, id);
  });
  return exportResult(call, state);
}

const status = async (call: ToolCall): Promise<ToolResult> =>
  exportResult(call, await followExport(call, idOf(call.args, "exportId"), Number(call.args.waitSeconds)));

function exportResult({ publicUrl }: ToolCall, state: ExportView): ToolResult {
  const absolute = (url: string) => `${publicUrl}${url}`;
  const files = state.files?.map((file) => ({ ...file, url: absolute(file.url) }));
  const structured = { ...state, ...(state.url && { url: absolute(state.url) }), ...(files && { files }) };
  return { structured, content: [...(files ?? []).map((file) => videoLink(state, file)), ...nextStep(state)] };
}

type ExportedVideo = NonNullable<ExportView["files"]>[number];

const videoLink = ({ name, format }: ExportView, { target, url, size, mimeType }: ExportedVideo): ContentBlock => ({
  type: "resource_link",
  uri: url,
  name: `${[name, target?.replace(":", "x")].filter(Boolean).join(" ")}.${format}`,
  description: "The file. Reading it needs the same token as this connection.",
  mimeType,
  size,
});

function nextStep({ id, status: state }: ExportView): readonly ContentBlock[] {
  if (state !== "queued" && state !== "rendering") return [];
  return [{ type: "text", text: `The export is not finished: call export_status with exportId ${id}.` }];
}

/** Hosts cut larger images. */
const maxImageBytes = 1_000_000;
const frameSides = [768, 512];

async function frame(call: ToolCall): Promise<ToolResult> {
  for (const side of frameSides) {
    const png = await pngOf(await call.send({ query: { maxSide: `${side}` } }));
    if (png.byteLength <= maxImageBytes) return imageResult(png, `The frame at ${call.args.t} s.`);
  }
  return { content: [{ type: "text", text: "The frame is too large to be shown." }] };
}

async function sheet(call: ToolCall): Promise<ToolResult> {
  const { columns, rows } = call.args as { columns: number; rows: number };
  for (let count = rows; count > 0; count--) {
    const png = await pngOf(await call.send({ query: { columns: `${columns}`, rows: `${count}` } }));
    if (png.byteLength <= maxImageBytes) return imageResult(png, "Frames at even distances, each with its time below.");
  }
  return { content: [{ type: "text", text: "The sheet is too large to be shown: ask for fewer columns." }] };
}

const pngOf = (response: Response): Promise<Uint8Array> => response.bytes();

const imageResult = (png: Uint8Array, caption: string): ToolResult => ({
  content: [
    { type: "image", data: Buffer.from(png).toString("base64"), mimeType: "image/png" },
    { type: "text", text: caption },
  ],
});

/** Fields that do not affect the picture, so that a model reads them only once. */
const gateFields = ["gate", "platforms", "rules"];

/** How texts, images and clips look and move: the guide tells it once. */
const motionFields = {
  ...{ keyframes: "See the guide.", enter: "See motion_list.", exit: "", loop: "", motions: "" },
  ...{ anchor: "", scale: "", skewX: "", skewY: "", shadow: "", filter: "", blend: "", mask: "", fill: "", move: "" },
  ...{ spans: "", min: "", max: "", backgroundBy: "", paddingX: "", paddingY: "", wrap: "", language: "" },
};

const briefly = (...lists: readonly string[]) =>
  Object.fromEntries(
    lists.flatMap((list) => Object.entries(motionFields).map(([name, about]) => [`${list}.${name}`, about])),
  );

/** Used for exports, films and tables. */
export const destinations = "See export_deliver.";

export const exportTools: readonly Tool[] = [
  {
    name: "export_validate",
    title: "Check an export",
    description:
      "Reports all errors and warnings of an export before it is started, with an estimate of its time and size. Renders nothing.",
    operation: "validateExport",
    omit: ["webhook", "destinations", ...gateFields],
    sameAs: "export_start",
    isReadOnly: true,
  },
  {
    name: "export_frame",
    title: "Draw a frame",
    description:
      "Draws the frame at a time (t, seconds) of the video that export_start would make, as an image to look at. Check texts and pictures with it before exporting.",
    operation: "renderFrame",
    omit: ["width", "maxSide", "canvas", ...gateFields],
    sameAs: "export_start",
    isReadOnly: true,
    run: frame,
  },
  {
    name: "contact_sheet",
    title: "Draw a contact sheet",
    description: "Draws frames at even distances of the video that export_start would make, in one image.",
    operation: "renderContactSheet",
    omit: gateFields,
    sameAs: "export_start",
    extra: z.object({
      columns: z.int().min(1).max(5).default(4).describe("1 to 5; 4 by default."),
      rows: z.int().min(1).max(4).default(2).describe("1 to 4; 2 by default."),
    }),
    isReadOnly: true,
    run: sheet,
  },
  {
    name: "motion_list",
    title: "List entrances, exits and loops",
    description:
      "Lists the names that enter, exit and loop take, with their parameters, bounds and defaults, and all easings of keyframes. The guide has the names alone.",
    operation: "listMotion",
  },
  {
    name: "captions_make",
    title: "Make captions",
    description:
      "Makes the captions that export_start would burn in, as pages with the times of their words, and as SubRip and WebVTT text, without rendering. Look at their lines and warnings before exporting.",
    operation: "makeCaptions",
    omit: gateFields,
    sameAs: "export_start",
    isReadOnly: true,
  },
  {
    name: "export_start",
    title: "Export the video",
    description:
      "Renders the MP4, or the file of options.format. Without clips it exports the work's scenes or its saved edit; with clips it exports exactly these. Check with export_validate and export_frame first. Waits up to waitSeconds and returns a link to the video if it is done by then; else continue with export_status. Cancelling this call while it waits cancels the export.",
    operation: "createExport",
    omit: ["webhook"],
    brief: {
      destinations,
      ...briefly("clips", "texts", "images"),
      "captions.enter": "The entrance of each page, as that of texts.",
      layers:
        "[{ type: text | image | shape | html | lottie | group, position, end, centerX, centerY, width, height, enter, exit, loop, keyframes, … }]: see the resource reelwright://guide.",
      sounds:
        "[{ assetId | audioUrl, position, end, cutFrom, speed, repeat, volume, fadeIn, fadeOut, keyframes: { volume }, role: music | effect | voice }], besides audio and voice.",
      rules:
        "{ palette: [color], logo: { assetId, space }, mustSay: [text], mustNotSay: [text], legal: [{ text, minHeight, minSeconds }], ignore: [rule] }, of the gate.",
    },
    extra: z.object({ waitSeconds: waitSeconds(25) }),
    run: start,
  },
  {
    name: "export_status",
    title: "Wait for an export",
    description:
      "Waits until an export ends, reports its progress, and returns a link to the video once it is done. Call it again if it is not.",
    operation: "getExport",
    extra: z.object({ waitSeconds: waitSeconds(50) }),
    run: status,
  },
  {
    name: "export_check",
    title: "Read the gate reports",
    description:
      "Returns the gate reports of an export: each rule of each platform, with the measured value. Start the export with gate and platforms: without a gate there is no report (not_found).",
    operation: "readExportCheck",
    isReadOnly: true,
  },
  {
    name: "export_provenance",
    title: "Read what a video was made from",
    description:
      "Lists the files that a finished export was made from, with their hashes and the models that made them: what its signed C2PA manifest says.",
    operation: "readProvenance",
    isReadOnly: true,
  },
  {
    name: "destinations_list",
    title: "List destinations",
    description:
      "Lists where the project's videos can be sent: buckets, addresses and YouTube channels, by name. A person stores them, with their credentials.",
    operation: "listDestinations",
    isReadOnly: true,
  },
  {
    name: "export_deliver",
    title: "Send a video to destinations",
    description:
      "Sends the videos of a finished export to destinations of destinations_list, each once; one that failed is sent again. Call it with dryRun first, show the user what would be sent, and publish only what the user has agreed to. Then export_deliveries says how it went.",
    operation: "createDeliveries",
    brief: {
      destinations:
        "[{ type, name, requireGate }] of destinations_list; with type s3 also key, with youtube title, description, tags, privacy, madeForKids.",
      dryRun: "Only tell what would be sent.",
    },
  },
  {
    name: "export_deliveries",
    title: "Read deliveries",
    description:
      "Lists where the videos of an export were sent: queued, sending, delivered with its URL or id, or failed with the reason.",
    operation: "listDeliveries",
    isReadOnly: true,
  },
  {
    name: "export_cancel",
    title: "Cancel an export",
    description: "Cancels an export that runs, or deletes one that has ended, with its videos.",
    operation: "deleteExport",
  },
];

import { writeFile } from "node:fs/promises";
import { writeExcerpt } from "../../excerpt/excerpt.ts";
import { readKeyframes } from "../../excerpt/keyframes.ts";
import { drawContactSheet } from "../../frames/contact-sheet.ts";
import { drawCoverImage, prepareImage, toJpeg, toThumbnail } from "../../images/image.ts";
import { convertForModel } from "../../images/model-image.ts";
import { encodePng, stripColorChunks } from "../../images/png.ts";
import { inspectImage } from "../../inspect/image.ts";
import { drawStoryboard } from "../../local/storyboard.ts";
import { drawOverlay } from "../../overlays/draw.ts";
import { textEngineFingerprint } from "../../text/fonts/fingerprint.ts";
import { isUsableFont } from "../../text/fonts/fonts.ts";
import { measureText } from "../../text/measure.ts";
import type { TaskInputs, TaskKind, TaskMessage, TaskResult } from "../contract.ts";

const write = async (path: string, bytes: Uint8Array): Promise<null> => {
  await writeFile(path, bytes);
  return null;
};

const read = (path: string) => Bun.file(path).bytes();

type Tasks = { readonly [Kind in TaskKind]: (input: TaskInputs[Kind]) => Promise<TaskResult<Kind>> };

const tasks: Tasks = {
  inspectImage: ({ path, container }) => inspectImage(path, container),
  probeFont: ({ path }) => isUsableFont(path),
  drawThumbnail: async ({ path, output, maxSide, ignoresColorChunks }) => {
    const bytes = await read(path);
    return await write(output, await toThumbnail(ignoresColorChunks ? stripColorChunks(bytes) : bytes, maxSide));
  },
  prepareImage: async ({ path, facts, maxSide, output }) => write(output, await prepareImage(path, facts, maxSide)),
  drawCoverImage: async ({ path, facts, size, output }) => write(output, await drawCoverImage(path, facts, size)),
  convertForModel: async ({ path, facts, mimeTypes, output }) => {
    const converted = await convertForModel(path, facts, mimeTypes);
    if (!converted) return {};
    await write(output, converted.bytes);
    return { mimeType: converted.mimeType };
  },
  encodeJpeg: async ({ path, size, output }) => write(output, await toJpeg(await encodePng(await read(path), size))),
  encodeFrames: async ({ path, size, outputs }) => {
    const pixels = await read(path);
    const frameBytes = pixels.length / outputs.length;
    const encode = async (output: string, index: number) =>
      write(output, await encodePng(pixels.subarray(index * frameBytes, (index + 1) * frameBytes), size));
    await Promise.all(outputs.map(encode));
    return null;
  },
  excerptVideo: async (request) => {
    try {
      writeExcerpt(request);
      return true;
    } catch {
      return false;
    }
  },
  listKeyframes: async ({ path }) => {
    try {
      return { seconds: readKeyframes(path) };
    } catch {
      return {};
    }
  },
  drawOverlay: async ({ overlay, source, ...options }) =>
    (await drawOverlay(overlay, { ...options, localPathOf: async () => requirePath(source) })) ?? null,
  measureText: ({ content, rotationDegrees, font }) =>
    measureText(content, rotationDegrees, async () => requirePath(font)),
  drawContactSheet: async ({ tiles, output, ...sheet }) =>
    write(output, await drawContactSheet(await Promise.all(tiles.map(read)), sheet)),
  drawStoryboard: async ({ request, output }) => write(output, await drawStoryboard(request)),
  describeTextEngine: async () => textEngineFingerprint(),
};

function requirePath(path: string | undefined): string {
  if (path === undefined) throw new Error("The task has no path for its source.");
  return path;
}

/** Runs a task in this process. */
export const runTask = ({ kind, input }: TaskMessage): Promise<unknown> =>
  // safe because both sides of the pipe use the same table of inputs
  (tasks[kind] as (input: unknown) => Promise<unknown>)(input);

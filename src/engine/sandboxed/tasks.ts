import { writeFile } from "node:fs/promises";
import type { TaskInputs, TaskKind, TaskResult } from "../sandbox/contract.ts";
import type { Container } from "../timeline/source.ts";

const write = async (path: string, bytes: Uint8Array): Promise<null> => {
  await writeFile(path, bytes);
  return null;
};

const read = (path: string) => Bun.file(path).bytes();

/** The claims of a file about how it was made. */
async function declarationsOf(path: string, container: Container) {
  const manifest = (await import("../c2pa/read.ts")).readFileManifest(path, container);
  const declaredSources = (await import("../c2pa/xmp.ts")).readDeclaredSources(path, container);
  return { ...(manifest && { manifest }), ...(declaredSources.length > 0 && { declaredSources }) };
}

type Tasks = { readonly [Kind in TaskKind]: (input: TaskInputs[Kind]) => Promise<TaskResult<Kind>> };

const images = () => import("../images/image.ts");
const pngs = () => import("../images/png.ts");

/** Each task loads its modules when it runs: Skia costs more than an excerpt, and most exports cut some. */
export const engineTasks: Tasks = {
  inspectImage: async ({ path, container }) => {
    const size = await (await import("../inspect/image.ts")).inspectImage(path, container);
    return { ...size, ...(await declarationsOf(path, container)) };
  },
  inspectTracks: async ({ path, container }) => {
    if (container === "mp4") (await import("../mp4/bounds.ts")).requireBoundedMovie(path);
    const facts = await (await import("../inspect/tracks.ts")).readTracks(path, container);
    const sides =
      container === "mp4" && facts.hasSound ? (await import("../inspect/sides.ts")).readSides(path) : undefined;
    const sound = sides ? { ...facts.sound, sides } : facts.sound;
    return { ...facts, ...(sound && { sound }), ...(await declarationsOf(path, container)) };
  },
  readSoundFormat: async ({ path }) => (await import("../inspect/tracks.ts")).soundFormatOf(path),
  extractManifest: async ({ path, container, output }) => {
    const found = (await import("../c2pa/read.ts")).extractManifest(path, container);
    if (!found) return null;
    const { boxes, ...names } = found;
    await write(output, boxes);
    return names;
  },
  probeFont: async ({ path }) => (await import("../text/fonts/fonts.ts")).isUsableFont(path),
  drawThumbnail: async ({ path, output, maxSide, ignoresColorChunks }) => {
    const { toThumbnail } = await images();
    const { stripColorChunks } = await pngs();
    const bytes = await read(path);
    return await write(output, await toThumbnail(ignoresColorChunks ? stripColorChunks(bytes) : bytes, maxSide));
  },
  prepareImage: async ({ path, facts, maxSide, output }) =>
    write(output, await (await images()).prepareImage(path, facts, maxSide)),
  drawCoverImage: async ({ path, facts, size, output }) =>
    write(output, await (await images()).drawCoverImage(path, facts, size)),
  drawDirectImage: async ({ path, facts, options, output }) => {
    const { drawDirectImage } = await import("../images/direct-image.ts");
    const { pixels, contained } = await drawDirectImage(path, facts, options);
    await write(output, pixels);
    return { contained };
  },
  convertForModel: async ({ path, facts, mimeTypes, maxBytes, output }) => {
    const { convertForModel } = await import("../images/model-image.ts");
    const converted = await convertForModel(path, facts, { mimeTypes, maxBytes });
    if (!converted) return {};
    await write(output, converted.bytes);
    return { mimeType: converted.mimeType };
  },
  encodeJpeg: async ({ path, size, output }) => {
    const { toJpeg } = await images();
    const { encodePng } = await pngs();
    return await write(output, await toJpeg(await encodePng(await read(path), size)));
  },
  convertToJpeg: async ({ path, output }) => write(output, await (await images()).toJpeg(await read(path))),
  encodeFrames: async ({ path, size, outputs }) => {
    const { encodePng } = await pngs();
    const pixels = await read(path);
    const frameBytes = pixels.length / outputs.length;
    const encode = async (output: string, index: number) =>
      write(output, await encodePng(pixels.subarray(index * frameBytes, (index + 1) * frameBytes), size));
    await Promise.all(outputs.map(encode));
    return null;
  },
  excerptVideo: async (request) => {
    const { writeExcerpt } = await import("../mp4/excerpt.ts");
    try {
      writeExcerpt(request);
      return true;
    } catch {
      return false;
    }
  },
  listKeyframes: async ({ path }) => {
    const { readKeyframes } = await import("../mp4/keyframes.ts");
    try {
      return { seconds: readKeyframes(path) };
    } catch {
      return {};
    }
  },
  drawOverlay: async ({ overlay, source, ...options }) => {
    const { drawOverlay } = await import("../overlays/draw.ts");
    return (await drawOverlay(overlay, { ...options, localPathOf: async () => requirePath(source) })) ?? null;
  },
  drawStates: async ({ paths, ...options }) => {
    const { drawStates } = await import("../overlays/states.ts");
    const localPathOf = async ({ file }: { readonly file: string }) =>
      requirePath(Object.hasOwn(paths, file) ? paths[file] : undefined);
    return (await drawStates({ ...options, localPathOf })) ?? null;
  },
  measureTexts: async ({ texts, font }) => {
    const { measureText } = await import("../text/measure.ts");
    const localPathOf = async () => requirePath(font);
    return await Promise.all(
      texts.map(({ content, rotationDegrees }) => measureText(content, rotationDegrees, localPathOf)),
    );
  },
  findBeats: async ({ path, bpm }) => {
    const bytes = await read(path);
    const samples = new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length >> 1);
    return (await import("../analysis/beats/beats.ts")).findBeats(samples, bpm);
  },
  composeSound: async ({ composition, output }) =>
    await write(output, (await import("../composer/compose.ts")).compose(composition)),
  measureCard: async ({ card, size }) => (await import("../html-drawing/boxes.ts")).boxesIn(card, size),
  checkCss: async ({ declarations }) => (await import("../html-drawing/known-css.ts")).areKnown(declarations),
  drawContactSheet: async ({ tiles, output, ...sheet }) => {
    const { drawContactSheet } = await import("../frames/contact-sheet.ts");
    return await write(output, await drawContactSheet(await Promise.all(tiles.map(read)), sheet));
  },
  drawTemplate: async ({ output, ...thumbnail }) =>
    write(output, await (await import("../thumbnails/draw.ts")).drawThumbnail(thumbnail)),
  drawAnimation: async ({ output, ...animation }) =>
    write(output, await (await import("../thumbnails/draw-animation.ts")).drawAnimation(animation)),
  describeTextEngine: async () => (await import("../text/fonts/fingerprint.ts")).textEngineFingerprint(),
};

function requirePath(path: string | undefined): string {
  if (path === undefined) throw new Error("The task has no path for its source.");
  return path;
}

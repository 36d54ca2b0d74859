import { resolve } from "node:path";
import { withJobFolder } from "../../platform/files.ts";
import type { Command } from "../compiler/command.ts";
import { compileFullDecode, compileSample, compileSingleFrame } from "../compiler/decode/sample.ts";
import type { Ffmpeg } from "../ffmpeg/ffmpeg.ts";
import { requireWorking } from "../ffmpeg/health.ts";
import { FfmpegError } from "../ffmpeg/run.ts";
import { interrupted } from "../sandbox/failures.ts";
import type { MediaFacts } from "../timeline/source.ts";
import { unsupportedMedia } from "./file-families.ts";

/** Creates a private folder for one ffmpeg process. */
type MakeFolder = () => Promise<string>;

/** ffmpeg, and the folder that it may write while it inspects a file. */
export type SampleTools = { readonly ffmpeg: Ffmpeg; readonly makeFolder: MakeFolder };

/** A frame of 8K in 4:4:4 with 10 bits takes 1.1 GiB with one thread. Rendering allows more memory than this. */
const limits = { cpuSeconds: 30, fileBytes: 2 ** 30, memoryBytes: 1.5 * 2 ** 30 };
/** Wall-clock time, which says little about a file: on a busy machine 30 s of CPU time take several times as long. */
const timeoutMilliseconds = 180_000;

/**
 * Decodes the first frames and a little sound, and reports whether one of the frames is interlaced. Throws
 * unsupported_media_type for files that no export could use.
 */
export async function requireDecodable(
  { ffmpeg, makeFolder }: SampleTools,
  path: string,
  facts: MediaFacts,
): Promise<{ readonly isInterlaced: boolean }> {
  const { picture, hasSound } = facts;
  const command = compileSample(resolve(path), facts, { sound: "sound.raw", fields: "fields.raw" });
  return await withJobFolder(makeFolder, async (folder) => {
    const { frames } = await run(ffmpeg, command, folder);
    if (picture && frames === 0) throw cannotDecode(`pictures (${picture.codec})`);
    if (hasSound && Bun.file(`${folder}/sound.raw`).size === 0) throw cannotDecode("sound");
    return { isInterlaced: picture !== undefined && Bun.file(`${folder}/fields.raw`).size > 0 };
  });
}

type DecodeOptions = { readonly path: string; readonly facts: MediaFacts; readonly folder: string };

/** Wall-clock time, because a request waits: a file that decodes for this long is accepted. */
const completeMilliseconds = 30_000;

/** True if a file decodes from start to end without an error, or if the time for this runs out. */
export async function decodesCompletely(ffmpeg: Ffmpeg, { path, facts, folder }: DecodeOptions): Promise<boolean> {
  const command = compileFullDecode(resolve(path), facts);
  const signal = AbortSignal.timeout(completeMilliseconds);
  return await ffmpeg.run(command, { folder, limits, signal }).then(
    () => true,
    (error) => !(error instanceof FfmpegError),
  );
}

const cannotDecode = (what: string, cause?: unknown) =>
  unsupportedMedia(`The file's ${what} cannot be decoded: convert it to MP4 with H.264 and AAC.`, cause);

/**
 * Runs ffmpeg with tight limits; a failure or too much CPU time means that the file cannot be decoded. Throws busy if
 * ffmpeg no longer renders anything, or the machine has no time for it.
 */
async function run(ffmpeg: Ffmpeg, command: Command, folder: string) {
  const signal = AbortSignal.timeout(timeoutMilliseconds);
  try {
    return await ffmpeg.run(command, { folder, limits, signal });
  } catch (cause) {
    if (signal.aborted) throw interrupted(cause);
    if (!(cause instanceof FfmpegError)) throw cause;
    await requireWorking(ffmpeg, cause);
    throw cannotDecode("content", cause);
  }
}

type FrameOptions = {
  readonly facts: MediaFacts;
  readonly seconds: number;
  readonly size: { readonly width: number; readonly height: number };
  readonly folder: string;
};

/** Extracts an upright frame of a video as a PNG file in `folder`; undefined if no frame can be decoded there. */
export async function extractFrame(
  ffmpeg: Ffmpeg,
  path: string,
  { facts, seconds, size, folder }: FrameOptions,
): Promise<string | undefined> {
  const command = compileSingleFrame(resolve(path), facts, { seconds, size }, "frame.png");
  const { frames } = await run(ffmpeg, command, folder).catch(() => ({ frames: 0 }));
  return frames > 0 ? `${folder}/frame.png` : undefined;
}

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import type { Command } from "../../compiler/compile.ts";
import { scaled, unmirrored } from "../../compiler/filters/filters.ts";
import { input } from "../../compiler/graph/graph.ts";
import { printGraph } from "../../compiler/graph/print.ts";
import { decoderArgs, openSource } from "../../compiler/sources.ts";
import type { MediaFacts } from "../../timeline/source.ts";
import { type Ffmpeg, FfmpegError } from "../ffmpeg/ffmpeg.ts";
import { withPlainColors } from "../images/png.ts";
import { refuse } from "./types.ts";

/** Larger pictures are refused before they are decoded: a few of them would fill the memory. */
export const maxVideoPixels = 40_000_000;

const limits = { cpuSeconds: 30, fileBytes: 2 ** 30, memoryBytes: 4 * 2 ** 30 };
const timeoutMilliseconds = 30_000;

/** Opens one file and nothing that the file may name. */
const inputArgs = (path: string, facts: MediaFacts): readonly string[] =>
  openSource({ file: path, hash: "", facts }, { pathOf: ({ file }) => resolve(file) }, [
    ...["-max_pixels", `${maxVideoPixels}`],
    ...decoderArgs(facts),
  ]);

/** Decodes the first picture and a little sound, so that nothing is stored that no film could use. */
export async function requireDecodable(ffmpeg: Ffmpeg, path: string, facts: MediaFacts): Promise<void> {
  const { picture, hasSound } = facts;
  const outputArgs = [
    ...(picture ? ["-map", "0:V:0", "-frames:v", "1", "-f", "null", "-"] : []),
    ...(hasSound ? ["-map", "0:a:0", "-t", "0.5", "-f", "s16le", "sound.raw"] : []),
  ];
  await inFolder(async (folder) => {
    const { frames } = await run(ffmpeg, { inputArgs: inputArgs(path, facts), graph: "", outputArgs }, folder);
    if (picture && frames === 0) throw undecodable(`pictures (${picture.codec})`);
    if (hasSound && Bun.file(`${folder}/sound.raw`).size === 0) throw undecodable("sound");
  });
}

/** Whether a file decodes from end to end without a complaint; one that takes too long is not held guilty. */
export async function decodesWhole(ffmpeg: Ffmpeg, path: string, facts: MediaFacts): Promise<boolean> {
  const outputArgs = [...(facts.picture ? ["-map", "0:V:0"] : []), ...(facts.hasSound ? ["-map", "0:a:0"] : [])];
  const command = {
    inputArgs: ["-xerror", ...inputArgs(path, facts)],
    graph: "",
    outputArgs: [...outputArgs, "-f", "null", "-"],
  };
  const signal = AbortSignal.timeout(timeoutMilliseconds);
  return await inFolder((folder) =>
    ffmpeg.run(command, { folder, limits, signal }).then(
      () => true,
      (error) => !(error instanceof FfmpegError),
    ),
  );
}

const undecodable = (what: string, cause?: unknown) =>
  refuse(`The file's ${what} cannot be decoded: convert it to MP4 with H.264 and AAC.`, cause);

async function run(ffmpeg: Ffmpeg, command: Command, folder: string) {
  const signal = AbortSignal.timeout(timeoutMilliseconds);
  try {
    return await ffmpeg.run(command, { folder, limits, signal });
  } catch (cause) {
    if (cause instanceof FfmpegError || signal.aborted) throw undecodable("content", cause);
    throw cause;
  }
}

type Wanted = { readonly seconds: number; readonly size: { readonly width: number; readonly height: number } };

/** One upright picture of a video as PNG; undefined where there is none. */
export async function pictureAt(ffmpeg: Ffmpeg, path: string, facts: MediaFacts, { seconds, size }: Wanted) {
  return await inFolder(async (folder) => {
    const { text, map } = printGraph(scaled(unmirrored(input("video", 0), facts.picture?.mirroring), size));
    const command = {
      inputArgs: ["-ss", seconds.toFixed(6), ...inputArgs(path, facts)],
      graph: text,
      outputArgs: ["-map", map, "-frames:v", "1", "picture.png"],
    };
    const { frames } = await run(ffmpeg, command, folder).catch(() => ({ frames: 0 }));
    return frames > 0 ? withPlainColors(await Bun.file(`${folder}/picture.png`).bytes()) : undefined;
  });
}

/** A private folder that is gone when `work` is done. */
async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(`${tmpdir()}/reelwright-`);
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

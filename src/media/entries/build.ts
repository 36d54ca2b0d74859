import { compilePictureHashes, compilePictures, readHashes } from "../../compiler/decode/picture-hashes.ts";
import type { CanvasProcesses } from "../canvas/processes.ts";
import type { Ffmpeg } from "../ffmpeg/ffmpeg.ts";
import type { BuildInput, PreparedKind } from "../prepared/kind.ts";
import type { EntryCheck } from "./plan.ts";

type Tools = {
  readonly ffmpeg: Pick<Ffmpeg, "run">;
  readonly canvas: CanvasProcesses;
  /** Of decoding between entry points: see `workOf`. Default: 0.2 s of one core. Tests choose less. */
  readonly minWork?: number;
};

/** Longer ones are not of the kind that generators make, and decoding one takes as long as a film. */
const maxSeconds = 120;
const minSeconds = 3;

const limits = { niceness: 19, cpuSeconds: 300, fileBytes: 2 ** 28 };

/** Each decoder of a process holds its own pictures. */
const maxInputs = 4;

/** Entry points of an MP4 video with long GOPs: see `writeEntries`. The file has none if none is needed, or right. */
export const entryPoints = (tools: Tools): PreparedKind => ({
  name: "entry points",
  isFor: ({ container, durationSeconds = 0, picture }) =>
    container === "mp4" && picture?.codec === "avc" && durationSeconds >= minSeconds && durationSeconds <= maxSeconds,
  describe: () => [version, tools.minWork],
  build: (input) => buildEntries(tools, input),
});

/** Of the choice of entry points and of their format. */
const version = 1;

async function buildEntries(
  { ffmpeg, canvas, minWork = 2_000_000 }: Tools,
  { path, source, folder, output, ...options }: BuildInput,
) {
  const { facts } = source;
  const { signal } = options;
  const plan = await canvas.run("planEntries", { path, minWork }, options);
  const join = (paths: readonly string[]) => canvas.run("joinEntries", { paths, output }, options);
  if (!plan.candidates || plan.candidates.length === 0) return void (await join([]));

  const { pictures, candidates } = plan;
  const checked = [...new Set(candidates.flatMap(({ frames }) => frames))].sort((one, other) => one - other);
  const files = { pixels: `${folder}/pixels.raw`, hashes: `${folder}/hashes.txt` };
  await ffmpeg.run(compilePictures(path, facts, { pictures, checked }, files), { folder, signal, limits });
  const hashes = await hashesIn(files.hashes);
  const hashOf = new Map(checked.map((frame, index) => [frame, hashes[index] ?? "none"]));

  const places = candidates.map((check, index) => placeOf(check, `${folder}/entry-${index}`));
  const outputs = places.map(({ entries }) => entries);
  await canvas.run("writeCandidates", { path, minWork, pixels: files.pixels, outputs }, options);
  for (const { entries, excerpt, check } of places) {
    const request = { path, output: excerpt.path, seconds: check.seconds, entries };
    if (!(await canvas.run("excerptVideo", request, options))) throw new Error("The video has no excerpt.");
  }
  const excerpts = places.map(({ excerpt }) => excerpt);
  for (let from = 0; from < excerpts.length; from += maxInputs) {
    const some = excerpts.slice(from, from + maxInputs);
    await ffmpeg.run(compilePictureHashes(some, facts), { folder, signal, limits });
  }

  const verified: string[] = [];
  for (const { entries, excerpt, check } of places) {
    // ffmpeg may leave out some of the pictures before the entry point
    const shown = (await hashesIn(excerpt.hashes)).slice(-check.frames.length);
    if (check.frames.every((frame, index) => shown[index] === hashOf.get(frame))) verified.push(entries);
  }
  await join(verified);
}

const placeOf = (check: EntryCheck, prefix: string) => ({
  check,
  entries: prefix,
  excerpt: { path: `${prefix}-excerpt`, hashes: `${prefix}-hashes` },
});

const maxHashBytes = 2 ** 20;

async function hashesIn(path: string): Promise<readonly string[]> {
  return readHashes(await Bun.file(path).slice(0, maxHashBytes).text());
}

import { link, symlink } from "node:fs/promises";
import type { Files } from "../../compiler/compile.ts";
import type { FileStore } from "../../domain/files/file-store.ts";
import { DomainError, isDomainError } from "../../errors.ts";
import { mapDiskFull } from "../../platform/disk-full.ts";
import type { Source } from "../../timeline/source.ts";
import type { Timeline } from "../../timeline/timeline.ts";
import { clipsOf } from "../../timeline/track.ts";
import { prepareStill } from "../images/image.ts";

/** Larger stills only cost memory: a zoom shows no more of them. */
const stillOversize = 2;
const maxStillSide = 6144;

/** Every file that the track and the sound play, each once. */
export function playedSources({ track, sound }: Timeline): readonly Source[] {
  const seen = track.spans.flatMap(clipsOf).map(({ source }) => source);
  const heard = [...sound.pieces, ...(sound.music ? [sound.music] : [])].map(({ source }) => source);
  return [...new Map([...seen, ...heard].map((source) => [source.file, source])).values()];
}

/**
 * Gathers what films of one edit play in the job's folder, so that a file deleted meanwhile stays until they are done.
 * Only stills differ from film to film: they are made as large as each can show.
 */
export async function gatherSources(
  timelines: readonly Timeline[],
  files: FileStore,
  folder: string,
  stills: Stills = prepareStillAt,
): Promise<readonly Files[]> {
  const sources = [...new Map(timelines.flatMap(playedSources).map((source) => [source.file, source])).values()];
  const numbers = new Map(sources.map(({ file }, number) => [file, number]));
  const pathOf = (source: Source, stillSide: number) =>
    `${folder}/source-${numbers.get(source.file)}${isStill(source) ? `-${stillSide}` : ""}`;
  const stillSides = new Set(timelines.map(stillSideOf));

  for (const source of sources) {
    if (!isStill(source)) await placeFile(source, files, pathOf(source, 0));
    else
      for (const stillSide of stillSides) {
        await placeStill(source, files, { path: pathOf(source, stillSide), stillSide }, stills);
      }
  }
  return timelines.map((timeline) => ({ pathOf: (source) => pathOf(source, stillSideOf(timeline)) }));
}

const isStill = ({ facts }: Source): boolean => facts.kind === "image";

const stillSideOf = ({ canvas: { width, height } }: Timeline): number =>
  Math.min(Math.max(width, height) * stillOversize, maxStillSide);

async function placeFile(source: Source, files: FileStore, path: string): Promise<void> {
  const stored = await files.localPath(source.file);
  // a link cannot cross disks, and some file systems have none
  await link(stored, path).catch(() => symlink(stored, path));
  if (!(await Bun.file(path).exists())) throw sourceUnreadable(source, "The file is gone.");
}

type Still = { readonly path: string; readonly stillSide: number };

/** Puts a still picture, from a file of the store, at a path. */
export type Stills = (source: Source, from: string, still: Still) => Promise<void>;

export const prepareStillAt: Stills = async ({ facts }, from, { path, stillSide }) => {
  await Bun.write(path, await prepareStill(from, facts, stillSide));
};

async function placeStill(source: Source, files: FileStore, still: Still, stills: Stills): Promise<void> {
  const placed = stills(source, await files.localPath(source.file), still);
  await mapDiskFull(placed).catch((error) => {
    throw isDomainError(error) && error.code === "storage_full" ? error : sourceUnreadable(source, error);
  });
}

export const sourceUnreadable = ({ facts }: Source, cause: unknown): DomainError<"source_unreadable"> =>
  new DomainError("source_unreadable", { path: pathOf[facts.kind], what: `This film's ${facts.kind}` }, { cause });

/** Where in the request such a file is named. */
const pathOf = { video: "clips", image: "clips", audio: "audio", font: "texts" } as const;

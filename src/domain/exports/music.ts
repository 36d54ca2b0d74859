import { DomainError } from "../../errors.ts";
import type { TaskOptions } from "../../platform/task-options.ts";
import type { Music } from "../../timeline/sound.ts";
import type { Source } from "../../timeline/source.ts";
import { type FrameRate, toFrame } from "../../timeline/time.ts";
import type { Caller } from "../auth/caller.ts";
import type { Fetcher } from "../files/fetcher.ts";
import type { FileStore, Inspector } from "../files/file-store.ts";
import { inspectFile } from "../files/inspect-file.ts";
import { type FindInternalUrlPorts, findInternalUrl } from "../media-sources/internal-files.ts";
import type { Work } from "../works/works.ts";
import type { AudioRequest } from "./schema.ts";
import { sourceOf } from "./sources.ts";

/** Limits how much data an external server can make the service store. */
const maxFetchedBytes = 200 * 1024 * 1024;
const path = "audio.audioUrl";

export type LookUpMusicPorts = FindInternalUrlPorts & {
  readonly fetcher: Pick<Fetcher, "checkUrl">;
};

type DownloadMusicPorts = {
  readonly fetcher: Pick<Fetcher, "download">;
  readonly inspector: Pick<Inspector, "inspect">;
  readonly files: Pick<FileStore, "store" | "discard" | "remove">;
};

export type FindMusicPorts = LookUpMusicPorts & DownloadMusicPorts;

export type FoundMusic = {
  /** Undefined if `audio` names no URL and the work has no uploaded audio. */
  readonly source?: Source;
  /** Removes a file that was downloaded for this export only. */
  dispose(): Promise<void>;
};

/** Finds the file that `audio` refers to: an internal URL, an external URL, or the work's uploaded audio. */
export async function findMusic(
  ports: FindMusicPorts,
  caller: Caller,
  work: Work,
  audio: AudioRequest,
  signal: AbortSignal,
): Promise<FoundMusic> {
  const music = await lookUpMusic(ports, caller, work, audio);
  if ("externalUrl" in music) return await downloadMusic(ports, music.externalUrl, { owner: caller.user.id, signal });
  return { ...music, dispose: async () => {} };
}

export type MusicReference = { readonly source: Source | undefined } | { readonly externalUrl: string };

/** What `audio` refers to, as far as known without a request to another server. */
export async function lookUpMusic(
  ports: LookUpMusicPorts,
  caller: Caller,
  work: Work,
  { audioUrl }: AudioRequest,
): Promise<MusicReference> {
  // a `blob:` URL exists in an editor's browser only
  if (!audioUrl || audioUrl.startsWith("blob:")) {
    const uploaded = await ports.workMedia.find(work.id, "audio");
    return { source: uploaded && sourceOf(uploaded.file) };
  }
  const internal = await findInternalUrl(ports, caller, audioUrl);
  if (!internal) {
    ports.fetcher.checkUrl(audioUrl, { path });
    return { externalUrl: audioUrl };
  }
  if (!internal.file) throw new DomainError("asset_missing", { path, what: "The sound that audioUrl names" });
  return { source: requireSound(sourceOf(internal.file)) };
}

async function downloadMusic(
  { fetcher, inspector, files }: DownloadMusicPorts,
  url: string,
  options: Required<TaskOptions>,
): Promise<FoundMusic> {
  const { signal } = options;
  const received = await fetcher.download(url, { path, maxBytes: maxFetchedBytes, signal });
  try {
    const facts = await inspectFile(inspector, received.path, "sound by URL", options);
    const key = `fetched/${received.sha256}-${crypto.randomUUID()}.${facts.extension}`;
    const source = requireSound({ file: key, hash: received.sha256, facts });
    await files.store(received, key);
    return { source, dispose: () => files.remove([key]) };
  } catch (error) {
    await files.discard(received);
    throw error;
  }
}

function requireSound(source: Source): Source {
  if (source.facts.kind === "audio" || source.facts.hasSound) return source;
  throw new DomainError("asset_wrong_type", {
    path,
    what: "The file that audioUrl names",
    expected: "a file with sound",
  });
}

/** The music of a timeline: fades in frames at its rate. */
export function toMusic(
  source: Source,
  { volume = 1, loop = false, fadeIn = 0, fadeOut = 0, duck = false }: AudioRequest,
  rate: FrameRate,
): Music {
  return {
    source,
    volume,
    loop,
    fadeInFrames: toFrame(fadeIn, rate),
    fadeOutFrames: toFrame(fadeOut, rate),
    isDucked: duck,
  };
}

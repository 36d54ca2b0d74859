import type { FileStore, Inspector } from "../../../engine/ports.ts";
import type { Music } from "../../../engine/timeline/sound.ts";
import type { Source } from "../../../engine/timeline/source.ts";
import { type FrameRate, toFrame } from "../../../engine/timeline/time.ts";
import { DomainError } from "../../../errors.ts";
import type { TaskOptions } from "../../../platform/limits/concurrency-limit.ts";
import type { Caller } from "../../accounts/caller.ts";
import type { Fetcher } from "../../files/fetcher.ts";
import { sourceOf } from "../../files/file-store.ts";
import { inspectFile } from "../../files/inspect-file.ts";
import { type FindInternalUrlPorts, findInternalUrl } from "../../media-sources/internal-files.ts";
import { hasTrainedParts } from "../../provenance/statement.ts";
import type { Work } from "../../works/works.ts";
import type { AudioRequest, ExportRequest } from "./schema.ts";

/** Limits how much data an external server can make the service store. */
const maxFetchedBytes = 200 * 1024 * 1024;

export type LookUpSoundsPorts = FindInternalUrlPorts & { readonly fetcher: Pick<Fetcher, "checkUrl"> };

type DownloadSoundPorts = {
  readonly fetcher: Pick<Fetcher, "download">;
  readonly inspector: Pick<Inspector, "inspect">;
  readonly files: Pick<FileStore, "store" | "discard" | "remove">;
};

export type FindSoundsPorts = LookUpSoundsPorts & DownloadSoundPorts;

/** The part of a request that names sounds. */
export type SoundsRequest = Pick<ExportRequest, "audio" | "voice">;

/** The file of a sound, as far as it is known without a request to another server. */
export type SoundReference = { readonly source: Source | undefined } | { readonly externalUrl: string };

/** The music (undefined without `audio`), and the recording that `voice` names by URL (undefined without one). */
export type SoundReferences = {
  /** Its source is undefined if `audio` names no URL and the work has no uploaded audio. */
  readonly music: SoundReference | undefined;
  readonly voice: SoundReference | undefined;
};

export type FoundSounds = {
  readonly music: { readonly source: Source | undefined } | undefined;
  readonly voice: { readonly source: Source | undefined } | undefined;
  /** True if some files were downloaded for this export only. */
  readonly areDownloaded: boolean;
  /** Removes files that were downloaded for this export only. */
  dispose(): Promise<void>;
};

/** Finds the files of a request's sounds, and downloads those of other servers. */
export async function findSounds(
  ports: FindSoundsPorts,
  caller: Caller,
  work: Work,
  request: SoundsRequest,
  signal: AbortSignal,
): Promise<FoundSounds> {
  const downloaded: string[] = [];
  const dispose = () => ports.files.remove(downloaded);
  const find = async (reference: SoundReference | undefined, path: string) => {
    if (!reference || !("externalUrl" in reference)) return reference;
    const source = await download(ports, reference.externalUrl, { path, owner: caller.user.id, signal });
    downloaded.push(source.file);
    return { source };
  };
  try {
    const music = await find(await lookUpMusic(ports, caller, work, request), musicPath);
    const voice = await find(await lookUpVoice(ports, caller, request), voicePath);
    return { music, voice, areDownloaded: downloaded.length > 0, dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** True if a trained model has made the music or the voice that a request names by URL. */
export const hasGeneratedSounds = (sounds: SoundReferences | Pick<FoundSounds, "music" | "voice">): boolean =>
  [sounds.music, sounds.voice].some((sound) => {
    const source = knownSource(sound);
    return source && hasTrainedParts(source.facts);
  });

/** Undefined also for a sound from another server. */
export const knownSource = (sound: SoundReference | undefined) =>
  sound && "source" in sound ? sound.source : undefined;

const musicPath = "audio.audioUrl";
const voicePath = "voice.audioUrl";

export async function lookUpMusic(
  ports: LookUpSoundsPorts,
  caller: Caller,
  work: Work,
  { audio }: SoundsRequest,
): Promise<SoundReference | undefined> {
  if (!audio) return undefined;
  const { audioUrl } = audio;
  // a `blob:` URL exists only in an editor's browser
  if (audioUrl && !audioUrl.startsWith("blob:")) return await lookUpUrl(ports, caller, audioUrl, musicPath);
  const uploaded = await ports.workMedia.find(work.id, "audio");
  return { source: uploaded && sourceOf(uploaded.file) };
}

export const lookUpVoice = async (
  ports: LookUpSoundsPorts,
  caller: Caller,
  { voice }: SoundsRequest,
): Promise<SoundReference | undefined> =>
  voice?.audioUrl ? await lookUpUrl(ports, caller, voice.audioUrl, voicePath) : undefined;

/** Throws asset_missing, asset_wrong_type, url_not_allowed and insufficient_scope; downloads nothing. */
export async function lookUpUrl(
  ports: LookUpSoundsPorts,
  caller: Caller,
  url: string,
  path: string,
): Promise<SoundReference> {
  const internal = await findInternalUrl(ports, caller, url);
  if (!internal) {
    ports.fetcher.checkUrl(url, { path });
    return { externalUrl: url };
  }
  if (!internal.file) throw new DomainError("asset_missing", { path, what: "The sound that audioUrl names" });
  return { source: requireSound(sourceOf(internal.file), path) };
}

type DownloadOptions = Required<TaskOptions> & { readonly path: string };

async function download(
  { fetcher, inspector, files }: DownloadSoundPorts,
  url: string,
  { path, ...options }: DownloadOptions,
): Promise<Source> {
  const received = await fetcher.download(url, { path, maxBytes: maxFetchedBytes, ...options });
  try {
    const facts = await inspectFile(inspector, received.path, "sound by URL", options);
    const key = `fetched/${received.sha256}-${crypto.randomUUID()}.${facts.extension}`;
    const source = requireSound({ file: key, hash: received.sha256, facts }, path);
    await files.store(received, key);
    return source;
  } catch (error) {
    await files.discard(received);
    throw error;
  }
}

function requireSound(source: Source, path: string): Source {
  if (source.facts.kind === "audio" || source.facts.hasSound) return source;
  throw new DomainError("asset_wrong_type", {
    path,
    what: "The file that audioUrl names",
    expected: "a file with sound",
  });
}

/** The music of a timeline, with fades in frames at its rate. */
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

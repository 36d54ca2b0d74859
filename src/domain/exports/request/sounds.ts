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
import type { SoundItem } from "./sound-list.ts";
import { hasSound } from "./sources.ts";

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
export type SoundsRequest = Pick<ExportRequest, "audio" | "voice"> & {
  readonly sounds?: readonly (Pick<SoundItem, "audioUrl"> | undefined)[] | undefined;
};

/** The file of a sound, as far as it is known without a request to another server. */
export type SoundReference = { readonly source: Source | undefined } | { readonly externalUrl: string };

/** The sounds that a request names by URL, and the work's music. Undefined: not named. */
type Sounds<Reference> = {
  /** Its source is undefined if `audio` names no URL and the work has no uploaded audio. */
  readonly music: Reference | undefined;
  readonly voice: Reference | undefined;
  /** Those of `sounds`, by their indexes; absent ones are assets. */
  readonly added: readonly (Reference | undefined)[];
};

export type SoundReferences = Sounds<SoundReference>;

type FoundSound = { readonly source: Source | undefined };

export type FoundSounds = Sounds<FoundSound> & {
  /** True if some files were downloaded for this export only. */
  readonly areDownloaded: boolean;
  /** Removes files that were downloaded for this export only. */
  dispose(): Promise<void>;
};

/** The known sources of sounds. */
export const knownSources = ({ music, voice, added }: SoundReferences) => ({
  music: knownSource(music),
  voice: knownSource(voice),
  added: added.map(knownSource),
});

/** Finds the files of a request's sounds, and downloads those of other servers, each URL once. */
export async function findSounds(
  ports: FindSoundsPorts,
  caller: Caller,
  work: Work,
  request: SoundsRequest,
  signal: AbortSignal,
): Promise<FoundSounds> {
  const downloaded = new Map<string, Source>();
  const dispose = () => ports.files.remove([...downloaded.values()].map(({ file }) => file));
  let bytesLeft = maxFetchedBytes;
  const find = async (reference: SoundReference | undefined, path: string): Promise<FoundSound | undefined> => {
    if (!reference || !("externalUrl" in reference)) return reference;
    const url = reference.externalUrl;
    const known = downloaded.get(url);
    if (known) return { source: known };
    // all sounds of the list share what one file may have
    const maxBytes = path.startsWith("sounds.") ? bytesLeft : maxFetchedBytes;
    const source = await download(ports, url, { path, maxBytes, owner: caller.user.id, signal });
    if (path.startsWith("sounds.")) bytesLeft -= source.sizeBytes;
    downloaded.set(url, source);
    return { source };
  };
  try {
    const named = await lookUpSounds(ports, caller, work, request);
    const music = await find(named.music, musicPath);
    const voice = await find(named.voice, voicePath);
    const added: (FoundSound | undefined)[] = [];
    for (const [index, reference] of named.added.entries()) added.push(await find(reference, addedPath(index)));
    return { music, voice, added, areDownloaded: downloaded.size > 0, dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** True if a trained model has made a sound that a request names by URL, or the work's music. */
export const hasGeneratedSounds = ({ music, voice, added }: SoundReferences): boolean =>
  [music, voice, ...added].some((sound) => {
    const source = knownSource(sound);
    return source && hasTrainedParts(source.facts);
  });

/** Undefined also for a sound from another server. */
const knownSource = (sound: SoundReference | undefined) => (sound && "source" in sound ? sound.source : undefined);

const musicPath = "audio.audioUrl";
const voicePath = "voice.audioUrl";

const addedPath = (index: number) => `sounds.${index}.audioUrl`;

/** Runs one look-up; it may catch an error. */
type Attempt = <Result>(lookUp: () => Promise<Result>) => Promise<Result | undefined>;

/** Finds the files of a request's sounds without a request to another server. Throws as `lookUpUrl` does. */
export async function lookUpSounds(
  ports: LookUpSoundsPorts,
  caller: Caller,
  work: Work,
  { audio, voice, sounds = [] }: SoundsRequest,
  attempt: Attempt = (lookUp) => lookUp(),
): Promise<SoundReferences> {
  const byUrl = async (url: string | undefined, path: string) =>
    url ? await attempt(() => lookUpUrl(ports, caller, url, path)) : undefined;
  const added: (SoundReference | undefined)[] = [];
  for (const [index, sound] of sounds.entries()) added.push(await byUrl(sound?.audioUrl, addedPath(index)));
  return {
    music: audio && (await attempt(() => lookUpMusic(ports, caller, work, audio))),
    voice: await byUrl(voice?.audioUrl, voicePath),
    added,
  };
}

async function lookUpMusic(
  ports: LookUpSoundsPorts,
  caller: Caller,
  work: Work,
  { audioUrl }: AudioRequest,
): Promise<SoundReference> {
  // a `blob:` URL exists only in an editor's browser
  if (audioUrl && !audioUrl.startsWith("blob:")) return await lookUpUrl(ports, caller, audioUrl, musicPath);
  const uploaded = await ports.workMedia.find(work.id, "audio");
  return { source: uploaded && sourceOf(uploaded.file) };
}

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

type DownloadOptions = Required<TaskOptions> & { readonly path: string; readonly maxBytes: number };

async function download(
  { fetcher, inspector, files }: DownloadSoundPorts,
  url: string,
  { path, maxBytes, ...options }: DownloadOptions,
): Promise<Source & { readonly sizeBytes: number }> {
  const received = await fetcher.download(url, { path, maxBytes, ...options });
  try {
    const facts = await inspectFile(inspector, received.path, "sound by URL", options);
    const key = `fetched/${received.sha256}-${crypto.randomUUID()}.${facts.extension}`;
    const source = requireSound({ file: key, hash: received.sha256, facts }, path);
    await files.store(received, key);
    return { ...source, sizeBytes: received.sizeBytes };
  } catch (error) {
    await files.discard(received);
    throw error;
  }
}

function requireSound(source: Source, path: string): Source {
  if (hasSound(source)) return source;
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

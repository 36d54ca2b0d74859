import { DomainError } from "../../errors.ts";
import type { Music } from "../../timeline/sound.ts";
import type { Source } from "../../timeline/source.ts";
import { type FrameRate, toFrame } from "../../timeline/time.ts";
import type { Caller } from "../auth/caller.ts";
import { findInternalFile } from "../files/internal-files.ts";
import { internalFileOf } from "../files/internal-urls.ts";
import type { Services } from "../services.ts";
import type { Work } from "../works/works.ts";
import type { AudioRequest } from "./schema.ts";
import { sourceOf } from "./sources.ts";

/** Music may be as large as any upload; this bounds what a stranger's server can make us store. */
const maxFetchedBytes = 200 * 1024 * 1024;
const path = "audio.audioUrl";

export type FoundMusic = {
  /** Undefined when the work has no sound of its own to play. */
  readonly source?: Source;
  /** Removes what was fetched for this export alone. */
  dispose(): Promise<void>;
};

const kept = async () => {};

type MusicServices = Pick<
  Services,
  | ("projects" | "works" | "assets" | "workMedia" | "generatedMedia" | "signedLinks")
  | ("files" | "fetcher" | "inspector" | "settings")
>;

/** Finds the file that `audio` names: an internal URL, an external one, or the work's uploaded audio. */
export async function findMusic(
  services: MusicServices,
  caller: Caller,
  work: Work,
  audio: AudioRequest,
  signal: AbortSignal,
): Promise<FoundMusic> {
  const named = await namedMusic(services, caller, work, audio);
  return "externalUrl" in named ? await fetchMusic(services, named.externalUrl, signal) : { ...named, dispose: kept };
}

type NamedMusic = { readonly source: Source | undefined } | { readonly externalUrl: string };

/** What `audio` names, as far as it can be known without asking another server. */
export async function namedMusic(
  services: Pick<MusicServices, Exclude<keyof MusicServices, "files" | "inspector">>,
  caller: Caller,
  work: Work,
  { audioUrl }: AudioRequest,
): Promise<NamedMusic> {
  if (!audioUrl || audioUrl.startsWith("blob:")) {
    const uploaded = await services.workMedia.find(work.id, "audio");
    return { source: uploaded && sourceOf(uploaded.file) };
  }
  const internal = internalFileOf(audioUrl, services.settings.publicUrl);
  if (!internal) {
    services.fetcher.check(audioUrl, { path });
    return { externalUrl: audioUrl };
  }
  const file = await findInternalFile(services, caller, internal);
  if (!file) throw new DomainError("asset_missing", { path, what: "The sound that audioUrl names" });
  return { source: requireSound(sourceOf(file)) };
}

async function fetchMusic(
  { fetcher, inspector, files }: MusicServices,
  url: string,
  signal: AbortSignal,
): Promise<FoundMusic> {
  const received = await fetcher.download(url, { path, maxBytes: maxFetchedBytes, signal });
  try {
    const facts = await inspector.inspect(received.path);
    const file = `fetched/${received.sha256}-${crypto.randomUUID()}.${facts.extension}`;
    const source = requireSound({ file, hash: received.sha256, facts });
    await files.keep(received, file);
    return { source, dispose: () => files.remove([file]) };
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

/** The request's wishes for the music, on the film's frames. */
export function musicOf(
  source: Source,
  { volume = 1, loop = false, fadeIn = 0, fadeOut = 0, duck = false }: AudioRequest,
  rate: FrameRate,
): Music {
  const fades = { fadeInFrames: toFrame(fadeIn, rate), fadeOutFrames: toFrame(fadeOut, rate) };
  return { source, volume, loop, ...fades, isDucked: duck };
}

import { DomainError } from "../../errors.ts";
import type { Container, MediaFacts } from "../../timeline/source.ts";

/** What the first bytes promise. Sound and video tell which of the two they are only when opened. */
export type FileFamily = {
  readonly kind: "image" | "audio_video" | "font";
  readonly container: Container;
  readonly extension: string;
  readonly mimeType: string;
};

const image = (container: Container, extension: string, mimeType: string): FileFamily => ({
  kind: "image",
  container,
  extension,
  mimeType,
});

const font = (extension: string): FileFamily => ({
  kind: "font",
  container: "font",
  extension,
  mimeType: `font/${extension}`,
});

const film = (container: Container, extension: string, mimeType: string): FileFamily => ({
  kind: "audio_video",
  container,
  extension,
  mimeType,
});

/** By the name that file-type gives them: everything that is taken, and nothing else. */
const families: ReadonlyMap<string, FileFamily> = new Map([
  ["png", image("png", "png", "image/png")],
  ["apng", image("png", "png", "image/png")],
  ["jpg", image("jpeg", "jpg", "image/jpeg")],
  ["webp", image("webp", "webp", "image/webp")],
  ["gif", image("gif", "gif", "image/gif")],
  ["avif", image("avif", "avif", "image/avif")],
  ["ttf", font("ttf")],
  ["otf", font("otf")],
  ["woff", font("woff")],
  ["woff2", font("woff2")],
  ["mp4", film("mp4", "mp4", "video/mp4")],
  ["m4v", film("mp4", "m4v", "video/mp4")],
  ["mov", film("mp4", "mov", "video/quicktime")],
  ["3gp", film("mp4", "3gp", "video/3gpp")],
  ["3g2", film("mp4", "3g2", "video/3gpp2")],
  ["m4a", film("mp4", "m4a", "audio/mp4")],
  ["m4b", film("mp4", "m4b", "audio/mp4")],
  ["webm", film("matroska", "webm", "video/webm")],
  ["mkv", film("matroska", "mkv", "video/matroska")],
  ["mp3", film("mp3", "mp3", "audio/mpeg")],
  ["mp2", film("mp3", "mp2", "audio/mpeg")],
  ["wav", film("wav", "wav", "audio/wav")],
  ["flac", film("flac", "flac", "audio/flac")],
  ["ogg", film("ogg", "ogg", "audio/ogg")],
  ["oga", film("ogg", "ogg", "audio/ogg")],
  ["opus", film("ogg", "opus", "audio/ogg")],
  ["aac", film("adts", "aac", "audio/aac")],
]);

export const familyOf = (name: string): FileFamily | undefined => families.get(name);

/** The name under which mediabunny knows a format that file-type did not recognize. */
export const soundFamilies: ReadonlyMap<string, FileFamily> = new Map(
  [
    ["MP3", "mp3"],
    ["ADTS", "aac"],
    ["WAVE", "wav"],
  ].flatMap(([theirs, ours]) => {
    const family = families.get(ours!);
    return family ? [[theirs!, family] as const] : [];
  }),
);

export const taken =
  "PNG, JPEG, WebP, GIF, AVIF, MP4, MOV, WebM, MKV, MP3, WAV, FLAC, OGG, AAC, M4A, TTF, OTF, WOFF or WOFF2";

export const refuse = (reason: string, cause?: unknown): DomainError<"unsupported_media_type"> =>
  new DomainError("unsupported_media_type", { reason }, { cause });

/** The facts that every file of a family shares. */
export const commonFacts = ({ container, extension, mimeType }: FileFamily) =>
  ({ container, extension, mimeType }) satisfies Partial<MediaFacts>;

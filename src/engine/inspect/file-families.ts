import { DomainError } from "../../errors.ts";
import type { Container, MediaFacts } from "../timeline/source.ts";

/** The type that the first bytes of a file indicate. Only parsing distinguishes sound files from videos. */
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

const audioVideo = (container: Container, extension: string, mimeType: string): FileFamily => ({
  kind: "audio_video",
  container,
  extension,
  mimeType,
});

/** Every accepted type, by file-type's extension for it. */
const families: ReadonlyMap<string, FileFamily> = new Map([
  ["png", image("png", "png", "image/png")],
  ["apng", image("png", "png", "image/png")],
  ["jpg", image("jpeg", "jpg", "image/jpeg")],
  ["webp", image("webp", "webp", "image/webp")],
  ["gif", image("gif", "gif", "image/gif")],
  ["avif", image("avif", "avif", "image/avif")],
  ["lottie", image("lottie", "lottie", "application/zip+dotlottie")],
  ["lottie.json", image("lottie", "json", "application/json")],
  ["ttf", font("ttf")],
  ["otf", font("otf")],
  ["woff", font("woff")],
  ["woff2", font("woff2")],
  ["mp4", audioVideo("mp4", "mp4", "video/mp4")],
  ["m4v", audioVideo("mp4", "m4v", "video/mp4")],
  ["mov", audioVideo("mp4", "mov", "video/quicktime")],
  ["3gp", audioVideo("mp4", "3gp", "video/3gpp")],
  ["3g2", audioVideo("mp4", "3g2", "video/3gpp2")],
  ["m4a", audioVideo("mp4", "m4a", "audio/mp4")],
  ["m4b", audioVideo("mp4", "m4b", "audio/mp4")],
  ["webm", audioVideo("matroska", "webm", "video/webm")],
  ["mkv", audioVideo("matroska", "mkv", "video/matroska")],
  ["mp3", audioVideo("mp3", "mp3", "audio/mpeg")],
  ["mp2", audioVideo("mp3", "mp2", "audio/mpeg")],
  ["wav", audioVideo("wav", "wav", "audio/wav")],
  ["flac", audioVideo("flac", "flac", "audio/flac")],
  ["ogg", audioVideo("ogg", "ogg", "audio/ogg")],
  ["oga", audioVideo("ogg", "ogg", "audio/ogg")],
  ["opus", audioVideo("ogg", "opus", "audio/ogg")],
  ["aac", audioVideo("adts", "aac", "audio/aac")],
]);

export const familyOf = (name: string): FileFamily | undefined => families.get(name);

/** Families by mediabunny's name, for files that file-type does not recognize. */
export const soundFamilies: ReadonlyMap<string, FileFamily> = new Map(
  [
    ["MP3", "mp3"],
    ["ADTS", "aac"],
    ["WAVE", "wav"],
  ].flatMap(([formatName, extension]) => {
    const family = families.get(extension!);
    return family ? [[formatName!, family] as const] : [];
  }),
);

/** The error of a rejected file; `reason` is a sentence. The domain adds which types are accepted for the purpose. */
export const unsupportedMedia = (reason: string, cause?: unknown): DomainError<"unsupported_media_type"> =>
  new DomainError("unsupported_media_type", { reason }, { cause });

export const damagedImage = (cause?: unknown): DomainError<"unsupported_media_type"> =>
  unsupportedMedia("The image is damaged or incomplete: save it again and upload that.", cause);

export const commonFacts = ({ container, extension, mimeType }: FileFamily) =>
  ({ container, extension, mimeType }) satisfies Partial<MediaFacts>;

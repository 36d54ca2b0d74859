import type { MediaFacts } from "../../engine/timeline/source.ts";
import { DomainError, isDomainError } from "../../errors.ts";
import type { TaskOptions } from "../../platform/limits/concurrency-limit.ts";

/** The accepted files: one kind, any kind, or any with sound by its URL. */
type AcceptedFile = MediaFacts["kind"] | "any" | "sound by URL";

const hints: Readonly<Record<AcceptedFile, string>> = {
  image: "Upload a PNG, JPEG, WebP, GIF or AVIF picture, or a Lottie animation (JSON or .lottie).",
  video: "Upload a video, such as MP4, MOV, WebM or MKV.",
  audio: "Upload a sound file, such as MP3, WAV, M4A, AAC, FLAC or OGG.",
  font: "Upload a TTF, OTF, WOFF or WOFF2 font.",
  any: "Upload an image, video, audio or font file: PNG, JPEG, WebP, GIF, AVIF, Lottie, MP4, MOV, WebM, MKV, MP3, WAV, M4A, AAC, FLAC, OGG, TTF, OTF, WOFF or WOFF2.",
  "sound by URL": "Name a sound file, such as MP3, WAV, M4A, AAC, FLAC or OGG, or a video with sound.",
};

const descriptions: Readonly<Record<MediaFacts["kind"], string>> = {
  image: "is a picture",
  video: "is a video",
  audio: "holds only sound",
  font: "is a font",
};

/** Inspects a file for a slot that accepts certain kinds. Throws unsupported_media_type, which names the kind. */
export async function inspectFile(
  inspector: { inspect(path: string, options: TaskOptions): Promise<MediaFacts> },
  path: string,
  accepted: AcceptedFile,
  options: TaskOptions,
): Promise<MediaFacts> {
  const facts = await inspector.inspect(path, options).catch((error) => {
    const isRejected = isDomainError(error) && error.code === "unsupported_media_type";
    throw isRejected ? rejection(error.message, accepted, error) : error;
  });
  if (facts.kind === accepted || accepted === "any" || accepted === "sound by URL") return facts;
  throw rejection(`This file ${descriptions[facts.kind]}.`, accepted);
}

const rejection = (reason: string, accepted: AcceptedFile, cause?: unknown) =>
  new DomainError("unsupported_media_type", { reason: `${reason} ${hints[accepted]}` }, { cause });

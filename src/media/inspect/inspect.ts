import { fileTypeFromFile } from "file-type";
import { maxVideoPixels } from "../../compiler/decode/open.ts";
import type { Inspector } from "../../domain/files/file-store.ts";
import { concurrencyLimit } from "../../platform/concurrency-limit.ts";
import type { MediaFacts } from "../../timeline/source.ts";
import { isUsableFont } from "../text/fonts/fonts.ts";
import { commonFacts, type FileFamily, familyOf, soundFamilies, unsupportedMedia } from "./file-families.ts";
import { inspectImage } from "./image.ts";
import { requireDecodable, type SampleTools } from "./sample.ts";
import { readTracksSandboxed } from "./sandboxed-tracks.ts";
import { createThumbnail } from "./thumbnail.ts";
import { soundFormatOf, type TrackFacts } from "./tracks.ts";

/** Uploads come in bursts; more parallel inspections of one user would only slow down each other and the exports. */
const slots = { concurrency: 6, perOwner: 2, maxQueuedPerOwner: 500, retryAfterSeconds: 10 };

export function ffmpegInspector(tools: SampleTools): Inspector {
  const limit = concurrencyLimit(slots);
  return {
    inspect: (path, options) => limit(() => inspect(tools, path), options),
    thumbnail: (path, facts, options) => limit(() => createThumbnail(tools, path, facts), options),
  };
}

async function inspect(tools: SampleTools, path: string): Promise<MediaFacts> {
  if (Bun.file(path).size === 0) throw unsupportedMedia("The file is empty.");
  const family = await familyOfFile(path);
  if (family.kind === "image") return await inspectImage(path, family);
  if (family.kind === "font") return await inspectFont(path, family);
  return await inspectAudioVideo(tools, path, family);
}

/** Rejects files whose type neither file-type nor mediabunny recognizes, before ffmpeg opens them. */
async function familyOfFile(path: string): Promise<FileFamily> {
  const found = await fileTypeFromFile(path).catch(() => undefined);
  const family = found ? familyOf(found.ext) : soundFamilies.get((await soundFormatOf(path)) ?? "");
  if (family) return family;
  const kind = found ? `${found.ext.toUpperCase()} files are not taken` : "The file's type is not known";
  throw unsupportedMedia(`${kind}.`);
}

async function inspectFont(path: string, family: FileFamily): Promise<MediaFacts> {
  if (!(await isUsableFont(path))) throw unsupportedMedia("The font is damaged or has no glyphs that can be drawn.");
  return { kind: "font", ...commonFacts(family) };
}

async function inspectAudioVideo(tools: SampleTools, path: string, family: FileFamily): Promise<MediaFacts> {
  const facts = factsOf(await readTracksSandboxed(path, family.container), family);
  requirePixelLimit(facts);
  await requireDecodable(tools, path, facts);
  return facts;
}

function factsOf({ durationSeconds, hasSound, size, picture }: TrackFacts, family: FileFamily): MediaFacts {
  // podcasts contain chapter images as a video track
  const isSoundFile = family.mimeType.startsWith("audio/") && hasSound;
  if (picture && !isSoundFile) {
    return { kind: "video", ...commonFacts(family), ...size, durationSeconds, hasSound, picture };
  }
  const mimeType = family.mimeType.replace(/^video/, "audio");
  return { kind: "audio", ...commonFacts(family), mimeType, durationSeconds, hasSound };
}

function requirePixelLimit({ width = 0, height = 0 }: MediaFacts): void {
  if (width * height <= maxVideoPixels) return;
  throw unsupportedMedia(
    `The video has ${width} × ${height} pixels: make it smaller than ${maxVideoPixels / 1e6} megapixels.`,
  );
}

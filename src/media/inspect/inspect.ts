import { fileTypeFromFile } from "file-type";
import type { Inspector } from "../../domain/files/file-store.ts";
import { patientGate } from "../../platform/concurrency-limit.ts";
import type { MediaFacts } from "../../timeline/source.ts";
import type { Ffmpeg } from "../ffmpeg/ffmpeg.ts";
import { usableFont } from "../text/fonts/fonts.ts";
import { inspectImage } from "./image.ts";
import { maxVideoPixels, requireDecodable } from "./sample.ts";
import { readTracksSandboxed } from "./sandboxed-tracks.ts";
import { thumbnailFor } from "./thumbnail.ts";
import { soundFormatOf, type TrackFacts } from "./tracks.ts";
import { commonFacts, type FileFamily, familyOf, refuse, soundFamilies, taken } from "./types.ts";

/** Uploads come in bursts; more than these at a time would only slow each other and the exports. */
const maxAtOnce = 2;

export function ffmpegInspector(ffmpeg: Ffmpeg): Inspector {
  const oneOfFew = patientGate(maxAtOnce);
  return {
    inspect: (path) => oneOfFew(() => inspect(ffmpeg, path)),
    thumbnail: (path, facts) => oneOfFew(() => thumbnailFor(ffmpeg, path, facts)),
  };
}

async function inspect(ffmpeg: Ffmpeg, path: string): Promise<MediaFacts> {
  if (Bun.file(path).size === 0) throw refuse("The file is empty.");
  const family = await familyOfFile(path);
  if (family.kind === "image") return await inspectImage(path, family);
  if (family.kind === "font") return await inspectFont(path, family);
  return await inspectFilm(ffmpeg, path, family);
}

/** A parser stands between an upload and ffmpeg, and what neither knows is not taken. */
async function familyOfFile(path: string): Promise<FileFamily> {
  const found = await fileTypeFromFile(path).catch(() => undefined);
  const family = found ? familyOf(found.ext) : soundFamilies.get((await soundFormatOf(path)) ?? "");
  if (family) return family;
  const kind = found ? `${found.ext.toUpperCase()} files are not taken` : "The file's type is not known";
  throw refuse(`${kind}: upload ${taken}.`);
}

async function inspectFont(path: string, family: FileFamily): Promise<MediaFacts> {
  if (!(await usableFont(path))) throw refuse("The font is damaged or has no glyphs that can be drawn.");
  return { kind: "font", ...commonFacts(family) };
}

async function inspectFilm(ffmpeg: Ffmpeg, path: string, family: FileFamily): Promise<MediaFacts> {
  const facts = factsOf(await readTracksSandboxed(path, family.container), family);
  requireModestSize(facts);
  await requireDecodable(ffmpeg, path, facts);
  return facts;
}

function factsOf({ durationSeconds, hasSound, size, picture }: TrackFacts, family: FileFamily): MediaFacts {
  // podcasts carry their chapter pictures as a video track
  const isSoundFile = family.mimeType.startsWith("audio/") && hasSound;
  if (picture && !isSoundFile) {
    return { kind: "video", ...commonFacts(family), ...size, durationSeconds, hasSound, picture };
  }
  const mimeType = family.mimeType.replace(/^video/, "audio");
  return { kind: "audio", ...commonFacts(family), mimeType, durationSeconds, hasSound };
}

function requireModestSize({ width = 0, height = 0 }: MediaFacts): void {
  if (width * height <= maxVideoPixels) return;
  throw refuse(`The video has ${width} × ${height} pixels: make it smaller than ${maxVideoPixels / 1e6} megapixels.`);
}

import { resolve } from "node:path";
import { fileTypeFromFile } from "file-type";
import type { TaskOptions } from "../../platform/limits/concurrency-limit.ts";
import { type CpuBudget, cpuBudget } from "../../platform/limits/cpu-budget.ts";
import { maxVideoPixels } from "../compiler/sources.ts";
import { mayBeLottie } from "../lottie/sniff.ts";
import type { Inspector } from "../ports.ts";
import type { TaskResult } from "../sandbox/contract.ts";
import { mapTaskFailure, SandboxTaskError } from "../sandbox/failures.ts";
import { sharedTaskPool, type TaskPool } from "../sandbox/task-pool.ts";
import type { MediaFacts } from "../timeline/source.ts";
import {
  commonFacts,
  damagedImage,
  type FileFamily,
  familyOf,
  soundFamilies,
  unsupportedMedia,
} from "./file-families.ts";
import { requireDecodable, type SampleTools } from "./sample.ts";
import { createThumbnail } from "./thumbnail.ts";

/** The tools of inspections: ffmpeg for sound and video, and sandboxed processes for images and fonts. */
type Tools = SampleTools & { readonly canvas: TaskPool };

type InspectorOptions = SampleTools & {
  readonly canvas?: TaskPool;
  /** Default: a budget of this inspector's own. */
  readonly cpu?: Pick<CpuBudget, "uploads">;
};

export function ffmpegInspector({ cpu = cpuBudget(), ...options }: InspectorOptions): Inspector {
  const tools: Tools = { canvas: sharedTaskPool(), ...options };
  return {
    inspect: (path, options) => cpu.uploads(() => inspect(tools, path, options), options),
    thumbnail: (path, facts, options) => cpu.uploads(() => createThumbnail(tools, { path, facts }, options), options),
  };
}

async function inspect(tools: Tools, path: string, options: TaskOptions): Promise<MediaFacts> {
  if (Bun.file(path).size === 0) throw unsupportedMedia("The file is empty.");
  const family = await familyOfFile(tools, path, options);
  if (family.kind === "image") return await inspectImage(tools, path, { ...options, family });
  if (family.kind === "font") return await inspectFont(tools, path, { ...options, family });
  return await inspectAudioVideo(tools, path, { ...options, family });
}

/** Rejects files whose type neither file-type nor mediabunny recognizes, before ffmpeg opens them. */
async function familyOfFile(tools: Tools, path: string, options: TaskOptions): Promise<FileFamily> {
  const found = await fileTypeFromFile(path).catch(() => undefined);
  const lottie = found && found.ext !== "zip" ? undefined : await lottieFamily(path);
  if (lottie) return lottie;
  const family = found ? familyOf(found.ext) : soundFamilies.get((await soundFormatOf(tools, path, options)) ?? "");
  if (family) return family;
  throw unsupportedMedia(await refusalOf(path, found?.ext));
}

/** The largest archive with pictures in it; the animation itself is bounded when it is read. */
const maxLottieBytes = 20 * 2 ** 20;

/** By what the file says it is: reading it decides. */
async function lottieFamily(path: string): Promise<FileFamily | undefined> {
  const file = Bun.file(path);
  if (file.size > maxLottieBytes || !mayBeLottie(await file.slice(0, 64).bytes())) return undefined;
  const text = Buffer.from(await file.bytes()).toString("latin1");
  const isArchive = text.startsWith("PK");
  const isLottie = isArchive
    ? text.includes("manifest.json") && /(?:animations|a)\/[^/]{1,200}\.json/.test(text)
    : /"layers"\s*:/.test(text) && /"op"\s*:/.test(text);
  return isLottie ? familyOf(isArchive ? "lottie" : "lottie.json") : undefined;
}

/** Null also for an unreadable file. */
const soundFormatOf = ({ canvas }: Tools, path: string, options: TaskOptions): Promise<string | null> =>
  canvas.run("readSoundFormat", { path: resolve(path) }, options).catch((error) => {
    if (error instanceof SandboxTaskError) return null;
    throw error;
  });

/** Unsupported formats that users often send, and the advice for each. */
const otherWays: Readonly<Record<string, string>> = {
  heic: 'On an iPhone, choose "Most Compatible" in Settings, Camera, Formats, or save the photo as JPEG.',
  svg: "Save the drawing as PNG.",
};

async function refusalOf(path: string, extension: string | undefined): Promise<string> {
  // a drawing may begin with comments and declarations, beyond which file-type does not read
  const isDrawing = /<svg[\s>]/i.test(await Bun.file(path).slice(0, 4096).text());
  const format = isDrawing && (extension === undefined || extension === "xml") ? "svg" : extension;
  if (!format) return "The file's type is not known.";
  return [`${format.toUpperCase()} files are not accepted.`, otherWays[format]].filter(Boolean).join(" ");
}

type FamilyOptions = TaskOptions & { readonly family: FileFamily };

async function inspectImage(
  { canvas }: Tools,
  path: string,
  { family, ...options }: FamilyOptions,
): Promise<MediaFacts> {
  const inspecting = canvas.run("inspectImage", { path: resolve(path), container: family.container }, options);
  return { kind: "image", ...commonFacts(family), ...(await inspecting.catch(mapTaskFailure(damagedImage))) };
}

const unusableFont = (cause?: unknown) =>
  unsupportedMedia("The font is damaged or has no glyphs that can be drawn.", cause);

async function inspectFont(
  { canvas }: Tools,
  path: string,
  { family, ...options }: FamilyOptions,
): Promise<MediaFacts> {
  const probing = canvas.run("probeFont", { path: resolve(path) }, options);
  if (!(await probing.catch(mapTaskFailure(unusableFont)))) throw unusableFont();
  return { kind: "font", ...commonFacts(family) };
}

const damagedMedia = (cause?: unknown) =>
  unsupportedMedia("The file is damaged, or of a kind that cannot be read: save it as MP4 or MP3.", cause);

async function inspectAudioVideo(
  tools: Tools,
  path: string,
  { family, ...options }: FamilyOptions,
): Promise<MediaFacts> {
  const reading = tools.canvas.run("inspectTracks", { path: resolve(path), container: family.container }, options);
  const facts = factsOf(await reading.catch(mapTaskFailure(damagedMedia)), family);
  requirePixelLimit(facts);
  const { isInterlaced } = await requireDecodable(tools, path, facts);
  const { picture } = facts;
  return picture && isInterlaced ? { ...facts, picture: { ...picture, isInterlaced } } : facts;
}

function factsOf(tracks: TaskResult<"inspectTracks">, family: FileFamily): MediaFacts {
  const { durationSeconds, hasSound, size, picture, sound, manifest, declaredSources } = tracks;
  const signed = {
    ...(sound && { sound }),
    ...(manifest && { manifest }),
    ...(declaredSources && { declaredSources }),
  };
  // podcasts contain chapter images as a video track
  const isSoundFile = family.mimeType.startsWith("audio/") && hasSound;
  if (picture && !isSoundFile) {
    return { kind: "video", ...commonFacts(family), ...size, durationSeconds, hasSound, picture, ...signed };
  }
  const mimeType = family.mimeType.replace(/^video/, "audio");
  return { kind: "audio", ...commonFacts(family), mimeType, durationSeconds, hasSound, ...signed };
}

function requirePixelLimit({ width = 0, height = 0 }: MediaFacts): void {
  if (width * height <= maxVideoPixels) return;
  throw unsupportedMedia(
    `The video has ${width} × ${height} pixels: make it smaller than ${maxVideoPixels / 1e6} megapixels.`,
  );
}

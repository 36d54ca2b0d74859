import type { Readable } from "node:stream";
import type { TaskOptions } from "../platform/limits/concurrency-limit.ts";
import { noTracing, type Tracing } from "../platform/tracing.ts";
import type { CardText } from "./html/card.ts";
import type { NamedMove } from "./motion/move-table.ts";
import type { FocusTrack, SubjectBox } from "./timeline/focus.ts";
import type { Output } from "./timeline/format.ts";
import type { Box, Overlay, TextContent } from "./timeline/overlay.ts";
import type { Samples } from "./timeline/samples.ts";
import type { FileManifest, MediaFacts, ModelId, Source } from "./timeline/source.ts";
import type { FrameRange, FrameRate } from "./timeline/time.ts";
import type { Canvas, Timeline } from "./timeline/timeline.ts";

export { type Arrangement, arrange, beatsInBar, beatsOf } from "./composer/arrangement.ts";
export { Bed, Effect, Instrument } from "./composer/description.ts";
export {
  bedFile,
  effectFile,
  fittedBed,
  isMade,
  type NamedBed,
  type NamedEffect,
  type SoundKind,
  type SoundLibrary,
  usedBy,
  versionOf,
} from "./composer/library.ts";
export { type Card, type CardText, cardRenderer, readCard } from "./html/card.ts";
export { namedFamilies } from "./html/families.ts";
export { resolveLengths } from "./html/lengths.ts";
export { CardRefused, cardLimits } from "./html/limits.ts";
export { restOf, textsAtRest } from "./motion/at-rest.ts";
export { clipSecondsAt, clipTime, playedUntil, sourceSecondsAt } from "./motion/clip-time.ts";
export { easingForms, easingNames, isEasing } from "./motion/easing.ts";
export { flashesOf } from "./motion/flashes.ts";
export {
  loopTable,
  type MoveEntry,
  type MoveParameter,
  type MoveRole,
  type MoveType,
  moveTable,
  type NamedMove,
} from "./motion/move-table.ts";
export { defaultSeconds, findMove, moveDefaults } from "./motion/moves.ts";
export { moveSeconds } from "./motion/state.ts";

// What the engine asks of its surroundings. Leases are declared in platform/leases.ts.

// Files

export type ReceivedFile = { readonly path: string; readonly sizeBytes: number; readonly sha256: string };

export type StoredFile = {
  readonly key: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  /** The uploader's name for the file: for display and download, never for a path. */
  readonly filename: string;
  readonly facts: MediaFacts;
};

/** A file on this machine's disk whose facts are known. */
export type InspectedFile = { readonly path: string; readonly sizeBytes: number; readonly facts: MediaFacts };

/** A file to store; a known hash saves reading it. */
export type FileToStore = Pick<ReceivedFile, "path"> & Partial<Pick<ReceivedFile, "sha256">>;

/** A file in the store and what is known of its bytes. A key is never used for other bytes. */
export type FileReference = Pick<StoredFile, "key"> & Partial<Pick<StoredFile, "sizeBytes" | "sha256">>;

/** Omits the size of a font: a truncated font is detected because it does not load. */
export const referenceTo = ({ file, hash, sizeBytes, facts }: Source): FileReference => ({
  ...{ key: file, sha256: hash },
  ...(sizeBytes !== undefined && facts.kind !== "font" && { sizeBytes }),
});

/** Reads of a missing file reject with the code ENOENT, and with `unavailable` while the store cannot be reached. */
export type FileStore = {
  /** Streams bytes to a private file. Throws payload_too_large beyond `maxBytes`; a failure leaves no file behind. */
  receive(bytes: Readable, maxBytes: number): Promise<ReceivedFile>;
  /** Moves a received file, or one of a job, into the store. Once this resolves, the file survives a crash. */
  store(file: FileToStore, key: string): Promise<void>;
  /** Stores such a file and also keeps it at its path, where it must not change afterwards. */
  storeCopy(file: FileToStore, key: string): Promise<void>;
  /** Copies a stored file to another key, without its bytes passing through this process. */
  copy(key: string, newKey: string): Promise<void>;
  /** Removes a received file that was not stored. Never throws. */
  discard(file: ReceivedFile): Promise<void>;
  /** Reads the bytes from `start` up to but not including `end`. */
  read(file: FileReference, start: number, end: number): Promise<ReadableStream<Uint8Array>>;
  /** A public URL of the file with these headers, valid for some hours. Absent if the store supports none. */
  readonly publicUrl?: (
    key: string,
    headers: { readonly contentType: string; readonly contentDisposition: string },
  ) => Promise<string>;
  /** Calls `use` with the path of the file on this machine, which can be opened until `use` settles. */
  withLocalFile<Result>(file: FileReference, use: (path: string) => Promise<Result>): Promise<Result>;
  /** Links the file to a new path in a job folder, where it survives removal from the store. It must not be changed. */
  linkTo(file: FileReference, path: string): Promise<void>;
  /** Removes files; missing files are ignored. */
  remove(keys: readonly string[]): Promise<void>;
  /** Removes all files of a project or a user, including those without a record. */
  removeFolder(folder: string): Promise<void>;
  /** Creates a private folder for one job, on the disk of the store. */
  jobFolder(): Promise<string>;
};

// Cache

/** `path` is the file of an entry. */
type CachedPart = { readonly key: string; readonly path: string };

/** Rendered parts (segments, sounds, frames). A key is `<project id>/<hash of all that determines the bytes>`. */
export type RenderCache = {
  /** The size of an entry; undefined if there is none. Does not verify its bytes. */
  sizeOf(key: string): Promise<number | undefined>;
  /** Returns those of the keys, all of one project, that may have entries: the others have none. */
  find(keys: readonly string[]): Promise<ReadonlySet<string>>;
  /** Hard-links an entry to `path`, which must not exist yet. False if there is none or it is damaged. */
  linkTo(key: string, path: string): Promise<boolean>;
  /** Adds finished files if there is room. They must not change afterwards. */
  put(parts: readonly CachedPart[]): Promise<void>;
  /** The ids of projects that may have entries. */
  listProjects(): Promise<readonly string[]>;
  removeProject(projectId: string): Promise<void>;
};

// Tasks of an export that several processes share

/** Adjacent segments of an export that one process renders together, for all of its videos. */
export type RenderTask = {
  /** The first and the last segment, counted from 0. */
  readonly first: number;
  readonly last: number;
  /** Identifies the bytes of its segments: equal in all processes that would render the same. */
  readonly content: string;
};

export type NumberedTask = RenderTask & { readonly number: number };

/** The tasks of one attempt of an export, as seen by one of the processes that render them. */
export type RenderTasks = {
  /** Replaces the tasks of earlier attempts, numbered from 0. False if the attempt has lost its export. */
  publish(tasks: readonly RenderTask[]): Promise<boolean>;
  /** Claims the first free task until this process dies or calls `release`; undefined if none is free. */
  claim(): Promise<NumberedTask | undefined>;
  /** Records that a task's segments are in the render cache. */
  finish(number: number): Promise<void>;
  /**
   * Yields the numbers of all tasks that others have finished: immediately, whenever others finish or release some, and
   * every few seconds, because one of them may have died. Ends when `signal` aborts.
   */
  finishedByOthers(signal: AbortSignal): AsyncIterable<readonly number[]>;
  /** Releases unfinished tasks. Call it, or `remove`, when this process stops taking part. */
  release(): Promise<void>;
  remove(): Promise<void>;
};

// Progress

/** `framesDone` includes frames of cached segments; `framesRendered` counts those of this attempt only. */
export type ExportProgress = { readonly framesDone: number; readonly framesRendered: number };

// Provenance

/** Signs the provenance of videos. The same bytes get the same signature. */
export type Signer = {
  /** Certificates in DER, the signer's own first, without the root. */
  readonly certificates: readonly Uint8Array[];
  /** True if this installation generated the certificate itself: no authority vouches for it. */
  readonly isLocal: boolean;
  /** The signer's name for users. */
  readonly subject: string;
  /** Returns an Ed25519 signature of 64 bytes. */
  sign(bytes: Uint8Array): Uint8Array;
};

/** The ways in which something was made: IPTC's digital source types. */
export const digitalSources = [
  "trainedAlgorithmicMedia",
  "algorithmicMedia",
  "compositeWithTrainedAlgorithmicMedia",
  "composite",
] as const;

export type DigitalSource = (typeof digitalSources)[number];

export const ingredientRoles = ["clip", "sceneImage", "image", "voice", "music", "effect", "font"] as const;

/** A file that a film was made from. */
export type Ingredient = {
  readonly role: (typeof ingredientRoles)[number];
  /** The scene's index, for clips, images of scenes and voices of scenes. */
  readonly scene?: number;
  readonly sha256: string;
  readonly mimeType: string;
  /** Absent for an uploaded file, unless its own manifest says that a trained model made at least a part of it. */
  readonly source?: Exclude<DigitalSource, "composite">;
  readonly model?: ModelId;
  /** A hash of everything the file was made from, such as the prompt, except the model. */
  readonly inputHash?: string;
  /** The manifest in the file itself. */
  readonly manifest?: IngredientManifest;
};

/** `isOwn`: this installation signed it. */
export type IngredientManifest = FileManifest & { readonly isOwn: boolean };

/** The ingredients of a film, from the service's records. */
export type Statement = { readonly source: DigitalSource; readonly ingredients: readonly Ingredient[] };

// Telemetry

/** The stages of an export, in their order; `encode` renders the sound and all segments. */
export const exportStages = ["wait", "resolve", "sources", "encode", "join", "check", "store"] as const;

export type ExportStage = (typeof exportStages)[number];

/** The source of an export's segment or sound: rendered, or from the cache of this disk or of all machines. */
type PartSource = "rendered" | "local" | "shared";

export type EndedProcess = {
  readonly outcome: "ok" | "failed" | "stopped";
  readonly userSeconds: number;
  readonly systemSeconds: number;
  /** The time from its start to its end. */
  readonly milliseconds: number;
};

/** Counts for operators. */
export type RenderMetrics = {
  stageEnded(stage: ExportStage, seconds: number): void;
  partsProvided(source: PartSource, count: number): void;
  ffmpegEnded(process: EndedProcess): void;
  /** Counts a task of the sandboxed processes, which read files of users and draw. */
  taskEnded(outcome: "done" | "refused" | "failed"): void;
};

const ignore = () => {};

export const noRenderMetrics: RenderMetrics = {
  stageEnded: ignore,
  partsProvided: ignore,
  ffmpegEnded: ignore,
  taskEnded: ignore,
};

export type RenderTelemetry = { readonly metrics: RenderMetrics; readonly tracing: Tracing };

export const noRenderTelemetry: RenderTelemetry = { metrics: noRenderMetrics, tracing: noTracing };

/** Runs a part of an export as a span and measures its duration, also if it fails. */
export async function inStage<Result>(
  { metrics, tracing }: RenderTelemetry,
  stage: ExportStage,
  run: () => Promise<Result>,
): Promise<Result> {
  const startedAt = performance.now();
  try {
    return await tracing.span({ name: `export ${stage}` }, run);
  } finally {
    metrics.stageEnded(stage, (performance.now() - startedAt) / 1000);
  }
}

// What the engine gives.

// Exports

export const qualities = ["draft", "standard", "high"] as const;

export type Quality = (typeof qualities)[number];

export type RenderOptions = {
  readonly quality: Quality;
  /** User id. */
  readonly owner: string;
  /** Parts are never shared between projects: the speed of an export would reveal what other users have rendered. */
  readonly projectId: string;
  /** True for a film of a batch: it has lower priority than exports that a user waits for. */
  readonly isBatch?: boolean;
};

/** The segments and sound that a render would use, over all videos. */
export type RenderPlan = {
  readonly segments: readonly {
    readonly frames: number;
    /** The sum over all its frames. */
    readonly pixels: number;
    /** Size of the cached segment; undefined if it must be rendered. */
    readonly cachedBytes?: number | undefined;
  }[];
  /** Size of the cached sound, which all videos share; undefined if it must be rendered. */
  readonly soundBytes?: number | undefined;
};

export type RenderedFile = { readonly path: string; readonly sizeBytes: number };

/** True for formats whose files carry a signed manifest. */
export const isSignable = (format: Output["format"]): boolean =>
  format === "mp4" || format === "png" || format === "jpg";

/** A finished video on disk, and its poster if one was wanted. */
export type RenderedVideo = RenderedFile & { readonly poster?: RenderedFile };

/** Videos in the order of their timelines; `dispose` removes them and all intermediate files. */
export type RenderedVideos = { readonly videos: readonly RenderedVideo[]; dispose(): Promise<void> };

/** The versions that determine the bytes of a request: equal ones on two machines make equal films. */
export type Engine = {
  readonly reelwright: string;
  /** Incremented when the same request gives other pixels or samples. */
  readonly renderer: number;
  readonly ffmpeg: { readonly version: string; readonly sha256: string };
  /** A hash of the drawing library, the bundled fonts and the system's fonts. */
  readonly texts: string;
};

export type Renderer = {
  /** The versions that determine the bytes of videos besides their requests and files. */
  engine(): Promise<Engine>;
  /** The plan of `render`, found without drawing or rendering anything. */
  plan(
    timelines: readonly Timeline[],
    options: RenderOptions & { readonly output?: Output | undefined },
  ): Promise<RenderPlan>;
  /**
   * Renders one file per timeline, by default an MP4. The timelines are one edit in several frame sizes: same cuts, same sound.
   * Progress counts the frames of all videos. Aborting stops every process and leaves no file.
   */
  render(
    timelines: readonly Timeline[],
    options: RenderOptions & {
      readonly signal: AbortSignal;
      readonly onProgress?: (progress: ExportProgress) => void;
      readonly output?: Output | undefined;
      /** The seconds that a JPEG beside each file shows. */
      readonly poster?: { readonly at: number } | undefined;
      /** Set if the videos carry a signed manifest of their ingredients. */
      readonly provenance?:
        | {
            readonly statement: Statement;
            readonly signer: Signer;
            /** Files whose own manifests the video's manifest carries. */
            readonly signedFiles: readonly Source[];
          }
        | undefined;
      /** Set if other processes can render for this one. Large exports offer their tasks to them. */
      readonly sharedTasks?: RenderTasks | undefined;
    },
  ): Promise<RenderedVideos>;
  /** Renders tasks until none is free. Throws if this process would render other bytes, or if a task fails. */
  renderTasks(
    timelines: readonly Timeline[],
    options: RenderOptions & {
      readonly signal: AbortSignal;
      readonly output?: Output | undefined;
      readonly sharedTasks: Pick<RenderTasks, "claim" | "finish">;
    },
  ): Promise<void>;
};

// Previews

/** Excludes `high`, which takes too long to wait for. */
export const previewQualities = ["standard", "draft"] as const satisfies readonly Quality[];

export type PreviewQuality = (typeof previewQualities)[number];

/** A part of the video. Its id identifies its bytes: the content, and its time. */
type PreviewSegment = { readonly id: string; readonly range: FrameRange; readonly isCached: boolean };

/** A video in parts that a player joins. Each part is rendered at its first request. */
export type PreviewPlan = {
  readonly id: string;
  readonly segments: readonly PreviewSegment[];
  /** Identifies the bytes of the sound. */
  readonly soundId: string;
  /** The codec's RFC 6381 name. */
  readonly videoCodec: string;
  /** The delay of the fragments' times, in frames. */
  readonly delayFrames: number;
};

type PreviewScope = { readonly projectId: string; readonly workId: string };

/** A part of a preview: the sound, a segment, or the initialization before that segment. */
export type PreviewPart = { readonly kind: "sound" } | { readonly kind: "fragment" | "init"; readonly segment: string };

type RenderPreviewOptions = Required<TaskOptions> & PreviewScope;

/** Renders the parts of an export's video, each once for all players and exports. Throws busy if its queue is full. */
export type Previewer = {
  /** `isSoundLost`: the files of the sound are removed afterwards, so the sound is rendered immediately. */
  plan(
    timeline: Timeline,
    options: RenderPreviewOptions & { readonly quality: PreviewQuality; readonly isSoundLost: boolean },
  ): Promise<PreviewPlan>;
  /** An MP4 file or a part of one; undefined if the preview is unknown or expired. */
  read(previewId: string, part: PreviewPart, options: RenderPreviewOptions): Promise<Uint8Array | undefined>;
};

// Single frames and template pictures

type FrameOptions = Required<TaskOptions> & {
  readonly quality: Quality;
  /** Cached frames are never shared between projects. */
  readonly projectId: string;
};

/** Renders single frames of a video. Throws busy if its queue is full. */
export type FrameRenderer = {
  frame(
    timeline: Timeline,
    options: FrameOptions & { readonly frame: number; readonly size: Canvas },
  ): Promise<Uint8Array>;
  /** Frames in rows, each labelled with its time, as one PNG. */
  contactSheet(
    timeline: Timeline,
    options: FrameOptions & { readonly frames: readonly number[]; readonly columns: number },
  ): Promise<Uint8Array>;
};

/** The picture of a template at one moment. An image without a file is drawn as an empty box. */
export type TemplatePicture = {
  readonly canvas: Canvas;
  readonly overlays: readonly Overlay[];
  /** The frames of a moving picture; without them the overlays are drawn at rest. */
  readonly motion?: FrameRange & { readonly rate: FrameRate };
};

/** Draws small pictures of templates over a neutral ground, and caches them. */
export type TemplateDrawer = {
  /** Draws a WebP, animated if it has motion. Undrawable overlays become empty boxes. `hash` identifies the picture in its scope. */
  draw(
    picture: TemplatePicture,
    options: TaskOptions & { readonly scope: string },
  ): Promise<{ readonly bytes: Uint8Array; readonly hash: string }>;
};

/** Draws small animations of entrances, exits and loops, each once for everyone. Throws for an unknown name. */
export type MoveDrawer = {
  /** Identifies the pixels of a move's animation. */
  versionOf(move: NamedMove): string;
  /** Draws an animated WebP. */
  draw(move: NamedMove): Promise<Uint8Array>;
};

// Inspection and conversion

/** Identifies files by their bytes, never by name or declared type. */
export type Inspector = {
  /** Throws unsupported_media_type, with the reason, for a file that the service does not accept. */
  inspect(path: string, options: TaskOptions): Promise<MediaFacts>;
  /** A small WebP image of an image or a video; undefined for other files. */
  thumbnail(path: string, facts: MediaFacts, options: TaskOptions): Promise<Uint8Array | undefined>;
};

/** Converts images for models that accept only some formats. */
export type ImageConverter = {
  /** The unchanged bytes if the file has one of these types and at most `maxBytes`, else those of a JPEG or PNG. */
  convertImage(
    path: string,
    facts: MediaFacts,
    mimeTypes: readonly string[],
    options: TaskOptions & { readonly maxBytes?: number },
  ): Promise<{ readonly bytes: Uint8Array; readonly mimeType: string }>;
};

// Focus and containment

/** Measures where the subject of a video or an image is. */
export type FocusFinder = {
  /** Equal for equal bytes and boxes; undefined if it cannot be measured. */
  find(source: Source, options: FindOptions): Promise<FocusTrack | undefined>;
  /** Returns `measuring` if it takes longer than a request can wait; measuring continues. */
  findSoon(source: Source, options: FindOptions): Promise<FocusTrack | "measuring" | undefined>;
};

type FindOptions = TaskOptions & {
  readonly projectId: string;
  /** At least one; the focus follows them at their times. */
  readonly boxes?: readonly SubjectBox[] | undefined;
};

/** The reason why a scene's image is shown whole, on a ground, and does not fill the frame. */
export const containments = ["crop", "transparency"] as const;

export type Containment = (typeof containments)[number];

// Text measurement

export type MeasuredText = {
  /** The axis-aligned box around the rotated glyphs and their stroke. Undefined if nothing is drawn. */
  readonly ink?: Box | undefined;
  /** Characters without a glyph in any available font, each once. */
  readonly missing: readonly string[];
};

export type TextToMeasure = { readonly content: TextContent; readonly rotationDegrees: number };

/** Lays out texts exactly as an export does, without drawing them. */
export type TextMeasurer = {
  /** Throws font_unusable. */
  measure(text: TextContent, rotationDegrees: number, options: TaskOptions): Promise<MeasuredText>;
  /** Measures texts together, so that `measure` knows them. Texts that fail are measured again there. */
  prepare(texts: readonly TextToMeasure[], options: TaskOptions): Promise<void>;
  /** The declarations that cards are drawn without: the renderer does not know the property, or the value. */
  unknownCss(declarations: readonly CssDeclaration[], options: TaskOptions): Promise<readonly CssDeclaration[]>;
  /** The boxes of a card's elements with `data-box`, by its value, in pixels. Their words are not measured. */
  boxesIn(card: CardText, size: Canvas, options: TaskOptions): Promise<Readonly<Record<string, Box>>>;
};

export type CssDeclaration = { readonly property: string; readonly value: string };

// Quality of rendered videos

/** A part of a video, in seconds. */
export type Stretch = { readonly start: number; readonly end: number };

/** The most flashes in any second; a flash is two opposing changes. */
export type Flashes = { readonly perSecond: number; readonly at?: number | undefined };

/** A text whose ground is measured: its box as shares of the frame, and the relative luminance of its letters. */
export type Region = Stretch & {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly luminance: number;
};

/** The measured ground of a region: the contrast to its mean, and the share of frames below 3 to 1. */
export type Ground = { readonly contrast: number; readonly lowShare: number };

/** Measurements of a video's frames. */
export type PictureQuality = {
  readonly flashes: Flashes;
  readonly redFlashes: Flashes;
  readonly black: readonly Stretch[];
  readonly frozen: readonly Stretch[];
  /** One per region, in their order; undefined where nothing could be measured. */
  readonly grounds: readonly (Ground | undefined)[];
};

/** Integrated loudness in LUFS as in ITU-R BS.1770, and the highest true peak in dBTP. */
type Loudness = { readonly integrated: number; readonly truePeak: number };

/** A rendered video, as measured from its file. */
export type MeasuredVideo = PictureQuality & {
  readonly facts: MediaFacts;
  readonly sizeBytes: number;
  /** Absent for silence. */
  readonly loudness?: Loudness | undefined;
};

export type VideoMeter = {
  /** Decodes the whole video at a small size, and its sound. */
  measure(
    video: { readonly path: string; readonly facts: MediaFacts; readonly regions: readonly Region[] },
    options: Required<TaskOptions>,
  ): Promise<PictureQuality & Pick<MeasuredVideo, "loudness">>;
};

// Analysis of reference videos

export const tempos = ["fast", "medium", "slow"] as const;

export type Tempo = (typeof tempos)[number];

export type MeasuredTransition = "cut" | "fade";

export type SceneMetrics = {
  /** Seconds on the video's timeline. Scenes cover it from 0 to its end without gaps. */
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** Up to five colors as `#rrggbb`, the most common first. */
  readonly palette: readonly string[];
  /** Mean change from frame to frame: 0 for a still, 1 for the strongest movement. */
  readonly motion: number;
  /** Mean luma, 0..1. */
  readonly brightness: number;
  /** The transition to the next scene; absent for the last one. A fade goes through black. */
  readonly transition?: MeasuredTransition;
};

/** Measurements of a video's frames without a model. */
export type VideoMetrics = {
  readonly durationSeconds: number;
  readonly scenes: readonly SceneMetrics[];
  readonly palette: readonly string[];
  readonly tempo: Tempo;
  readonly motion: number;
  readonly hasSound: boolean;
};

/** An image for a vision model: JPEG, or the source's own type if the provider accepts it. */
export type VideoFrame = { readonly atSeconds: number; readonly bytes: Uint8Array; readonly mimeType: string };

/** Measures videos and images, and extracts frames for vision models. */
export type VideoAnalyzer = ImageConverter & {
  /** Decodes the file once, at a small size and in bounded time. */
  measure(path: string, facts: MediaFacts, options: Required<TaskOptions>): Promise<VideoMetrics>;
  /** JPEG frames at these times, no side longer than `maxSide` pixels. */
  frames(
    path: string,
    facts: MediaFacts,
    options: Required<TaskOptions> & { readonly atSeconds: readonly number[]; readonly maxSide: number },
  ): Promise<readonly VideoFrame[]>;
};

// Sound

/** A file's sound in the format of transcription models. */
export type SoundForModel = {
  /** Mono FLAC at 16 kHz. */
  readonly bytes: Uint8Array;
  readonly durationSeconds: number;
  /** The highest peak in dBFS. */
  readonly peakDecibels: number;
};

/** A sound to draw: the lowest and the highest sample of each of its equal parts, from -1 to 1. */
export type Waveform = {
  readonly points: number;
  readonly peaks: readonly (readonly [min: number, max: number])[];
  readonly seconds: number;
};

/** The beats of a sound, in seconds from its start. */
export type Beats = {
  /** Beats a minute; 0 if none were found. */
  readonly bpm: number;
  readonly beats: readonly number[];
  /** How regular the beginnings of its sounds are: 0 to 1. */
  readonly confidence: number;
};

type MeasureSoundOptions = TaskOptions & { readonly projectId: string };

/** Measures sounds, each once. Undefined for one that does not decode. */
export type SoundMeter = {
  waveform(source: Source, options: MeasureSoundOptions & { readonly points: number }): Promise<Waveform | undefined>;
  /** Finds the beats in the first ten minutes, at the tempo `bpm` if it is known. */
  beats(
    source: Source,
    options: MeasureSoundOptions & { readonly bpm?: number | undefined },
  ): Promise<Beats | undefined>;
};

/** Decodes sounds with ffmpeg. */
export type SoundTools = {
  /** Changes the speed without the pitch. Undefined for a format that speech models do not output. */
  decodeVoice(bytes: Uint8Array, speed: number, options: Required<TaskOptions>): Promise<Samples | undefined>;
  /** The sound of a file; undefined if it cannot be decoded. */
  soundForModel(path: string, facts: MediaFacts, options: Required<TaskOptions>): Promise<SoundForModel | undefined>;
};

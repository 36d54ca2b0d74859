import { z } from "zod";
import type { Composition } from "../composer/compose.ts";
import { type Beats, type CssDeclaration, containments, type TextToMeasure } from "../ports.ts";
import type { DrawnState, Footage, Overlay } from "../timeline/overlay.ts";
import { type Container, type FileManifest, type MediaFacts, maxPictures } from "../timeline/source.ts";
import type { FrameRange, FrameRate } from "../timeline/time.ts";
import type { Canvas } from "../timeline/timeline.ts";

/** Paths are absolute, because tasks run in another folder. */
type FileInput = { readonly path: string };
type FileOutput = { readonly output: string };
type FileConversion = FileInput & FileOutput;

export type DirectImageOptions = {
  readonly size: Canvas;
  /** Colors of the ground as `#rrggbb`, the preferred one first; if there are none, the image itself is the ground. */
  readonly palette: readonly string[];
  /** The middle part that is always visible, as shares of the size. */
  readonly core?: Canvas | undefined;
  /** Limits of a contained image: its share of the visible part, and its enlargement. */
  readonly maxShare: number;
  readonly maxEnlargement: number;
};

/** The input of each kind of task. Pixels and files are passed by path. */
export type TaskInputs = {
  readonly inspectImage: FileInput & { readonly container: Container };
  /** See `readTracks`. */
  readonly inspectTracks: FileInput & { readonly container: Container };
  /** See `soundFormatOf`. */
  readonly readSoundFormat: FileInput;
  /** See `extractManifest`. */
  readonly extractManifest: FileConversion & { readonly container: Container };
  readonly probeFont: FileInput;
  /** Writes WebP. `ignoresColorChunks` is for PNG files that ffmpeg wrote. */
  readonly drawThumbnail: FileConversion & { readonly maxSide: number; readonly ignoresColorChunks: boolean };
  /** Writes an upright PNG with its alpha. */
  readonly prepareImage: FileConversion & { readonly facts: MediaFacts; readonly maxSide: number };
  /** Writes opaque RGBA pixels of this size. */
  readonly drawCoverImage: FileConversion & { readonly facts: MediaFacts; readonly size: Canvas };
  /** Writes the same for an image that a scene shows itself. */
  readonly drawDirectImage: FileConversion & { readonly facts: MediaFacts; readonly options: DirectImageOptions };
  /** Writes no output if the file itself can be sent. */
  readonly convertForModel: FileConversion & {
    readonly facts: MediaFacts;
    readonly mimeTypes: readonly string[];
    readonly maxBytes?: number | undefined;
  };
  /** Converts rgb24 pixels to JPEG. */
  readonly encodeJpeg: FileConversion & { readonly size: Canvas };
  /** Converts an image to JPEG. */
  readonly convertToJpeg: FileConversion;
  /** Converts the rgb24 or RGBA pixels of consecutive frames to one PNG each. */
  readonly encodeFrames: FileInput & { readonly size: Canvas; readonly outputs: readonly string[] };
  /** `source` is the path of the overlay's image or font. Writes the bitmaps `numbers`: see `bitmapPath`. */
  readonly drawOverlay: {
    readonly overlay: Overlay;
    readonly canvas: Canvas;
    readonly rate: FrameRate;
    readonly source: string | undefined;
    readonly numbers: readonly number[];
    readonly pathPrefix: string;
  };
  /** Draws one look as PNG, or frames of raw pixels. `paths` has the file of each image and font. */
  readonly drawStates: FileOutput & {
    readonly states: readonly (DrawnState | null)[];
    readonly canvas: Canvas;
    readonly format: "png" | "raw";
    /** Raw RGBA frames of the canvas that the layer is blended with. */
    readonly ground?: string | undefined;
    /** The frames of videos; `paths` has the file of each by its key. */
    readonly footage: readonly Omit<Footage, "path">[];
    readonly paths: { readonly [file: string]: string };
  };
  /** `font` is the path of the font that the texts request. */
  readonly measureTexts: { readonly texts: readonly TextToMeasure[]; readonly font: string | undefined };
  /** See `boxesIn`. */
  readonly measureCard: { readonly card: { readonly html: string; readonly css: string }; readonly size: Canvas };
  /** See `areKnown`. */
  readonly checkCss: { readonly declarations: readonly CssDeclaration[] };
  /** See `writeExcerpt`. Returns false, and may leave a part of the output, if the file cannot be excerpted. */
  readonly excerptVideo: FileConversion & { readonly seconds: readonly number[] };
  /** See `readKeyframes`. */
  readonly listKeyframes: FileInput;
  /** Writes WAV. See `compose`. */
  readonly composeSound: FileOutput & { readonly composition: Composition };
  /** Finds the beats in 16-bit mono samples at `beatSampleRate`. */
  readonly findBeats: FileInput & { readonly bpm: number | undefined };
  /** Draws encoded tiles, by their paths, as PNG. */
  readonly drawContactSheet: FileOutput & {
    readonly tiles: readonly string[];
    readonly columns: number;
    readonly size: Canvas;
    readonly labels: readonly string[];
  };
  /** Writes WebP of this size. See `drawThumbnail`. */
  readonly drawTemplate: FileOutput & {
    readonly overlays: readonly Overlay[];
    readonly canvas: Canvas;
    readonly size: Canvas;
    readonly paths: { readonly [file: string]: string };
    readonly motion?: FrameRange & { readonly rate: FrameRate };
  };
  /** Writes an animated WebP of a layer's looks, one for each frame. See `drawAnimation`. */
  readonly drawAnimation: FileOutput & {
    readonly states: readonly (DrawnState | null)[];
    readonly canvas: Canvas;
    readonly backdrop: string;
    readonly rate: number;
  };
  /** Identifies what determines the pixels of texts. */
  readonly describeTextEngine: Readonly<Record<never, never>>;
};

export type TaskKind = keyof TaskInputs;

const text = z.string().max(1000);

const box = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() }).readonly();

const number = z.number().optional().catch(undefined);

const sound = z.object({
  startSeconds: number,
  channels: number,
  sides: z.tuple([z.int(), z.int()]).readonly().optional(),
});

const picture = z.object({
  codec: text,
  frameRate: number,
  startSeconds: number,
  endSeconds: number,
  clockTicks: number,
  hasAlpha: z.boolean(),
  mirroring: z.enum(["upright", "falling", "level", "rising"]).optional(),
  matrix: z.enum(["bt601", "bt709", "bt2020", "rgb"]),
  fullRange: z.boolean(),
  transfer: z.enum(["sdr", "pq", "hlg"]),
});

const animation = z.object({
  frameRate: z.number(),
  firstFrame: z.number(),
  endFrame: z.number(),
  textLayers: z.array(text).max(100).readonly(),
  ignored: z.array(text).max(100).readonly(),
});

/** The result of a process that reads the manifest of a file. */
const FileManifestResult: z.ZodType<FileManifest> = z.object({
  state: z.enum(["valid", "invalid", "unchecked"]),
  sources: z.array(text).max(100).readonly(),
  failures: z.array(text).max(100).readonly(),
  isIntact: z.boolean(),
  generator: text.optional(),
  signer: z.object({ subject: text, sha256: text }).readonly().optional(),
});

const declared = {
  manifest: FileManifestResult.optional(),
  declaredSources: z.array(text).max(100).readonly().optional(),
};

export const taskResults = {
  inspectImage: z
    .object({
      width: z.int().positive(),
      height: z.int().positive(),
      isMoving: z.literal(true).optional(),
      pictureMilliseconds: z.array(z.int().positive()).max(maxPictures).readonly().optional(),
      durationSeconds: number,
      animation: animation.readonly().optional(),
      ...declared,
    })
    .readonly(),
  inspectTracks: z
    .object({
      durationSeconds: z.number().positive(),
      hasSound: z.boolean(),
      size: z.object({ width: z.number(), height: z.number() }).readonly().optional(),
      picture: picture.readonly().optional(),
      sound: sound.readonly().optional(),
      ...declared,
    })
    .readonly(),
  /** Null if it is unknown. */
  readSoundFormat: text.nullable(),
  /** Null, and no output, if the file has no manifest. */
  extractManifest: z.object({ label: text, hash: text, signatureHash: text }).readonly().nullable(),
  probeFont: z.boolean(),
  drawThumbnail: z.null(),
  prepareImage: z.null(),
  drawCoverImage: z.null(),
  drawDirectImage: z.object({ contained: z.enum(containments).optional() }).readonly(),
  /** Undefined if the file itself can be sent. */
  convertForModel: z.object({ mimeType: z.enum(["image/png", "image/jpeg"]).optional() }).readonly(),
  encodeJpeg: z.null(),
  convertToJpeg: z.null(),
  encodeFrames: z.null(),
  excerptVideo: z.boolean(),
  /** Undefined if they cannot be read. */
  listKeyframes: z.object({ seconds: z.array(z.number()).readonly().optional() }).readonly(),
  /** Null if nothing is visible. */
  drawOverlay: z.object({ box }).readonly().nullable(),
  drawStates: z.object({ box }).readonly().nullable(),
  measureTexts: z
    .array(z.object({ ink: box.optional(), missing: z.array(z.string().max(8)).readonly() }).readonly())
    .readonly(),
  findBeats: z
    .object({ bpm: z.number(), beats: z.array(z.number()).readonly(), confidence: z.number() })
    .readonly() satisfies z.ZodType<Beats>,
  composeSound: z.null(),
  measureCard: z.record(text, box).readonly(),
  checkCss: z.array(z.boolean()).readonly(),
  drawContactSheet: z.null(),
  drawTemplate: z.null(),
  drawAnimation: z.null(),
  describeTextEngine: z.string().regex(/^[0-9a-f]{64}$/),
} satisfies Record<TaskKind, z.ZodType>;

export type TaskResult<Kind extends TaskKind> = z.output<(typeof taskResults)[Kind]>;

/** A task that another folder adds to the engine's own: its program must support it. */
export type AddedTask<Input, Result> = {
  readonly kind: string;
  /** The schema of the process's answer. */
  readonly result: z.ZodType<Result>;
  readonly input?: (input: Input) => void;
};

export type InputOf<Task> = Task extends AddedTask<infer Input, infer _> ? Input : never;

export const addedTask =
  <Input>() =>
  <Result>(kind: string, result: z.ZodType<Result>): AddedTask<Input, Result> => ({ kind, result });

/** A task as one line to its process. */
export type TaskMessage = { readonly kind: string; readonly input: unknown };

/** The errors of tasks that callers receive. */
const Refusal = z.discriminatedUnion("code", [
  z.object({ code: z.literal("unsupported_media_type"), facts: z.object({ reason: text }) }),
  z.object({ code: z.literal("font_unusable"), facts: z.object({ path: text, what: text }) }),
  z.object({ code: z.literal("source_unreadable"), facts: z.object({ path: text, what: text }) }),
  z.object({ code: z.literal("storage_full"), facts: z.object({}) }),
  z.object({
    code: z.literal("validation_error"),
    facts: z.object({ issues: z.array(z.object({ path: text, message: text })).max(1) }),
  }),
]);

/** One line from a process: it accepts tasks, it has read its task, or its task ended. */
export const Answer = z.discriminatedUnion("outcome", [
  z.object({ outcome: z.literal("ready") }),
  z.object({ outcome: z.literal("started") }),
  /** `shouldRecycle`: the process holds too much memory for another task. */
  z.object({ outcome: z.literal("done"), result: z.unknown(), shouldRecycle: z.boolean() }),
  z.object({ outcome: z.literal("refused"), refusal: Refusal, shouldRecycle: z.boolean() }),
  z.object({ outcome: z.literal("failed"), message: text }),
]);

export type Answer = z.output<typeof Answer>;

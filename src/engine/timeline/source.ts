/** The container that was detected from a file's bytes. It decides which demuxer may open the file. */
export type Container =
  | "mp4"
  | "matroska"
  | "ogg"
  | "mp3"
  | "wav"
  | "flac"
  | "adts"
  | "png"
  | "jpeg"
  | "webp"
  | "gif"
  | "avif"
  | "lottie"
  | "font";

/** The axis of the reflection that turns a mirrored video upright: vertical, horizontal, or the diagonal \ or /. */
export type Mirroring = "upright" | "level" | "falling" | "rising";

export type VideoFacts = {
  /** A short codec name such as "avc", "hevc", "vp8", "vp9" or "av1". */
  readonly codec: string;
  /** Average frames per second, if known. */
  readonly frameRate?: number;
  /** The time of the first frame on the file's own clock. Default: 0. */
  readonly startSeconds?: number;
  /** The time at which the last frame ends, if the sound of the file continues. Default: the end of the file. */
  readonly endSeconds?: number;
  /** Ticks per second of the file's clock, if known. Frame times are rounded to these ticks. */
  readonly clockTicks?: number;
  readonly hasAlpha: boolean;
  /** True if one of the first six frames is marked as two fields. */
  readonly isInterlaced?: boolean;
  /** Only for videos that rotation alone does not turn upright. */
  readonly mirroring?: Mirroring;
  readonly matrix: "bt601" | "bt709" | "bt2020" | "rgb";
  readonly fullRange: boolean;
  readonly transfer: "sdr" | "pq" | "hlg";
};

/** Further facts for decoding a file's sound: absent for one or two channels in the first track from the start on. */
export type SoundFacts = {
  /** The time at which it begins on the file's own clock. Default: 0. */
  readonly startSeconds?: number | undefined;
  /** The number of channels, more than two. */
  readonly channels?: number | undefined;
  /** The tracks of the left and the right side, counted among the sound tracks. */
  readonly sides?: readonly [left: number, right: number] | undefined;
};

/** The claims of a file's own C2PA manifest, and the result of its verification. */
export type FileManifest = {
  /** `invalid`: damaged, or the file was changed after it was signed; `unchecked`: of an unsupported form. */
  readonly state: "valid" | "invalid" | "unchecked";
  /** IPTC's names for how the file and its ingredients were made. */
  readonly sources: readonly string[];
  /** C2PA's failure codes. */
  readonly failures: readonly string[];
  /** The manifest and those of its ingredients are valid: a film's manifest can carry it. */
  readonly isIntact: boolean;
  /** The program that made the manifest. */
  readonly generator?: string | undefined;
  /** The certificate's subject and SHA-256. Trust is not verified. */
  readonly signer?: { readonly subject: string; readonly sha256: string } | undefined;
};

/** More pictures of an image make long records. */
export const maxPictures = 1000;

export type AnimationFacts = {
  readonly frameRate: number;
  readonly firstFrame: number;
  /** Exclusive. */
  readonly endFrame: number;
  /** The names of its text layers, whose words can be replaced. */
  readonly textLayers: readonly string[];
  /** What it has and is not drawn, in words. */
  readonly ignored: readonly string[];
};

/** Facts about a media file. `width` and `height` are measured after rotation, with square pixels. */
export type MediaFacts = {
  readonly kind: "image" | "video" | "audio" | "font";
  readonly container: Container;
  readonly mimeType: string;
  /** The extension without the dot. */
  readonly extension: string;
  readonly width?: number;
  readonly height?: number;
  readonly durationSeconds?: number;
  /** The facts of the video stream. Only for video. */
  readonly picture?: VideoFacts;
  readonly hasSound?: boolean;
  /** An image with several pictures. */
  readonly isMoving?: boolean | undefined;
  /** How long each picture of an image is shown. Absent for one that is too large to be played. */
  readonly pictureMilliseconds?: readonly number[] | undefined;
  /** Only for Lottie animations. */
  readonly animation?: AnimationFacts | undefined;
  readonly sound?: SoundFacts | undefined;
  /** The model that made the file; absent if it was uploaded. */
  readonly generatedBy?: { readonly provider: string; readonly model: string };
  /** Absent if the file has none. */
  readonly manifest?: FileManifest | undefined;
  /** IPTC's names for how the file was made, from its unsigned metadata. */
  readonly declaredSources?: readonly string[] | undefined;
};

/** The end of a video's last frame, or of a sound. */
export const pictureEnd = ({
  picture,
  durationSeconds,
}: Pick<MediaFacts, "picture" | "durationSeconds">): number | undefined => picture?.endSeconds ?? durationSeconds;

/** A media file that a timeline uses. */
export type Source = {
  /** Key in the file store. */
  readonly file: string;
  /** SHA-256 of the bytes, hex. */
  readonly hash: string;
  /** The size of the stored file, where it has a record. Detects truncation; no cache key contains it. */
  readonly sizeBytes?: number;
  readonly facts: MediaFacts;
};

/** The identity of a model. A provider has one id here in all categories, whatever the ids of its rows. */
export type ModelId = { readonly provider: string; readonly model: string };

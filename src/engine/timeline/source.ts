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
  | "font";

/** The axis of the reflection that turns a mirrored video upright: vertical, horizontal, or the diagonal \ or /. */
export type Mirroring = "upright" | "level" | "falling" | "rising";

export type VideoFacts = {
  /** Short codec name as in "avc", "hevc", "vp8", "vp9", "av1". */
  readonly codec: string;
  /** Average frames per second, if known. */
  readonly frameRate?: number;
  /** The time of the first frame on the file's own clock. Default: 0. */
  readonly startSeconds?: number;
  /** The time at which the last frame ends, where the sound of the file goes on. Default: the end of the file. */
  readonly endSeconds?: number;
  /** Ticks per second of the file's clock, if known. Frame times are rounded to these ticks. */
  readonly clockTicks?: number;
  readonly hasAlpha: boolean;
  /** Some frames have two fields, as one of the first six is marked. */
  readonly isInterlaced?: boolean;
  /** Only for videos that rotation alone does not turn upright. */
  readonly mirroring?: Mirroring;
  readonly matrix: "bt601" | "bt709" | "bt2020" | "rgb";
  readonly fullRange: boolean;
  readonly transfer: "sdr" | "pq" | "hlg";
};

/** What a file's sound needs besides its first track: absent for one of one or two channels from the start on. */
export type SoundFacts = {
  /** The time at which it begins on the file's own clock. Default: 0. */
  readonly startSeconds?: number | undefined;
  /** More than two. */
  readonly channels?: number | undefined;
  /** The tracks of the left and the right side, counted among those of sound. */
  readonly sides?: readonly [left: number, right: number] | undefined;
};

/** What a file's own manifest of C2PA says, and what a check of it has found. */
export type FileManifest = {
  /** `invalid`: damaged, or the file was changed after it was signed; `unchecked`: of a form that is not checked. */
  readonly state: "valid" | "invalid" | "unchecked";
  /** IPTC's names of how the file, and what it was made from, were made. */
  readonly sources: readonly string[];
  /** C2PA's codes of what does not hold. */
  readonly failures: readonly string[];
  /** The manifest itself holds, with those of its ingredients: a film's manifest can carry it. */
  readonly isIntact: boolean;
  /** The program that has made the manifest. */
  readonly generator?: string | undefined;
  /** The certificate's subject and SHA-256. Nobody has vouched for it. */
  readonly signer?: { readonly subject: string; readonly sha256: string } | undefined;
};

/** Facts about a media file. `width` and `height` are those after rotation, with square pixels. */
export type MediaFacts = {
  readonly kind: "image" | "video" | "audio" | "font";
  readonly container: Container;
  readonly mimeType: string;
  /** Without the dot. */
  readonly extension: string;
  readonly width?: number;
  readonly height?: number;
  readonly durationSeconds?: number;
  /** The facts of the video stream. Only for video. */
  readonly picture?: VideoFacts;
  readonly hasSound?: boolean;
  /** An image of several pictures, of which films show the first. */
  readonly isMoving?: boolean | undefined;
  readonly sound?: SoundFacts | undefined;
  /** The model that made the file; absent if it was uploaded. */
  readonly generatedBy?: { readonly provider: string; readonly model: string };
  /** Absent if the file has none. */
  readonly manifest?: FileManifest | undefined;
  /** IPTC's names of how the file was made, as its metadata say without a signature. */
  readonly declaredSources?: readonly string[] | undefined;
};

/** The end of a video's last frame, or of a sound. */
export const pictureEnd = ({ picture, durationSeconds }: MediaFacts): number | undefined =>
  picture?.endSeconds ?? durationSeconds;

/** A media file that a timeline uses. */
export type Source = {
  /** Key in the file store. */
  readonly file: string;
  /** SHA-256 of the bytes, hex. */
  readonly hash: string;
  /** Of the stored file, where it has a row. Tells one that was cut; no cache key has it. */
  readonly sizeBytes?: number;
  readonly facts: MediaFacts;
};

/** The identity of a model. A provider has the same id here in all categories, whatever the ids of its rows. */
export type ModelId = { readonly provider: string; readonly model: string };

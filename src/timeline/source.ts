/** The family of a file, told from its bytes. It decides which demuxer may open the file. */
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

/** The one reflection that makes a mirrored picture upright, by the line or diagonal that stays where it is. */
export type Mirroring = "upright" | "level" | "falling" | "rising";

export type PictureFacts = {
  /** Short codec name as in "avc", "hevc", "vp8", "vp9", "av1". */
  readonly codec: string;
  /** Average pictures per second, when known. */
  readonly frameRate?: number;
  /** When the first picture is shown, on the file's own clock; zero when absent. */
  readonly startSeconds?: number;
  /** Ticks per second of the file's clock, when known. A coarse one rounds the time of each picture. */
  readonly clockTicks?: number;
  readonly hasAlpha: boolean;
  /** Only for pictures that turning alone does not make upright. */
  readonly mirroring?: Mirroring;
  readonly matrix: "bt601" | "bt709" | "bt2020" | "rgb";
  readonly fullRange: boolean;
  readonly transfer: "sdr" | "pq" | "hlg";
};

/** What is known of a file's content. Sizes are upright with square pixels: rotation and pixel shape applied. */
export type MediaFacts = {
  readonly kind: "image" | "video" | "audio" | "font";
  readonly container: Container;
  readonly mimeType: string;
  /** Without the dot. */
  readonly extension: string;
  readonly width?: number;
  readonly height?: number;
  readonly durationSeconds?: number;
  /** Only for video. */
  readonly picture?: PictureFacts;
  readonly hasSound?: boolean;
};

/** A file that a timeline plays or shows. */
export type Source = {
  /** Key in the file store. */
  readonly file: string;
  /** SHA-256 of the bytes, hex. */
  readonly hash: string;
  readonly facts: MediaFacts;
};

/** The formats of finished files. */
export const formatTable = {
  mp4: { kind: "video", mimeType: "video/mp4", extension: "mp4", hasAlpha: false },
  webm: { kind: "video", mimeType: "video/webm", extension: "webm", hasAlpha: true },
  mov: { kind: "video", mimeType: "video/quicktime", extension: "mov", hasAlpha: true },
  gif: { kind: "video", mimeType: "image/gif", extension: "gif", hasAlpha: true },
  mp3: { kind: "sound", mimeType: "audio/mpeg", extension: "mp3", hasAlpha: false },
  wav: { kind: "sound", mimeType: "audio/wav", extension: "wav", hasAlpha: false },
  png: { kind: "picture", mimeType: "image/png", extension: "png", hasAlpha: true },
  jpg: { kind: "picture", mimeType: "image/jpeg", extension: "jpg", hasAlpha: false },
} as const satisfies Record<string, FormatFacts>;

type FormatFacts = {
  /** A picture is one frame, a sound has none. */
  readonly kind: "video" | "sound" | "picture";
  readonly mimeType: string;
  readonly extension: string;
  /** True if the background can be transparent. */
  readonly hasAlpha: boolean;
};

export type Format = keyof typeof formatTable;

// safe because the keys of the table are the formats
export const formats = Object.keys(formatTable) as unknown as readonly [Format, ...Format[]];

export const formatsWithAlpha: readonly Format[] = formats.filter((format) => formatTable[format].hasAlpha);

/** A file counts the time between its pictures in hundredths of a second, and players slow shorter ones down. */
export const gifRates: readonly number[] = [50, 25, 20, 10];

export const maxGifSeconds = 30;

/** What a film is made into. */
export type Output = {
  readonly format: Format;
  /** True if nothing lies under the film. */
  readonly isTransparent: boolean;
  /** Seconds: what a picture shows. */
  readonly at: number;
};

export const mp4Output: Output = { format: "mp4", isTransparent: false, at: 0 };

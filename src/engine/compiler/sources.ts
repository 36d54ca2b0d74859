import type { Container, MediaFacts, Source } from "../timeline/source.ts";
import type { Canvas } from "../timeline/timeline.ts";

/** The paths of sources on disk. The path of an image is an upright PNG made from it. */
export type SourcePaths = { pathOf(source: Source): string };

// the detected container sets the demuxer, because a disguised playlist would open other files
const demuxers: Record<Container, string> = {
  mp4: "mov,mp4,m4a,3gp,3g2,mj2",
  matroska: "matroska,webm",
  ogg: "ogg",
  mp3: "mp3",
  wav: "wav",
  flac: "flac",
  adts: "aac",
  png: "png_pipe",
  jpeg: "png_pipe",
  webp: "png_pipe",
  gif: "png_pipe",
  avif: "png_pipe",
  lottie: "png_pipe",
  font: "none",
};

/** Opens one local file with these demuxers only. */
export const openFile = (path: string, demuxer: string, options: readonly string[] = []): readonly string[] => [
  ...options,
  ...["-protocol_whitelist", "file", "-format_whitelist", demuxer, "-i", `file:${path}`],
];

/** Opens frames of raw pixels: RGBA, row by row. */
export const openPixels = (path: string, size: Canvas, options: readonly string[] = []): readonly string[] =>
  openFile(path, "rawvideo", [
    ...["-f", "rawvideo", "-pixel_format", "rgba", "-video_size", `${size.width}x${size.height}`],
    ...options,
  ]);

/** Opens a file with the demuxers of its detected container only. */
export const openMedia = (path: string, facts: MediaFacts, options: readonly string[] = []): readonly string[] =>
  openFile(path, demuxers[facts.container], options);

export const openSource = (source: Source, files: SourcePaths, options: readonly string[] = []): readonly string[] =>
  openMedia(files.pathOf(source), source.facts, options);

/** Opens a source for its sound. */
export const openSound = (source: Source, files: SourcePaths, options: readonly string[] = []): readonly string[] =>
  openSource(source, files, [...withoutFrames(source.facts), ...options]);

/**
 * Stops ffmpeg from decoding frames, too. From 7.1 on, sounds refuse the option. Where the sound of a Matroska file
 * begins later than its picture, the clock would begin with the sound.
 */
export const withoutFrames = ({ kind, container, sound }: MediaFacts): readonly string[] => {
  const hasOtherClock = container === "matroska" && sound?.startSeconds !== undefined;
  return kind === "video" && !hasOtherClock ? ["-skip_frame:v", "all"] : [];
};

const alphaDecoders: Readonly<Record<string, string>> = { vp8: "libvpx", vp9: "libvpx-vp9" };

/** ffmpeg's own VP8 and VP9 decoders drop the alpha channel. */
export function decoderArgs({ picture }: MediaFacts): readonly string[] {
  const decoder = picture?.hasAlpha ? alphaDecoders[picture.codec] : undefined;
  // the ffmpeg of 2018 rotates mirrored videos but does not mirror them: see asSeen
  return [...(decoder ? ["-c:v", decoder] : []), ...(picture?.mirroring ? ["-noautorotate"] : [])];
}

/** Larger frames are rejected before they are decoded: a few of them would fill the memory. */
export const maxVideoPixels = 40_000_000;

export const openWithPixelLimit = (path: string, facts: MediaFacts, options: readonly string[]): readonly string[] =>
  openMedia(path, facts, ["-max_pixels", `${maxVideoPixels}`, ...options]);

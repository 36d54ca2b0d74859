import {
  ADTS,
  EncodedPacketSink,
  FilePathSource,
  FLAC,
  Input,
  type InputFormat,
  type InputTrack,
  type InputVideoTrack,
  Logging,
  LogLevel,
  MATROSKA,
  MP3,
  MP4,
  OGG,
  QTFF,
  WAVE,
  WEBM,
} from "mediabunny";
import type { Container, PictureFacts } from "../../timeline/source.ts";
import { refuse } from "./types.ts";

/** What a parser can tell of a file's sound and picture, before any of it is decoded. */
export type TrackFacts = {
  readonly durationSeconds: number;
  readonly hasSound: boolean;
  readonly size?: { readonly width: number; readonly height: number };
  readonly picture?: PictureFacts;
};

// its warnings name codecs that ffmpeg may well know
Logging.level = LogLevel.Silent;

/** By name and never all of them: a playlist format would open other files. */
const formatsOf: Partial<Record<Container, readonly InputFormat[]>> = {
  mp4: [MP4, QTFF],
  matroska: [MATROSKA, WEBM],
  ogg: [OGG],
  mp3: [MP3],
  wav: [WAVE],
  flac: [FLAC],
  adts: [ADTS],
};

/** The name of the sound format that a file without a known signature really has. */
export async function soundFormatOf(path: string): Promise<string | undefined> {
  using input = open(path, [MP3, ADTS, WAVE]);
  const format = await input.getFormat().catch(() => undefined);
  return format?.name;
}

/** Reads a file of sound or video as what its bytes promise; throws unsupported_media_type where that fails. */
export async function readTracks(path: string, container: Container): Promise<TrackFacts> {
  using input = open(path, formatsOf[container] ?? []);
  const [videos, sounds] = await Promise.all([input.getVideoTracks(), input.getAudioTracks()]);
  const [video, sound] = [videos[0], sounds[0]];
  const main = video ?? sound;
  if (!main)
    throw refuse(
      "No picture or sound can be read from the file: it is incomplete, or to be saved as MP4 or MP3 first.",
    );

  // the others have no index that could promise more than there is
  if (container === "mp4") await requireWhole(main);
  const clockStart = await clockStartOf([...videos, ...sounds]);
  return {
    durationSeconds: await durationOf(main, clockStart),
    hasSound: sound !== undefined,
    ...(video && { size: await uprightSize(video), picture: await pictureOf(video, clockStart) }),
  };
}

function open(path: string, formats: readonly InputFormat[]): Input {
  // without a handler of ours a failing read-ahead would end the process
  return new Input({ source: new FilePathSource(path, { handleUnhandledError: () => {} }), formats: [...formats] });
}

/** The index of a file that was cut off still names packets that lie behind its end. */
async function requireWhole(track: InputTrack): Promise<void> {
  const last = await new EncodedPacketSink(track).getPacket(Number.POSITIVE_INFINITY);
  if (!last || last.data.byteLength === 0) throw refuse("The file is incomplete: upload it again.");
}

/** The clock of a file starts where ffmpeg starts it. */
async function clockStartOf(tracks: readonly InputTrack[]): Promise<number> {
  return Math.max(0, Math.min(...(await Promise.all(tracks.map((track) => track.getFirstTimestamp())))));
}

const wholeMicroseconds = (seconds: number) => Math.round(seconds * 1e6) / 1e6;

/** From the streams' own packets: what a header claims may be a lie. */
async function durationOf(main: InputTrack, clockStart: number): Promise<number> {
  const seconds = wholeMicroseconds((await main.computeDuration()) - clockStart);
  if (seconds > 0 && Number.isFinite(seconds)) return seconds;
  throw refuse("The file has no length: it holds no picture or sound to play.");
}

const uprightSize = async (track: InputVideoTrack) => ({
  width: await track.getDisplayWidth(),
  height: await track.getDisplayHeight(),
});

async function pictureOf(track: InputVideoTrack, clockStart: number): Promise<PictureFacts> {
  const codec = (await track.getCodec()) ?? `${await track.getInternalCodecId()}`.trim();
  return {
    codec,
    frameRate: await frameRateOf(track),
    startSeconds: Math.max(0, wholeMicroseconds((await track.getFirstTimestamp()) - clockStart)),
    clockTicks: await track.getTimeResolution(),
    hasAlpha: transparentCodecs.has(codec) || (await track.canBeTransparent()),
    mirroring: await mirroringOf(track),
    ...(await colorsOf(track, codec)),
  };
}

/** A turn and a flip from left to right after it are one reflection. */
const mirrorings = { 0: "upright", 90: "falling", 180: "level", 270: "rising" } as const;

const mirroringOf = async (track: InputVideoTrack) =>
  (await track.getFlip()) ? mirrorings[await track.getRotation()] : undefined;

/** QuickTime's lossless ones may carry alpha without saying so in the header. */
const transparentCodecs: ReadonlySet<string> = new Set(["rle", "png"]);

async function frameRateOf(track: InputVideoTrack): Promise<number | undefined> {
  const { averageFrameRate } = await track.computeFrameRateMetrics();
  // a lone picture lasts one tick, which says nothing
  return averageFrameRate > 0 && averageFrameRate <= 1000 ? averageFrameRate : undefined;
}

type Colors = Pick<PictureFacts, "matrix" | "fullRange" | "transfer">;

const matrices: ReadonlyMap<string, Colors["matrix"]> = new Map([
  ["bt709", "bt709"],
  ["bt470bg", "bt601"],
  ["smpte170m", "bt601"],
  ["bt2020-ncl", "bt2020"],
  ["rgb", "rgb"],
]);

/** QuickTime's own for screens and animations, which know no other colors and do not say so. */
const rgbCodecs: ReadonlySet<string> = new Set(["rle", "png", "raw"]);

const highRanges: ReadonlyMap<string, Colors["transfer"]> = new Map([
  ["pq", "pq"],
  ["hlg", "hlg"],
]);

const highDefinitionLines = 720;

async function colorsOf(track: InputVideoTrack, codec: string): Promise<Colors> {
  const { matrix, transfer, fullRange } = await track.getColorSpace();
  const guess = (await track.getCodedHeight()) >= highDefinitionLines ? "bt709" : "bt601";
  return {
    matrix: rgbCodecs.has(codec) ? "rgb" : (matrices.get(matrix ?? "") ?? guess),
    fullRange: fullRange ?? false,
    transfer: highRanges.get(transfer ?? "") ?? "sdr",
  };
}

import {
  ADTS,
  BufferSource,
  EncodedPacketSink,
  FilePathSource,
  FLAC,
  Input,
  type InputAudioTrack,
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
import type { Container, SoundFacts, VideoFacts } from "../timeline/source.ts";
import { unsupportedMedia } from "./file-families.ts";

/** What the container of a file says about its sound and video, without decoding. */
type TrackFacts = {
  readonly durationSeconds: number;
  readonly hasSound: boolean;
  readonly size?: { readonly width: number; readonly height: number };
  readonly picture?: VideoFacts;
  readonly sound?: SoundFacts;
};

// mediabunny warns about codecs that only ffmpeg can decode
Logging.level = LogLevel.Silent;

/** Explicit lists: a playlist format would open other files. */
const formatsOf: Partial<Record<Container, readonly InputFormat[]>> = {
  mp4: [MP4, QTFF],
  matroska: [MATROSKA, WEBM],
  ogg: [OGG],
  mp3: [MP3],
  wav: [WAVE],
  flac: [FLAC],
  adts: [ADTS],
};

const searchedBytes = 2 ** 20;

/** mediabunny's name for the sound format of a file without a known signature. */
export async function soundFormatOf(path: string): Promise<string | null> {
  const start = await endOfTags(path);
  const source = new BufferSource(
    await Bun.file(path)
      .slice(start, start + searchedBytes)
      .bytes(),
  );
  using input = new Input({ source, formats: [MP3, ADTS, WAVE] });
  const format = await input.getFormat().catch(() => undefined);
  return format?.name ?? null;
}

/** Taggers replace a tag by a new one and seldom leave the old one; a file of nothing else has millions. */
const maxTags = 16;

const tagHeadBytes = 10;

/** Where the ID3 tags at the start of a file end: covers in them may take megabytes. */
async function endOfTags(path: string): Promise<number> {
  let at = 0;
  for (let tags = 0; tags < maxTags; tags++) {
    const head = Buffer.from(
      await Bun.file(path)
        .slice(at, at + tagHeadBytes)
        .arrayBuffer(),
    );
    if (head.length < tagHeadBytes || head.toString("latin1", 0, 3) !== "ID3") break;
    at += tagHeadBytes + head.subarray(6).reduce((size, digit) => size * 128 + (digit & 0x7f), 0);
  }
  return at;
}

/** Each track is searched for its first packet: 5,000 took 3 GB and 40 seconds. */
const maxTracks = 100;

/** Reads the tracks of a sound or video file. Throws unsupported_media_type. */
export async function readTracks(path: string, container: Container): Promise<TrackFacts> {
  using input = open(path, formatsOf[container] ?? []);
  const [videos, sounds] = await Promise.all([input.getVideoTracks(), input.getAudioTracks()]);
  const video = videos[0];
  const sound = sounds[0];
  const main = video ?? sound;
  const count = videos.length + sounds.length;
  if (count > maxTracks)
    throw unsupportedMedia(`The file has ${count} tracks of picture and sound: ${maxTracks} at most.`);
  if (!main)
    throw unsupportedMedia(
      "No picture or sound can be read from the file: it is incomplete, or to be saved as MP4 or MP3 first.",
    );

  // only MP4 has an index that may list more packets than the file contains
  if (container === "mp4") await requireComplete(main);
  const clockStart = await clockStartOf([...videos, ...sounds]);
  const seconds = await durationOf(main, clockStart);
  const soundEnd = video && sound ? wholeMicroseconds((await sound.computeDuration()) - clockStart) : 0;
  const goesOn = Number.isFinite(soundEnd) && soundEnd > seconds + maxLateSound;
  const facts = sound && (await soundFactsOf(sound, { container, clockStart }));
  return {
    durationSeconds: goesOn ? soundEnd : seconds,
    hasSound: sound !== undefined,
    ...(video && {
      size: await uprightSize(video),
      picture: { ...(await videoFactsOf(video, clockStart)), ...(goesOn && { endSeconds: seconds }) },
    }),
    ...(facts && { sound: facts }),
  };
}

/** In seconds: encoders end the sound of most files a little after their picture. */
const maxLateSound = 0.25;

/** Undefined where the sound is as ffmpeg takes it: of one or two channels, from the start of the file. */
async function soundFactsOf(
  sound: InputAudioTrack,
  { container, clockStart }: { readonly container: Container; readonly clockStart: number },
): Promise<SoundFacts | undefined> {
  // others name the times of their tracks themselves
  const isLate = container === "matroska";
  const startSeconds = wholeMicroseconds((await sound.getFirstTimestamp()) - clockStart);
  const channels = await sound.getNumberOfChannels();
  const facts = { ...(isLate && startSeconds >= 0.001 && { startSeconds }), ...(channels > 2 && { channels }) };
  return Object.keys(facts).length > 0 ? facts : undefined;
}

function open(path: string, formats: readonly InputFormat[]): Input {
  // without a handler, a failed read-ahead ends the process
  return new Input({ source: new FilePathSource(path, { handleUnhandledError: () => {} }), formats: [...formats] });
}

/** The index of a truncated file still lists packets beyond its end. */
async function requireComplete(track: InputTrack): Promise<void> {
  const last = await new EncodedPacketSink(track).getPacket(Number.POSITIVE_INFINITY);
  if (!last || last.data.byteLength === 0) throw unsupportedMedia("The file is incomplete: upload it again.");
}

/** The first timestamp of all tracks, at which ffmpeg starts its clock. */
async function clockStartOf(tracks: readonly InputTrack[]): Promise<number> {
  return Math.max(0, Math.min(...(await Promise.all(tracks.map((track) => track.getFirstTimestamp())))));
}

const wholeMicroseconds = (seconds: number) => Math.round(seconds * 1e6) / 1e6;

/** Computed from the packets: the duration in the header may be wrong. */
async function durationOf(main: InputTrack, clockStart: number): Promise<number> {
  const seconds = wholeMicroseconds((await main.computeDuration()) - clockStart);
  if (seconds > 0 && Number.isFinite(seconds)) return seconds;
  throw unsupportedMedia("The file has no length: it holds no picture or sound to play.");
}

const uprightSize = async (track: InputVideoTrack) => ({
  width: await track.getDisplayWidth(),
  height: await track.getDisplayHeight(),
});

async function videoFactsOf(track: InputVideoTrack, clockStart: number): Promise<VideoFacts> {
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

/** By rotation in degrees: a rotation followed by a horizontal flip is one reflection. */
const mirrorings = { 0: "upright", 90: "falling", 180: "level", 270: "rising" } as const;

const mirroringOf = async (track: InputVideoTrack) =>
  (await track.getFlip()) ? mirrorings[await track.getRotation()] : undefined;

/** QuickTime's lossless codecs may contain alpha that the header does not declare. */
const transparentCodecs: ReadonlySet<string> = new Set(["rle", "png"]);

async function frameRateOf(track: InputVideoTrack): Promise<number | undefined> {
  const { averageFrameRate } = await track.computeFrameRateMetrics();
  // a single frame lasts one tick, so its rate is meaningless
  return averageFrameRate > 0 && averageFrameRate <= 1000 ? averageFrameRate : undefined;
}

type Colors = Pick<VideoFacts, "matrix" | "fullRange" | "transfer">;

const matrices: ReadonlyMap<string, Colors["matrix"]> = new Map([
  ["bt709", "bt709"],
  ["bt470bg", "bt601"],
  ["smpte170m", "bt601"],
  ["bt2020-ncl", "bt2020"],
  ["rgb", "rgb"],
]);

/** QuickTime codecs for screen recordings and animations; always RGB, without a color tag. */
const rgbCodecs: ReadonlySet<string> = new Set(["rle", "png", "raw"]);

const hdrTransfers: ReadonlyMap<string, Colors["transfer"]> = new Map([
  ["pq", "pq"],
  ["hlg", "hlg"],
]);

const hdMinLines = 720;

async function colorsOf(track: InputVideoTrack, codec: string): Promise<Colors> {
  const { matrix, transfer, fullRange } = await track.getColorSpace();
  const defaultMatrix = (await track.getCodedHeight()) >= hdMinLines ? "bt709" : "bt601";
  return {
    matrix: rgbCodecs.has(codec) ? "rgb" : (matrices.get(matrix ?? "") ?? defaultMatrix),
    fullRange: fullRange ?? false,
    transfer: hdrTransfers.get(transfer ?? "") ?? "sdr",
  };
}

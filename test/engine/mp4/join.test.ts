import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { soundEncoding, toMp4, videoEncoding } from "../../../src/engine/compiler/encoding.ts";
import { boxesIn, headerFields, requireBox } from "../../../src/engine/mp4/boxes.ts";
import { joinVideo } from "../../../src/engine/mp4/join.ts";
import type { FrameRate } from "../../../src/engine/timeline/time.ts";
import { everyFrame, runFfmpeg, type TestFfmpeg, temporaryFolder, testedFfmpegs } from "../../support/media/ffmpeg.ts";

let folder: string;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const encoding = { preset: "veryfast", crf: 23, threads: 1 };
const ntsc: FrameRate = { num: 30_000, den: 1001 };
const signal = new AbortController().signal;

let files = 0;

type Drawing = { readonly rate?: FrameRate; readonly size?: string; readonly chromaLocation?: number };

async function drawSegment(
  ffmpeg: TestFfmpeg,
  frames: number,
  { rate = ntsc, size = "64x36", chromaLocation }: Drawing = {},
) {
  const path = `${folder}/segment-${files++}.mp4`;
  const source = ["-f", "lavfi", "-i", `testsrc2=s=${size}:r=${rate.num}/${rate.den},hue=h=${files * 50}`];
  const location = chromaLocation === undefined ? [] : ["-x264-params", `chromaloc=${chromaLocation}`];
  await runFfmpeg(ffmpeg, [
    ...source,
    ...videoEncoding(encoding, rate, { frames, gopFrames: 20 }),
    ...location,
    ...toMp4(path, rate),
  ]);
  return { path, frames };
}

async function drawSound(ffmpeg: TestFfmpeg, seconds: number): Promise<string> {
  const path = `${folder}/sound-${files++}.mp4`;
  const source = ["-f", "lavfi", "-i", `anoisesrc=r=48000:a=0.3:d=${seconds}`];
  await runFfmpeg(ffmpeg, [...source, ...soundEncoding, ...toMp4(path)]);
  return path;
}

/** Multiplies the ticks per second in which the file counts the durations of the movie and its track, as ffmpeg 9 does. */
async function refineMovieClock(path: string, factor: number): Promise<void> {
  const bytes = Buffer.from(await Bun.file(path).bytes());
  const { mvhd, tkhd, elst } = headerFields;
  const fields = { mvhd: [mvhd.timescale, mvhd.duration], tkhd: [tkhd.duration], elst: [elst.duration] };
  for (const [type, offsets] of Object.entries(fields)) {
    const content = bytes.indexOf(type) + type.length;
    for (const offset of offsets) bytes.writeUInt32BE(bytes.readUInt32BE(content + offset) * factor, content + offset);
  }
  await Bun.write(path, bytes);
}

/** The durations in seconds that the headers of a film state: its own, that of each track, and of its edit. */
async function statedDurations(path: string) {
  const bytes = Buffer.from(await Bun.file(path).bytes());
  const moov = requireBox(bytes, "moov");
  const mvhd = requireBox(moov, "mvhd");
  const seconds = (box: Buffer, field: number) =>
    box.readUInt32BE(field) / mvhd.readUInt32BE(headerFields.mvhd.timescale);
  const traks = [...boxesIn(moov)].filter(({ type }) => type === "trak");
  return [
    seconds(mvhd, headerFields.mvhd.duration),
    ...traks.flatMap(({ content }) => [
      seconds(requireBox(content, "tkhd"), headerFields.tkhd.duration),
      seconds(requireBox(content, "edts", "elst"), headerFields.elst.duration),
    ]),
  ];
}

/** The presentation time of each decoded frame or run of samples, in ticks, and a hash of it. */
async function decode(ffmpeg: TestFfmpeg, path: string, stream: "v" | "a") {
  const args = ["-i", path, "-map", `0:${stream}:0`, ...(await everyFrame(ffmpeg)), "-f", "framemd5", "-"];
  const lines = new TextDecoder().decode(await runFfmpeg(ffmpeg, args)).split("\n");
  const rows = lines.filter((line) => line !== "" && !line.startsWith("#")).map((line) => line.split(/,\s*/));
  return { times: rows.map((row) => Number(row[2])), hashes: rows.map((row) => row[5]) };
}

describe.each(testedFfmpegs)("with the $name ffmpeg", (ffmpeg) => {
  test.each<[string, readonly (readonly [number, Drawing?])[]]>([
    ["of whole and broken GOPs", [[20], [20], [15]]],
    ["of one and two frames, which the encoder does not reorder", [[1], [2], [10], [1]]],
    [
      "whose parameters differ",
      [
        [10, { chromaLocation: 0 }],
        [25, { chromaLocation: 1 }],
        [10, { chromaLocation: 0 }],
      ],
    ],
  ])("a film of segments %s has their frames at equal distances, and all samples of the sound", async (_, drawings) => {
    const segments = [];
    for (const [frames, drawing] of drawings) segments.push(await drawSegment(ffmpeg, frames, drawing));
    const count = segments.reduce((sum, { frames }) => sum + frames, 0);
    const sound = await drawSound(ffmpeg, (count * ntsc.den) / ntsc.num);
    const film = `${folder}/film-${files++}.mp4`;
    await joinVideo({ segments, sound, rate: ntsc, signal }, film);

    const alone = await Promise.all(segments.map(({ path }) => decode(ffmpeg, path, "v")));
    const video = await decode(ffmpeg, film, "v");
    expect(video.hashes).toEqual(alone.flatMap(({ hashes }) => hashes));
    const step = video.times[1]!;
    expect(step).toBeGreaterThan(0);
    expect(video.times).toEqual(Array.from({ length: count }, (_, frame) => frame * step));
    expect(await decode(ffmpeg, film, "a")).toEqual(await decode(ffmpeg, sound, "a"));
  });

  test("a film states its duration in seconds, whatever the clock of its sound file", async () => {
    const segment = await drawSegment(ffmpeg, 30);
    const sound = await drawSound(ffmpeg, 1);
    await refineMovieClock(sound, 48);
    const film = `${folder}/clocks.mp4`;
    await joinVideo({ segments: [segment], sound, rate: ntsc, signal }, film);

    // a packet of sound is 0.02 s long, and the ffmpeg of 2018 counts whole packets
    for (const duration of await statedDurations(film)) expect(Math.abs(duration - 1)).toBeLessThan(0.03);
  });

  test("segments of another size, or with other frames than expected, are refused", async () => {
    const segment = await drawSegment(ffmpeg, 10);
    const larger = await drawSegment(ffmpeg, 10, { size: "96x54" });
    const sound = await drawSound(ffmpeg, 1);
    const join = (...segments: readonly { readonly path: string; readonly frames: number }[]) =>
      joinVideo({ segments, sound, rate: ntsc, signal }, `${folder}/refused.mp4`);

    await expect(join(segment, larger)).rejects.toThrow("encoded in different ways");
    await expect(join({ ...segment, frames: 11 })).rejects.toThrow("10 frames instead of 11");
  });
});

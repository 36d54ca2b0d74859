import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { Image } from "@napi-rs/canvas";
import { execa } from "execa";
import { ffmpegInspector } from "../../../src/engine/inspect/inspect.ts";
import type { Inspector } from "../../../src/engine/ports.ts";
import { sharedTaskPool } from "../../../src/engine/sandbox/task-pool.ts";
import { withEdits } from "../../support/media/bombs/mp4.ts";
import { draw, drawGray, redAtCenter } from "../../support/media/draw-media.ts";
import { directFfmpeg, ffmpegs, foundFfmpeg, temporaryFolder, testedFfmpegs } from "../../support/media/ffmpeg.ts";

let folder: string;
const ann = { owner: "ann" };
const at = (name: string) => `${folder}/${name}`;

const testPattern = (size = "64x36", more = "") => `testsrc=size=${size}:rate=25:duration=0.4${more}`;
const beep = "sine=frequency=440:duration=0.4";
const withBeep = ["-f", "lavfi", "-i", beep];
const h264 = ["-c:v", "libx264", "-pix_fmt", "yuv420p"];
const transparent = testPattern("64x36", ",format=yuva420p");

/** Drawn with the bundled ffmpeg, so that every machine tests the same files. */
const drawings: Record<string, readonly [drawing: string, ...args: string[]]> = {
  "h264.mp4": [testPattern(), ...withBeep, ...h264, "-c:a", "aac"],
  "hd.mp4": [testPattern("1280x720"), ...h264],
  "full-range.mp4": [testPattern(), "-c:v", "libx264", "-pix_fmt", "yuvj420p"],
  "narrow-pixels.mp4": [testPattern(), "-vf", "setsar=2", ...h264],
  "fragmented.mp4": [testPattern(), ...withBeep, ...h264, "-c:a", "aac", "-movflags", "frag_keyframe+empty_moov"],
  "fast-start.mp4": [testPattern(), ...h264, "-movflags", "+faststart"],
  "hevc.mp4": [
    testPattern(),
    "-c:v",
    "libx265",
    "-pix_fmt",
    "yuv420p",
    "-tag:v",
    "hvc1",
    "-x265-params",
    "log-level=none",
  ],
  "mpeg4.mp4": [testPattern(), "-c:v", "mpeg4"],
  "huge.mp4": ["color=size=8192x8192:rate=25:duration=0.04", ...h264, "-preset", "ultrafast"],
  "animation.mov": [testPattern(), "-c:v", "qtrle"],
  "rgb.mp4": [testPattern(), "-c:v", "libx264rgb"],
  "prores.mov": [testPattern(), ...withBeep, "-c:v", "prores", "-c:a", "pcm_s16le"],
  "vp8.webm": [testPattern(), "-c:v", "libvpx"],
  "vp8-alpha.webm": [transparent, "-c:v", "libvpx", "-auto-alt-ref", "0"],
  "vp9-alpha.webm": [transparent, "-c:v", "libvpx-vp9", "-auto-alt-ref", "0"],
  "vp9.mkv": [testPattern(), ...withBeep, "-c:v", "libvpx-vp9", "-pix_fmt", "yuv420p", "-c:a", "libopus"],
  "long-sound.mp4": [testPattern(), "-f", "lavfi", "-i", "sine=duration=1.5", ...h264, "-c:a", "aac"],
  "late-sound.mkv": [testPattern(), "-itsoffset", "0.3", ...withBeep, ...h264, "-c:a", "aac"],
  "fields.mp4": [testPattern(), ...h264, "-flags", "+ildct+ilme", "-x264-params", "tff=1"],
  "fields.mov": [testPattern(), "-vf", "setfield=bff", "-c:v", "prores_ks", "-flags", "+ildct+ilme"],
  "sides.mov": [
    ...([testPattern(), ...withBeep, "-f", "lavfi", "-i", "sine=duration=0.4", "-filter_complex"] as const),
    ...["[1]pan=FL|c0=c0[l];[2]pan=FR|c0=c0[r]", "-map", "0:v", "-map", "[r]", "-map", "[l]"],
    ...[...h264, "-c:a", "pcm_s16le"],
  ],
  "surround.mp4": [testPattern(), ...withBeep, "-af", "pan=5.1|FC=c0", ...h264, "-c:a", "aac"],
  "film.avi": [testPattern(), "-c:v", "mpeg4"],
  "cover.png": [testPattern("16x16"), "-frames:v", "1"],
  "photo.jpg": [testPattern("40x30"), "-frames:v", "1"],
  "picture.webp": [testPattern("40x30"), "-frames:v", "1"],
  "picture.gif": [testPattern("40x30")],
  "still.gif": [testPattern("40x30"), "-frames:v", "1"],
  "moving.png": [testPattern("40x30"), "-f", "apng"],
  "picture.bmp": [testPattern("40x30"), "-frames:v", "1"],
  "sound.mp3": [beep, "-c:a", "libmp3lame"],
  "sound.wav": [beep],
  "sound.flac": [beep],
  "vorbis.ogg": [beep, "-c:a", "libvorbis"],
  "sound.opus": [beep, "-c:a", "libopus"],
  "sound.aac": [beep, "-c:a", "aac"],
  "sound.m4a": [beep, "-c:a", "aac"],
  "sound.webm": [beep, "-c:a", "libopus"],
};

const [painter] = ffmpegs();

const copy = (args: readonly string[]) => execa(painter!.path, ["-v", "error", "-y", ...args], { cwd: folder });

/** Derives files from the drawings: with a cover image, rotated, truncated or with false headers. */
async function derive() {
  const cover = ["-i", "cover.png", "-map", "0:a", "-map", "1:v", "-c", "copy", "-disposition:v", "attached_pic"];
  await copy(["-i", "sound.mp3", ...cover, "cover.mp3"]);
  await copy(["-i", "sound.m4a", ...cover, "cover.m4a"]);
  for (const degrees of [90, 180, 270]) {
    await copy(["-i", "h264.mp4", "-c", "copy", "-metadata:s:v", `rotate=${degrees}`, `turned-${degrees}.mp4`]);
  }
  await Bun.write(at("sideways.jpg"), sideways(await Bun.file(at("photo.jpg")).bytes()));
  for (const name of ["h264.mp4", "fast-start.mp4", "vp8.webm", "photo.jpg", "cover.png", "picture.webp"]) {
    const complete = await Bun.file(at(name)).bytes();
    await Bun.write(at(`cut-${name}`), complete.slice(0, (complete.length * 3) / 4));
  }
  await Bun.write(at("mirrored.mp4"), mirrored(Buffer.from(await Bun.file(at("h264.mp4")).bytes())));
  await Bun.write(at("false-frame-count.mp4"), falseFrameCount(Buffer.from(await Bun.file(at("h264.mp4")).bytes())));
  // film in video: some of its frames have two fields
  const fields = ["-flags", "+ildct+ilme", "-x264-params", "tff=1"];
  for (const [name, more] of [["whole.h264", []] as const, ["fields.h264", fields] as const])
    await copy(["-f", "lavfi", "-i", "testsrc=size=64x36:rate=25:duration=0.12", ...h264, ...more, name]);
  const telecined = ["whole.h264", "fields.h264"].map((name) => Bun.file(at(name)).bytes());
  await Bun.write(at("telecined.h264"), Buffer.concat(await Promise.all(telecined)));
  await copy(["-r", "25", "-i", "telecined.h264", "-c", "copy", "telecined.mp4"]);
  const edits = Array.from({ length: 17 }, () => ({ milliseconds: 20 }));
  await Bun.write(at("edited.mp4"), withEdits(await Bun.file(at("h264.mp4")).bytes(), edits));
  const mp3 = await Bun.file(at("sound.mp3")).bytes();
  await Bun.write(at("padded.mp3"), Buffer.concat([Buffer.alloc(64), mp3]));
  await Bun.write(at("tagged.mp3"), Buffer.concat([id3(2 ** 21), id3(0), Buffer.alloc(64), mp3]));
  await Bun.write(at("tags.mp3"), Buffer.concat([Buffer.alloc(1_200_000, id3(0)), mp3]));
}

/** An ID3 tag of so many bytes; its size has seven bits in each byte. */
const id3 = (bytes: number) =>
  Buffer.concat([
    Buffer.from("ID3\x04\0\0", "latin1"),
    Buffer.from([21, 14, 7, 0].map((shift) => (bytes >> shift) & 0x7f)),
    Buffer.alloc(bytes),
  ]);

/** Changes the display matrix of a video to a rotation by 90 degrees and a horizontal flip. */
function mirrored(mp4: Buffer): Buffer {
  const matrix = mp4.indexOf("tkhd") + 44;
  for (const [index, value] of [0, 1, 0, 1, 0].entries()) mp4.writeInt32BE(value * 0x10000, matrix + 4 * index);
  return mp4;
}

/** Changes the sample table of a video to claim two thousand million frames. */
function falseFrameCount(mp4: Buffer): Buffer {
  mp4.writeUInt32BE(2 ** 31 - 1, mp4.indexOf("stts") + 12);
  return mp4;
}

/** Adds an EXIF orientation of 6 (rotated by 90 degrees) to a JPEG. */
function sideways(jpeg: Uint8Array): Uint8Array {
  const exif = [..."Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"].map((c) =>
    c.charCodeAt(0),
  );
  return new Uint8Array([...jpeg.slice(0, 2), 0xff, 0xe1, 0, exif.length + 2, ...exif, ...jpeg.slice(2)]);
}

const texts: Record<string, string> = {
  "empty.mp4": "",
  "page.html": "<!doctype html><script>alert(1)</script>",
  "photo.heic": "\0\0\0\x18ftypheic\0\0\0\0mif1heic",
  "drawing.svg": '<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>',
  "playlist.m3u8": "#EXTM3U\n#EXTINF:1,\nh264.mp4\n",
  "playlist.mp4": "#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n",
  "list.ffconcat": "ffconcat version 1.0\nfile h264.mp4\n",
  "dash.mpd": '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"/>',
  "paper.pdf": "%PDF-1.7\n",
  "archive.zip": "PK\x03\x04",
  "words.txt": "hello",
  "noise.mp3": "ID3\x03\0\0\0\0\0\0 nothing else",
};

beforeAll(async () => {
  folder = await temporaryFolder();
  for (const [name, [drawing, ...args]] of Object.entries(drawings)) await draw(at(name), drawing, ...args);
  await derive();
  for (const [name, text] of Object.entries(texts)) await Bun.write(at(name), text);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const sdr = { hasAlpha: false, matrix: "bt601", fullRange: false, transfer: "sdr", frameRate: 25 };
const smallVideo = { kind: "video", width: 64, height: 36 };

// outside the loop over ffmpeg builds: none of this reaches ffmpeg
const anyInspector = async (canvas = sharedTaskPool()) =>
  ffmpegInspector({ ffmpeg: await foundFfmpeg(ffmpegs()[0]!.path), makeFolder: temporaryFolder, canvas });

test("a file with more tracks than one plays is rejected", async () => {
  const copies = Array.from({ length: 101 }, () => ["-map", "0:v"]).flat();
  const source = "color=size=16x16:rate=10:duration=0.1";
  const path = await draw(at("tracks.mkv"), source, ...copies, "-c:v", "mjpeg", "-threads", "1");
  const inspecting = (await anyInspector()).inspect(path, ann);
  await expect(inspecting).rejects.toThrow("101 tracks of picture and sound");
});

test("a file that claims more frames than memory can hold is rejected", async () => {
  const inspector = await anyInspector();
  expect(await inspector.inspect(at("h264.mp4"), ann)).toMatchObject({ width: 64, height: 36 });
  const error = await inspector.inspect(at("false-frame-count.mp4"), ann).catch((caught) => caught);
  expect(error).toMatchObject({ code: "unsupported_media_type" });
  expect(error.message).toContain("damaged, or of a kind that cannot be read");
});

test("tracks, and the format of a file without a known signature, are read in a process of the user", async () => {
  const pool = sharedTaskPool();
  const tasks: unknown[] = [];
  const run: typeof pool.run = (kind, input, options) => {
    tasks.push([kind, options.owner]);
    return pool.run(kind, input, options);
  };
  const inspector = await anyInspector({ ...pool, run });
  await Bun.write(at("unknown"), "no known signature".repeat(1000));
  await expect(inspector.inspect(at("unknown"), ann)).rejects.toMatchObject({ code: "unsupported_media_type" });
  await inspector.inspect(at("h264.mp4"), ann);
  expect(tasks).toEqual([
    ["readSoundFormat", ann.owner],
    ["inspectTracks", ann.owner],
  ]);
});

describe.each(testedFfmpegs)("with the $name ffmpeg", ({ path }) => {
  let inspector: Inspector;

  beforeAll(async () => {
    inspector = ffmpegInspector({ ffmpeg: await directFfmpeg(path), makeFolder: temporaryFolder });
  });

  const inspected = new Map<string, ReturnType<Inspector["inspect"]>>();

  /** A file is inspected once: each time starts a process. */
  function factsOf(name: string) {
    const found = inspected.get(name) ?? inspector.inspect(at(name), ann);
    inspected.set(name, found);
    return found;
  }

  test.each([
    [
      "h264.mp4",
      { ...smallVideo, mimeType: "video/mp4", hasSound: true, picture: { ...sdr, codec: "avc", clockTicks: 12_800 } },
    ],
    ["hd.mp4", { width: 1280, height: 720, hasSound: false, picture: { ...sdr, codec: "avc", matrix: "bt709" } }],
    ["full-range.mp4", { ...smallVideo, picture: { ...sdr, codec: "avc", fullRange: true } }],
    ["narrow-pixels.mp4", { kind: "video", width: 128, height: 36 }],
    ["turned-90.mp4", { kind: "video", width: 36, height: 64 }],
    ["turned-180.mp4", { kind: "video", width: 64, height: 36 }],
    ["turned-270.mp4", { kind: "video", width: 36, height: 64 }],
    ["mirrored.mp4", { kind: "video", width: 36, height: 64, picture: { mirroring: "falling" } }],
    ["fragmented.mp4", { ...smallVideo, hasSound: true }],
    ["long-sound.mp4", { durationSeconds: expect.closeTo(1.5, 1), picture: { endSeconds: expect.closeTo(0.4, 2) } }],
    ["late-sound.mkv", { sound: { startSeconds: expect.closeTo(0.3, 1) } }],
    ["fields.mp4", { picture: { ...sdr, isInterlaced: true } }],
    ["fields.mov", { picture: { isInterlaced: true } }],
    ["telecined.mp4", { picture: { isInterlaced: true } }],
    ["sides.mov", { sound: { sides: [1, 0] } }],
    ["surround.mp4", { sound: { channels: 6 } }],
    ["hevc.mp4", { ...smallVideo, picture: { ...sdr, codec: "hevc" } }],
    ["mpeg4.mp4", { ...smallVideo, container: "mp4", picture: { ...sdr, codec: "mp4v" } }],
    ["prores.mov", { ...smallVideo, mimeType: "video/quicktime", extension: "mov", hasSound: true }],
    ["animation.mov", { ...smallVideo, picture: { ...sdr, codec: "rle", hasAlpha: true, matrix: "rgb" } }],
    ["rgb.mp4", { ...smallVideo, picture: { ...sdr, codec: "avc", matrix: "rgb" } }],
    ["vp8.webm", { ...smallVideo, mimeType: "video/webm", picture: { ...sdr, codec: "vp8", clockTicks: 1000 } }],
    ["vp8-alpha.webm", { ...smallVideo, picture: { ...sdr, codec: "vp8", hasAlpha: true } }],
    ["vp9-alpha.webm", { ...smallVideo, picture: { ...sdr, codec: "vp9", hasAlpha: true } }],
    ["vp9.mkv", { ...smallVideo, container: "matroska", extension: "mkv", picture: { startSeconds: 0.007 } }],
    ["sound.mp3", { kind: "audio", container: "mp3", mimeType: "audio/mpeg" }],
    ["padded.mp3", { kind: "audio", container: "mp3", mimeType: "audio/mpeg" }],
    ["tagged.mp3", { kind: "audio", container: "mp3", mimeType: "audio/mpeg" }],
    ["cover.mp3", { kind: "audio", container: "mp3" }],
    ["cover.m4a", { kind: "audio", container: "mp4", mimeType: "audio/mp4" }],
    ["sound.wav", { kind: "audio", container: "wav" }],
    ["sound.flac", { kind: "audio", container: "flac" }],
    ["vorbis.ogg", { kind: "audio", container: "ogg", extension: "ogg" }],
    ["sound.opus", { kind: "audio", container: "ogg", extension: "opus" }],
    ["sound.aac", { kind: "audio", container: "adts" }],
    ["sound.m4a", { kind: "audio", container: "mp4" }],
    ["sound.webm", { kind: "audio", container: "matroska", mimeType: "audio/webm" }],
    ["cover.png", { kind: "image", container: "png", width: 16, height: 16 }],
    ["photo.jpg", { kind: "image", container: "jpeg", extension: "jpg", width: 40, height: 30 }],
    ["sideways.jpg", { kind: "image", width: 30, height: 40 }],
    ["picture.webp", { kind: "image", container: "webp", width: 40, height: 30 }],
    ["picture.gif", { kind: "image", container: "gif", width: 40, height: 30, isMoving: true }],
    ["moving.png", { kind: "image", isMoving: true, pictureMilliseconds: expect.any(Array) }],
  ])("reads the facts of %s", async (name, facts) => {
    expect(await factsOf(name)).toMatchObject(facts);
  });

  test("one picture is not a moving image", async () => {
    for (const name of ["still.gif", "cover.png", "picture.webp"])
      expect(await factsOf(name)).not.toHaveProperty("isMoving");
  });

  test.each(["h264.mp4", "fragmented.mp4", "vp9.mkv", "sound.wav", "sound.flac", "vorbis.ogg"])(
    "computes the duration of %s from its packets",
    async (name) => {
      const { durationSeconds } = await factsOf(name);
      expect(Math.abs(durationSeconds! - 0.4)).toBeLessThan(0.1);
    },
  );

  test.each([
    ["empty.mp4", "The file is empty."],
    ["huge.mp4", "8192 × 8192 pixels"],
    ["film.avi", "AVI files are not accepted."],
    ["picture.bmp", "BMP files are not accepted"],
    ["edited.mp4", "edit list"],
    ["photo.heic", 'HEIC files are not accepted. On an iPhone, choose "Most Compatible" in Settings, Camera, Formats'],
    ["cut-h264.mp4", "incomplete"],
    ["cut-fast-start.mp4", "incomplete"],
    ["cut-photo.jpg", "damaged or incomplete"],
    ["cut-cover.png", "damaged or incomplete"],
    ["cut-picture.webp", "damaged or incomplete"],
    ["page.html", "type is not known"],
    ["drawing.svg", "SVG files are not accepted. Save the drawing as PNG."],
    ["playlist.m3u8", "type is not known"],
    ["playlist.mp4", "type is not known"],
    ["list.ffconcat", "type is not known"],
    ["dash.mpd", "XML files are not accepted"],
    ["paper.pdf", "PDF files are not accepted"],
    ["archive.zip", "ZIP files are not accepted"],
    ["words.txt", "type is not known"],
    ["noise.mp3", ""],
    ["tags.mp3", "type is not known"],
  ])("rejects %s with a helpful message", async (name, sentence) => {
    const error = await inspector.inspect(at(name), ann).catch((caught) => caught);
    expect(error).toMatchObject({ code: "unsupported_media_type" });
    expect(error.message).toContain(sentence);
  });

  test("accepts a truncated WebM with its actual duration, or rejects it", async () => {
    const result = await inspector.inspect(at("cut-vp8.webm"), ann).catch((caught) => caught);
    if (result.code) expect(result.code).toBe("unsupported_media_type");
    else expect(result.durationSeconds).toBeLessThanOrEqual(0.4);
  });

  test.each([
    ["h264.mp4", 64, 36],
    ["turned-90.mp4", 36, 64],
    ["mirrored.mp4", 36, 64],
    ["narrow-pixels.mp4", 128, 36],
    ["hd.mp4", 480, 270],
    ["vp9-alpha.webm", 64, 36],
    ["sideways.jpg", 30, 40],
  ])("creates an upright thumbnail of %s", async (name, width, height) => {
    const thumbnail = await inspector.thumbnail(at(name), await factsOf(name), ann);
    const image = new Image();
    image.src = thumbnail!;
    await image.decode();
    expect({ width: image.width, height: image.height }).toEqual({ width, height });
  });

  test("thumbnails keep the pixel values of a video, whatever its color tags", async () => {
    const path = await drawGray(at("gray.mp4"), 128);
    const thumbnail = await inspector.thumbnail(path, await inspector.inspect(path, ann), ann);
    expect(Math.abs((await redAtCenter(thumbnail!)) - 128)).toBeLessThanOrEqual(4);
  });

  test("ffmpeg writes only to folders of the job, which are removed", async () => {
    const made: string[] = [];
    const makeFolder = async () => {
      const job = `${folder}/job-${made.length}`;
      await mkdir(job);
      made.push(job);
      return job;
    };
    const own = ffmpegInspector({ ffmpeg: await foundFfmpeg(path), makeFolder });

    await own.thumbnail(at("h264.mp4"), await own.inspect(at("h264.mp4"), ann), ann);

    expect(made.length).toBeGreaterThan(1);
    expect(made.filter((job) => existsSync(job))).toEqual([]);
  });

  test("creates no thumbnail of a sound file", async () => {
    expect(await inspector.thumbnail(at("cover.mp3"), await factsOf("cover.mp3"), ann)).toBeUndefined();
  });
});

import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { readFileManifest } from "../../../src/engine/c2pa/read.ts";
import { ffmpegs, runFfmpeg, temporaryFolder } from "../../support/media/ffmpeg.ts";
import { sharedService } from "../../support/service.ts";
import { newWork, numberedVideo, requireJson } from "../../support/work-videos.ts";

const service = await sharedService();
const ann = await service.register("Ann");
const folder = await temporaryFolder();
const [ffmpeg] = ffmpegs();

afterAll(() => rm(folder, { recursive: true, force: true }));

const work = await newWork(ann, { name: "Fahrrad" });
await work.scene(0, await numberedVideo(folder, 100, 21));
const { projectId, workId } = work;
const clips = [{ sceneIndex: 0, position: 0.2, end: 0.6 }];
const sized = { width: 64, height: 64, fps: 25 };

const post = (options: object, more: object = {}) =>
  ann.json("POST", "/api/export", { projectId, workId, clips, options: { ...sized, ...options }, ...more });

const errorOf = async (response: Response) => {
  const { code, error, details } = await response.json();
  return { status: response.status, code, error, path: details?.[0]?.path };
};

/** What ffmpeg says about a file. */
async function describe(bytes: Uint8Array, extension: string): Promise<string> {
  const path = `${folder}/film.${extension}`;
  await Bun.write(path, bytes);
  const child = Bun.spawn([ffmpeg!.path, "-hide_banner", "-i", path], { stderr: "pipe" });
  return await new Response(child.stderr).text();
}

test.each([
  ["mp4", "video/mp4", [/Video: h264/, /Audio: aac/]],
  ["webm", "video/webm", [/Video: vp9/, /Audio: opus/]],
  ["mov", "video/quicktime", [/Video: prores \(4444\)/, /Audio: pcm_s16le/]],
  ["gif", "image/gif", [/Video: gif.*64x64/]],
  ["mp3", "audio/mpeg", [/Audio: mp3/]],
  ["wav", "audio/wav", [/Audio: pcm_s16le/]],
  ["png", "image/png", [/Video: png.*64x64/]],
  ["jpg", "image/jpeg", [/Video: mjpeg.*64x64/]],
])("%s has its type, name, extension and codecs", async (format, mimeType, patterns) => {
  const response = await post({ format });
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe(mimeType);
  expect(response.headers.get("content-disposition")).toContain(`"Fahrrad.${format}"`);
  const facts = await describe(new Uint8Array(await response.arrayBuffer()), format);
  for (const pattern of patterns) expect(facts).toMatch(pattern);
  if (!["gif", "png", "jpg"].includes(format)) expect(facts).toMatch(/Duration: 00:00:00\.(5[89]|6)/);
});

test("a job names its format and its poster, and removes the poster's file with the others", async () => {
  const options = { ...sized, format: "webm", targets: ["9:16", "1:1"], poster: { at: 0.3 } };
  const body = { projectId, workId, clips, options };
  const { id } = await requireJson(ann.json("POST", "/api/exports", body));
  const path = `/api/exports/${id}`;
  let job = await requireJson(ann.request(path));
  while (!["done", "error"].includes(job.status)) {
    await Bun.sleep(50);
    job = await requireJson(ann.request(path));
  }
  expect(job).toMatchObject({
    ...{ status: "done", format: "webm", posterUrl: `${path}/poster?target=9:16` },
    files: [
      { target: "9:16", mimeType: "video/webm", posterUrl: `${path}/poster?target=9:16` },
      { target: "1:1", mimeType: "video/webm", posterUrl: `${path}/poster?target=1:1` },
    ],
  });
  const poster = await ann.request(`${path}/poster?target=1:1`);
  expect(poster.headers.get("content-type")).toBe("image/jpeg");
  expect(poster.headers.get("content-disposition")).toContain("Fahrrad 1x1.jpg");
  expect(await describe(new Uint8Array(await poster.arrayBuffer()), "jpg")).toMatch(/mjpeg.*64x64/);
  const provenance = await requireJson(ann.request(`${path}/provenance`));
  expect(provenance.signature).toBeUndefined();
  expect(provenance.unsigned).toContain("webm");
  await ann.request(path, { method: "DELETE" });
  expect((await ann.request(`${path}/poster`)).status).toBe(404);
});

test("a picture has the pixels of the frame of the same request", async () => {
  const options = { ...sized, format: "png", at: 0.3 };
  const body = { projectId, workId, clips, options };
  const pixelsOf = async (url: string) => {
    const path = `${folder}/picture.png`;
    await Bun.write(path, await (await ann.json("POST", url, body)).bytes());
    return await runFfmpeg(ffmpeg!, ["-i", path, "-f", "rawvideo", "-"]);
  };
  const picture = await pixelsOf("/api/export");
  const frame = await pixelsOf("/api/export/frame?t=0.3");
  expect(Buffer.from(picture).equals(Buffer.from(frame))).toBe(true);
});

test("pictures are signed, and name what they were made from", async () => {
  for (const [format, container] of [
    ["png", "png"],
    ["jpg", "jpeg"],
  ] as const) {
    const path = `${folder}/signed.${format}`;
    await Bun.write(path, await (await post({ format, at: 0.3 })).bytes());
    const { state, failures } = readFileManifest(path, container) ?? {};
    expect({ format, state, failures }).toEqual({ format, state: "valid", failures: [] });
    const bytes = await Bun.file(path).bytes();
    bytes[bytes.length - 20]! ^= 1;
    await Bun.write(path, bytes);
    expect(readFileManifest(path, container)?.state).toBe("invalid");
  }
});

test("transparent gaps have no alpha", async () => {
  for (const format of ["webm", "mov", "gif", "png"]) {
    const response = await post({ format, background: "transparent" });
    expect(response.status).toBe(200);
    const path = `${folder}/clear.${format}`;
    await Bun.write(path, await response.bytes());
    const decoder = format === "webm" ? ["-c:v", "libvpx-vp9"] : [];
    const output = ["-frames:v", "1", "-pix_fmt", "rgba", "-f", "rawvideo", "-"];
    const pixels = await runFfmpeg(ffmpeg!, [...decoder, "-i", path, ...output]);
    const most = Math.max(...pixels.filter((_, index) => index % 4 === 3));
    // VP9 encodes alpha as it does luma
    expect({ format, most, isClear: most <= (format === "webm" ? 2 : 0) }).toEqual({ format, most, isClear: true });
  }
});

test("what a format does not allow is an error with a sentence", async () => {
  expect(await errorOf(await post({ background: "transparent" }))).toEqual({
    ...{ status: 422, code: "background_not_possible", path: "options.background" },
    error: "The format mp4 has no transparency: choose webm, mov, gif or png, or another background.",
  });
  for (const format of ["mp3", "wav", "jpg"])
    expect((await post({ format, background: "transparent" })).status).toBe(422);
  const long = [{ sceneIndex: 0, position: 0, end: 31 }];
  expect(await errorOf(await post({ format: "gif" }, { clips: long }))).toMatchObject({
    ...{ status: 422, code: "gif_too_long", path: "options.format" },
  });
  expect(await errorOf(await post({ format: "png", at: 0.6 }))).toMatchObject({ status: 400, path: "options.at" });
  expect(await errorOf(await post({ poster: { at: 3 } }))).toMatchObject({ status: 400, path: "options.poster.at" });
  expect(await errorOf(await post({ format: "avi" }))).toMatchObject({ status: 400, path: "options.format" });
});

test("validation reports the errors of formats, and that a GIF runs at another rate", async () => {
  const body = { projectId, workId, clips, options: { ...sized, fps: 30, format: "gif" } };
  const { ok, warnings, frames } = await requireJson(ann.json("POST", "/api/export/validate", body));
  expect(ok).toBe(true);
  expect(frames).toBe(15);
  expect(warnings).toContainEqual({
    ...{ path: "options.fps", code: "format_changes_fps" },
    message: "A GIF has 10, 20, 25, 50 frames a second: this one has 25, not 30.",
  });
  const clear = { ...body, options: { ...sized, background: "transparent" } };
  expect((await requireJson(ann.json("POST", "/api/export/validate", clear))).errors).toMatchObject([
    { path: "options.background", code: "background_not_possible" },
  ]);
});

test("files of every format pass a gate", async () => {
  for (const format of ["webm", "mov", "gif", "mp3", "wav", "png", "jpg"]) {
    const response = await post({ format }, { gate: "warn" });
    expect([format, response.status]).toEqual([format, 200]);
    await response.body?.cancel();
  }
});

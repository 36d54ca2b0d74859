import { expect, test } from "bun:test";
import { sharedService } from "../../support/service.ts";
import { formOf, mp4, png, wav } from "../../support/uploads.ts";
import { newWork } from "../../support/work-videos.ts";

const service = await sharedService();
const ann = await service.register("Ann");

const { projectId, workId, base } = await newWork(ann);
const assets = `/api/projects/${projectId}/assets`;
await ann.json("PUT", base, {
  editorState: { editorData: { videoTrack: [{ id: "clip", start: 2, end: 1, sceneIndex: 0 }] } },
});

const json = (method: string, path: string, body: unknown, headers?: Record<string, string>) => () =>
  ann.json(method, path, body, headers);
const get = (path: string) => () => ann.request(path);
const text = (path: string, body: string) => () =>
  ann.request(path, { method: "POST", body, headers: { "content-type": "application/json" } });
const upload = (fields: Parameters<typeof formOf>[0]) => () =>
  ann.request(assets, { method: "POST", body: formOf(fields) });
const exported = (body: object, path = "/api/export") => json("POST", path, { projectId, workId, ...body });
const clip = { sceneIndex: 0, position: 0, end: 1 };
const nested = `{"styleGuide":${'{"a":'.repeat(32)}1${"}".repeat(32)}}`;

const requests: [path: string, message: string, send: () => Response | Promise<Response>][] = [
  ["name", "Name is required.", json("POST", "/api/projects", {})],
  ["name", "Name must be text.", json("POST", "/api/projects", { name: null })],
  ["name", "Name must not be empty.", json("POST", "/api/projects", { name: " " })],
  [
    "resolution.width",
    "Width must be at least 16 pixels.",
    json("PUT", base, { resolution: { width: 0, height: 16 } }),
  ],
  ["resolution.width", "Width must be an even number.", json("PUT", base, { resolution: { width: 17, height: 16 } })],
  ["videoDuration", "Video duration must be more than 0.", json("PUT", base, { videoDuration: 0 })],
  ["mode", "Mode must be one of: style_transfer, content_remix.", json("PUT", base, { mode: "remix" })],
  ["scenes", "Scenes must be a list.", json("PUT", base, { scenes: "" })],
  ["", "The body must be an object.", json("POST", "/api/projects", [])],
  ["", "The body is not valid JSON.", text("/api/projects", "{")],
  ["name", "Name must not hold NUL characters or lone surrogates.", text("/api/projects", '{"name":"\\u0000"}')],
  ["styleGuide.tone", "Tone must be a finite number.", text("/api/projects", '{"styleGuide":{"tone":1e999}}')],
  [`styleGuide${".a".repeat(31)}`, "A must not be nested deeper than 32 levels.", text("/api/projects", nested)],
  ["limit", "Limit must be a whole number.", get("/api/projects?limit=x")],
  ["limit", "Limit must be at most 1,000.", get("/api/projects?limit=1001")],
  ["cursor", "Cursor must be one that this list returned.", get("/api/projects?cursor=x")],
  ["t", "Time must be a number of seconds.", exported({}, "/api/export/frame?t=now")],
  ["name", "Name must be sent only once.", upload({ file: png(), name: ["a", "b"] })],
  ["tags", "Tags must be a JSON list of texts, or one tag in each field.", upload({ file: png(), tags: "[1" })],
  ["tags.1", "Tag 2 must have at most 100 characters.", upload({ file: png(), tags: ["a", "x".repeat(101)] })],
  [
    "description",
    "Description must have at most 2,000 characters.",
    upload({ file: png(), description: "x".repeat(2001) }),
  ],
  ["file", "File must be sent only once.", upload({ file: [png(), png()] })],
  ["clips.0.end", "Clip 1: end must be later than position.", exported({ clips: [{ ...clip, end: 0 }] })],
  ["clips.1.sceneIndex", "Clip 2: scene index is required.", exported({ clips: [clip, { position: 0, end: 1 }] })],
  ["clips.0.end", "Clip 1: end must be later than position (as saved in the editor).", exported({})],
  [
    "image_url",
    "Image URL must contain its data after a comma.",
    json("POST", "/api/generate/video", { prompt: "x", image_url: "data:image/png" }),
  ],
  [
    ...([
      "Idempotency-Key",
      "The header Idempotency-Key must be 1 to 255 visible ASCII characters, without spaces.",
    ] as const),
    json("POST", "/api/generate/image", { prompt: "x" }, { "idempotency-key": "a b" }),
  ],
  [
    ...([
      "x-model-id",
      "The header x-model-id must have at most 200 letters, digits and . _ : / @ -, and no two dots in a row.",
    ] as const),
    json("POST", "/api/generate/image", { prompt: "x" }, { "x-model-id": "a b" }),
  ],
];

test.each(requests)("an invalid %p is explained: %s", async (path, message, send) => {
  const response = await send();
  const { error, code, details } = await response.json();
  expect({ status: response.status, error, code, details }).toEqual({
    ...{ status: 400, error: message, code: "validation_error" },
    details: [{ path, message }],
  });
});

test("several invalid fields are counted after the first", async () => {
  const response = await ann.json("POST", "/api/auth/register", { email: "ann", password: "short", name: "" });
  const { error, details } = await response.json();
  expect(error).toBe("E-mail must be an address like name@example.com. (and 2 more)");
  expect(details).toEqual([
    { path: "email", message: "E-mail must be an address like name@example.com." },
    { path: "password", message: "Password must have at least 8 characters." },
    { path: "name", message: "Name must not be empty." },
  ]);
});

test("a wrong type gives one message, and a missing file its own sentence", async () => {
  const wrongType = await ann.json("PUT", base, { resolution: { width: 16.5, height: 16 } });
  expect((await wrongType.json()).details).toEqual([
    { path: "resolution.width", message: "Width must be a whole number of pixels." },
  ]);
  const { error, details } = await (await upload({ name: "x" })()).json();
  expect(error).toBe("No file uploaded");
  expect(details).toEqual([{ path: "file", message: "Send the file in the field file of the form." }]);
});

test("the report of a validation has the same sentences", async () => {
  const response = await exported({ clips: [{ ...clip, end: 0 }] }, "/api/export/validate")();
  expect((await response.json()).errors).toContainEqual({
    path: "clips.0.end",
    code: "validation_error",
    message: "Clip 1: end must be later than position.",
  });
});

test("an id that differs from the one in the address is named", async () => {
  const { error, code } = await (await ann.json("PUT", base, { projectId: "proj_1" })).json();
  expect([error, code]).toEqual(["Project ID differs from the one in the address.", "id_mismatch"]);
});

const picture = "Upload a PNG, JPEG, WebP, GIF or AVIF picture, or a Lottie animation (JSON or .lottie).";
const video = "Upload a video, such as MP4, MOV, WebM or MKV.";
const sound = "Upload a sound file, such as MP3, WAV, M4A, AAC, FLAC or OGG.";
const anything =
  "Upload an image, video, audio or font file: PNG, JPEG, WebP, GIF, AVIF, Lottie, MP4, MOV, WebM, MKV, MP3, WAV, M4A, AAC, FLAC, OGG, TTF, OTF, WOFF or WOFF2.";
const pdf = new File(["%PDF-1.7\n"], "paper.pdf");
const words = new File(["hello"], "words.png");

const media = `${base}/media`;
const wrongFiles: [place: string, path: string, field: string, file: File, error: string][] = [
  ["a reference", `${media}/reference`, "video", png(), `This file is a picture. ${video}`],
  ["a reference", `${media}/reference`, "video", wav(), `This file holds only sound. ${video}`],
  ["a reference", `${media}/reference`, "video", pdf, `PDF files are not accepted. ${video}`],
  ["a scene's video", `${media}/scene/0/video`, "file", new File([], "clip.mp4"), `The file is empty. ${video}`],
  ["a scene's image", `${media}/scene/0/image`, "file", await mp4(), `This file is a video. ${picture}`],
  ["a scene's image", `${media}/scene/0/image`, "file", words, `The file's type is not known. ${picture}`],
  ["the music", `${media}/audio`, "audio", await mp4(), `This file is a video. ${sound}`],
  ["an asset", assets, "file", pdf, `PDF files are not accepted. ${anything}`],
  ["an analysis", "/api/analyze", "video", png(), `This file is a picture. ${video}`],
  ["an analysis", "/api/analyze", "video", words, `The file's type is not known. ${video}`],
];

test.each(wrongFiles)("a wrong file for %s is 415 with what this place takes", async (_, path, field, file, error) => {
  const response = await ann.request(path, { method: "POST", body: formOf({ [field]: file }) });
  expect(await response.json()).toMatchObject({ code: "unsupported_media_type", error });
  expect(response.status).toBe(415);
});

test.each([
  ["a project", "/api/projects", "This address takes JSON: send it with Content-Type application/json."],
  ["an asset", assets, "This address takes a form: send the file as multipart/form-data, in the field file."],
  [
    "a reference",
    `${media}/reference`,
    "This address takes a form: send the file as multipart/form-data, in the field video.",
  ],
])("a wrong Content-Type for %s is 415 with the one that is taken", async (_, path, error) => {
  const response = await ann.request(path, { method: "POST", body: "x", headers: { "content-type": "text/plain" } });
  expect(await response.json()).toMatchObject({ code: "unsupported_media_type", error });
  expect(response.status).toBe(415);
});

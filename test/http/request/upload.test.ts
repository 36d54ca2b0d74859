import { afterAll, beforeAll, expect, test } from "bun:test";
import { parse } from "content-disposition";
import { type OwnService, type TestUser, testService } from "../../support/service.ts";
import { boundary, countAdded, formOf, newProject, nothingAdded, png, rawForm } from "../../support/uploads.ts";

const maxUploadBytes = 100_000;

let service: OwnService;
let ann: TestUser;
let path: string;

beforeAll(async () => {
  service = await testService({ MAX_UPLOAD_BYTES: `${maxUploadBytes}` });
  ann = await service.register();
  path = `/api/projects/${await newProject(ann)}/assets`;
});

afterAll(() => service.close());

const post = async (body: BodyInit | RequestInit) => {
  const init = body instanceof FormData ? { method: "POST", body } : (body as RequestInit);
  const response = await ann.request(path, init);
  return { status: response.status, body: await response.json() };
};

const addedBy = (action: () => Promise<unknown>) => countAdded(service, ann, path, action);

const fileHead = ['Content-Disposition: form-data; name="file"; filename="a.png"', "Content-Type: image/png"];
const pngText = async () => Buffer.from(await png().arrayBuffer()).toString("latin1");

const brokenForms: readonly [title: string, init: () => RequestInit | Promise<RequestInit>, message: RegExp][] = [
  ["without a file", () => ({ method: "POST", body: formOf({ name: "x" }) }), /^No file uploaded$/],
  ["without any part", () => rawForm(`--${boundary}--`, ""), /^No file uploaded$/],
  ["without a body", () => ({ method: "POST" }), /^No file uploaded$/],
  ["with the file in another field", () => ({ method: "POST", body: formOf({ image: png() }) }), /^No file uploaded$/],
  ["with an empty file field", () => ({ method: "POST", body: formOf({ file: new File([], "") }) }), /^No file/],
  ["with text in the file field", () => ({ method: "POST", body: formOf({ file: "text" }) }), /^No file/],
  [
    "with two files",
    () => ({ method: "POST", body: formOf({ file: [png(), png()] }) }),
    /^File must be sent only once\.$/,
  ],
  ["that is cut off", () => rawForm(`--${boundary}`, ...fileHead, "", "abc"), /cut off or broken/],
  [
    "that is cut off in a text field",
    async () =>
      rawForm(
        `--${boundary}`,
        ...fileHead,
        "",
        await pngText(),
        `--${boundary}`,
        'Content-Disposition: form-data; name="name"',
        "",
        "x",
      ),
    /cut off or broken/,
  ],
  ["that is cut off in a header", () => rawForm(`--${boundary}`, "Content-Dispo"), /cut off or broken/],
  [
    "with another boundary than in its header",
    () => rawForm("--other", ...fileHead, "", "abc", "--other--", ""),
    /cut off or broken/,
  ],
  [
    "without a boundary",
    () => ({ method: "POST", headers: { "content-type": "multipart/form-data" }, body: "x" }),
    /names no boundary/,
  ],
  [
    "with too many fields",
    () => ({ method: "POST", body: formOf({ tags: Array(200).fill("x"), file: png() }) }),
    /too many fields/,
  ],
  [
    "with too many files",
    () => ({ method: "POST", body: formOf({ other: Array(9).fill(png()), file: png() }) }),
    /too many files/,
  ],
  [
    "with a text field that is too long",
    () => ({ method: "POST", body: formOf({ file: png(), name: "x".repeat(70_000) }) }),
    /^Name must have at most 65,536 bytes\.$/,
  ],
  [
    "with NUL in a text field",
    () => ({ method: "POST", body: formOf({ name: "a\0b", file: png() }) }),
    /^Name must not hold NUL/,
  ],
  [
    "with an empty name",
    () => ({ method: "POST", body: formOf({ file: png(), name: "  " }) }),
    /^Name must not be empty\.$/,
  ],
  [
    "with a name that is too long",
    () => ({ method: "POST", body: formOf({ file: png(), name: "x".repeat(201) }) }),
    /^Name must have at most 200 characters\.$/,
  ],
  [
    "with two names",
    () => ({ method: "POST", body: formOf({ file: png(), name: ["x", "y"] }) }),
    /^Name must be sent only once\.$/,
  ],
  [
    "with tags that are broken JSON",
    () => ({ method: "POST", body: formOf({ file: png(), tags: "[oops" }) }),
    /^Tags must be a JSON list/,
  ],
  [
    "with NUL in a JSON tag",
    () => ({ method: "POST", body: formOf({ file: png(), tags: '["a\\u0000"]' }) }),
    /^Tag 1 must not hold NUL/,
  ],
  [
    "with tags that are not strings",
    () => ({ method: "POST", body: formOf({ file: png(), tags: "[1]" }) }),
    /^Tag 1 must be text\.$/,
  ],
];

test.each(brokenForms)("a form %s is rejected and leaves no file", async (_, init, message) => {
  const added = await addedBy(async () => {
    const { status, body } = await post(await init());
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: "validation_error", error: expect.stringMatching(message) });
  });
  expect(added).toEqual(nothingAdded);
});

test.each([
  ["JSON", { "content-type": "application/json" }, "{}"],
  ["a URL-encoded form", { "content-type": "application/x-www-form-urlencoded" }, "file=x"],
  ["bytes without a type", {}, new Uint8Array(9)],
])("%s is not accepted as an upload", async (_, headers, body) => {
  const response = await post({ method: "POST", headers, body });

  expect(response.status).toBe(415);
  expect(response.body.code).toBe("unsupported_media_type");
});

test.each([
  ["an HTML page", "<!doctype html><script>alert(1)</script>", "page.png"],
  ["an SVG with a script", '<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>', "picture.svg"],
  ["a playlist", "#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n", "clip.mp4"],
  ["an empty file", "", "clip.mp4"],
])("%s is rejected by its bytes and leaves no file", async (_, text, name) => {
  const added = await addedBy(async () => {
    const { status, body } = await post(formOf({ file: new File([text], name, { type: "image/png" }) }));
    expect([status, body.code]).toEqual([415, "unsupported_media_type"]);
  });
  expect(added).toEqual(nothingAdded);
});

test("text fields may come before or after the file", async () => {
  const before = await post(formOf({ name: "Before", tags: ["a", "b"], file: png() }));
  const after = await post(formOf({ file: png(), tags: '["a", "b"]', name: " After " }));

  expect(before.body).toMatchObject({ name: "Before", tags: ["a", "b"] });
  expect(after.body).toMatchObject({ name: "After", tags: ["a", "b"] });
});

test("bytes after the last boundary are ignored", async () => {
  const file = [`--${boundary}`, ...fileHead, "", await pngText(), `--${boundary}--`, "more", `--${boundary}`];
  const { body, ...init } = rawForm(...file);

  const response = await post({ ...init, body: Buffer.from(String(body), "latin1") });

  expect(response.status).toBe(201);
});

test.each([
  ["directories", "../../etc/passwd.png", "passwd.png"],
  ["Windows directories", "C:\\fakepath\\shot.png", "shot.png"],
  ["Cyrillic", "Видео ролик.png", "Видео ролик.png"],
  ["emoji", "👩🏽‍🚀 launch.png", "👩🏽‍🚀 launch.png"],
  ["a right-to-left mark", "cod\u202egnp.png", "codgnp.png"],
  ["quotes, as browsers escape them", "%22big%22.png", '"big".png'],
  ["a line break, as browsers escape it", "a%0D%0Ab.png", "a b.png"],
  ["only dots", "..", "image.png"],
  ["1,000 characters", `${"x".repeat(1000)}.png`, `${"x".repeat(196)}.png`],
])("a file name with %s is sanitised", (_, given, expected) => expectName(`filename="${given}"`, expected));

test.each([
  ["curl", String.raw`filename="a\"; filename=b \\ c.png"`, "c.png"],
  ["curl, with a second name inside", String.raw`filename="a\"; filename=b.png"`, 'a"; filename=b.png'],
  ["browsers and Node", 'filename="a%22; filename=b.png"', 'a"; filename=b.png'],
  ["Python's requests", "filename*=utf-8''caf%C3%A9%22%3B%20filename%3Db.png", 'café"; filename=b.png'],
  ["old clients, without quotes", "filename=a.png", "a.png"],
  ["clients that name it twice", `filename="a.png"; filename="b.html"`, "a.png"],
  ["clients that send both forms", `filename="cafe.png"; filename*=UTF-8''caf%C3%A9.png`, "cafe.png"],
  ["browsers, with filename= inside", 'filename="x filename=y.png"', "x filename=y.png"],
  ["browsers, with the other form inside", `filename="x; filename*=UTF-8''y.png"`, "x; filename*=UTF-8''y.png"],
])("a file name as %s write it keeps its characters", (_, parameter, expected) => expectName(parameter, expected));

/** Uploads a file with this parameter of Content-Disposition, and downloads it under the name that it got. */
async function expectName(parameter: string, expected: string) {
  const head = [`Content-Disposition: form-data; name="file"; ${parameter}`, "Content-Type: image/png"];
  const text = [`--${boundary}`, ...head, "", ""].join("\r\n");
  const bytes = [Buffer.from(text), await png().bytes(), Buffer.from(`\r\n--${boundary}--\r\n`)];

  const { status, body } = await post({ ...rawForm(), body: Buffer.concat(bytes) });

  expect(status).toBe(201);
  expect(body).toMatchObject({ name: expected, filename: expected });
  const file = await ann.request(body.url);
  expect(file.status).toBe(200);
  expect(parse(file.headers.get("content-disposition")!).parameters.filename).toBe(expected);
}

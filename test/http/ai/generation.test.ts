import { afterAll, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { DomainError } from "../../../src/errors.ts";
import { jsonClient, jsonClientWithScopes } from "../../support/json-client.ts";
import { leaseEnds } from "../../support/lease-ends.ts";
import { scriptedModels } from "../../support/models/scripted-models.ts";
import { workWithScenes } from "../../support/scene-works.ts";
import { sharedService, testService } from "../../support/service.ts";
import { filesOf, formOf, listen, mp4, png, wav } from "../../support/uploads.ts";

const { script, models } = scriptedModels();
const externalSite = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(png(12, 8)) });
const externalAccess = { ALLOW_PRIVATE_NETWORK: "true", FETCH_EXTRA_PORTS: `${externalSite.port}` };
const ends = leaseEnds();
const service = await testService(externalAccess, undefined, (services) => ({
  ...models(services),
  ...ends.store(services),
}));
const ann = await service.register("Ann");
const api = jsonClient(ann);
afterAll(async () => {
  await service.close();
  await externalSite.stop(true);
});
beforeEach(() => script.reset());

const generate = (kind: "image" | "video", body: object, headers?: Record<string, string>) =>
  api("POST", `/api/generate/${kind}`, { prompt: "A kettle", ...body }, headers);

const dataUrl = async (file: File) => `data:image/png;base64,${(await file.bytes()).toBase64()}`;
const image = await dataUrl(png());

const newWork = (fields?: object) => workWithScenes(ann, fields);

const failure = () => new DomainError("provider_error", { reason: "its job failed" });

test("an image without a work gets a signed URL that needs no credential", async () => {
  const { status, body } = await generate("image", {});
  expect([status, Object.keys(body)]).toEqual([200, ["imageUrl"]]);
  expect(body.imageUrl).toMatch(/^\/api\/media\/media_\w{32}\?expires=\d{13}&signature=[\w-]{43}$/);

  const server = listen(service);
  const url = server.url + body.imageUrl;
  const whole = await fetch(url);
  expect(new Uint8Array(await whole.arrayBuffer())).toEqual(await png(64, 36).bytes());
  expect(whole.headers.get("content-type")).toBe("image/png");
  const part = await fetch(url, { headers: { range: "bytes=1-3" } });
  expect([part.status, await part.text()]).toEqual([206, "PNG"]);
  const known = await fetch(url, { headers: { "if-none-match": whole.headers.get("etag")! } });
  expect(known.status).toBe(304);
  const head = await fetch(url, { method: "HEAD" });
  expect([head.status, head.headers.get("content-length")]).toEqual([200, whole.headers.get("content-length")]);
  await server.stop();
});

test("a changed or expired signed URL is 404", async () => {
  const url: string = (await generate("image", {})).body.imageUrl;
  const [path, query] = url.split("?");
  const mediaId = path!.split("/")[3]!;
  const { signedLinks } = service.services;
  const { expires = "" } = Object.fromEntries(new URLSearchParams(query));
  const invalidUrls = [
    ...[
      path!,
      url.replace(expires, `${Number(expires) + 1}`),
      `${url}x`,
      `${url}&expires=1`,
      "/api/media/nonsense?expires=1&signature=x",
    ],
    url.replace(/media_\w{32}/, "media_00000000000000000000000000000000"),
    service.services.internalUrls.generatedMedia(mediaId, signedLinks.sign(mediaId, Date.now() - 1)),
  ];
  for (const invalidUrl of invalidUrls) expect((await service.request(invalidUrl)).status).toBe(404);
  expect((await service.request(url)).status).toBe(200);
});

test("the model gets the whole prompt and its parts", async () => {
  const styleGuide = { tone: "warm", must_avoid: ["people"] };
  const fields = { negative_prompt: "text", image_instruction: "Draw with a pen.", styleGuide };
  await generate("image", { ...fields, resolution: { width: 640, height: 360 } }, { "x-image-provider": "x" });

  const [task] = script.imageTasks;
  expect(task!.resolution).toEqual({ width: 640, height: 360 });
  expect(task!.shot).toEqual({ prompt: "A kettle", avoid: "text, people", styleGuide });
  for (const part of ["Draw with a pen.", "Tone: warm", "A kettle", "text, people"])
    expect(task!.prompt).toContain(part);
  expect(script.choices).toEqual([{ provider: "x" }]);
  await generate("image", {});
  expect(script.imageTasks[1]!.resolution).toEqual({ width: 1080, height: 1920 });
});

test("fields that the request leaves out come from the work and its project", async () => {
  const { projectId, workId } = await newWork({
    imageSystemPrompt: "Use ink.",
    resolution: { width: 90, height: 160 },
  });
  await api("PUT", `/api/projects/${projectId}`, { styleGuide: { tone: "calm" } });
  await generate("image", { projectId, workId, sceneIndex: 0 });

  expect(script.imageTasks[0]!.resolution).toEqual({ width: 90, height: 160 });
  for (const part of ["Use ink.", "Tone: calm"]) expect(script.imageTasks[0]!.prompt).toContain(part);
});

test("an image for a scene is stored in the work, and the work shows the status", async () => {
  const { projectId, workId, base, scene } = await newWork();
  const { draw } = script;
  let during: object | undefined;
  script.draw = async (...args) => {
    during = await scene(2);
    return draw(...args);
  };
  const { body } = await generate("image", { projectId, workId, sceneIndex: 2 });

  const imageUrl = `${base}/media/scene/2/image`;
  expect(body).toEqual({ imageUrl });
  expect(during).toEqual({ sceneIndex: 2, status: "generating_image" });
  expect(await scene(2)).toEqual({ sceneIndex: 2, status: "image_ready", imageUrl });
  expect((await ann.request(imageUrl)).status).toBe(200);
});

test("a video for a scene is stored in the work, also with an image from elsewhere", async () => {
  const { projectId, workId, base, scene } = await newWork();
  const { animate } = script;
  let during: object | undefined;
  script.animate = async (...args) => {
    during = await scene();
    return animate(...args);
  };
  const { body } = await generate("video", { projectId, workId, sceneIndex: 0, image_url: image });

  const videoUrl = `${base}/media/scene/0/video`;
  expect(body).toEqual({ videoUrl, duration: 5 });
  expect(during).toEqual({ sceneIndex: 0, status: "generating_video" });
  expect(await scene()).toEqual({ sceneIndex: 0, status: "done", videoUrl });
});

test("the duration is adjusted to the model and returned", async () => {
  for (const [duration, nearest] of [
    [undefined, 5],
    [null, 5],
    [0.2, 4],
    [600, 8],
  ]) {
    const { body } = await generate("video", { image_url: image, duration });
    expect(body).toEqual({ videoUrl: expect.stringMatching(/^\/api\/media\/media_/), duration: nearest });
    expect(script.videoTasks.pop()!.durationSeconds).toBe(nearest!);
  }
});

const invalidRequests: [kind: "image" | "video", path: string, body: object][] = [
  ["image", "prompt", { prompt: " " }],
  ["image", "prompt", { prompt: undefined }],
  ["image", "resolution.width", { resolution: { width: 1081, height: 4 } }],
  ["image", "sceneIndex", { projectId: "proj_1" }],
  ["image", "sceneIndex", { projectId: "proj_1", workId: "work_1" }],
  ["image", "sceneIndex", { sceneIndex: 0 }],
  ["video", "image_url", {}],
  ["video", "image_url", { image_url: "" }],
  ["video", "image_url", { image_url: "data:image/png;base64,*" }],
  ["video", "duration", { image_url: image, duration: 0 }],
  ["video", "duration", { image_url: image, duration: 601 }],
];

test.each(invalidRequests)("%s: an invalid %s is a 400", async (kind, path, body) => {
  const response = await generate(kind, body);
  expect([response.status, response.body.code, response.body.details[0].path]).toEqual([400, "validation_error", path]);
});

test("another user's work is 404 before the other fields are validated", async () => {
  const { projectId, workId } = await newWork();
  const bob = jsonClient(await service.register("Bob"));
  for (const kind of ["image", "video"]) {
    const { status } = await bob("POST", `/api/generate/${kind}`, { projectId, workId, sceneIndex: 900 });
    expect(status).toBe(404);
  }
  expect((await generate("image", { projectId, workId, sceneIndex: 500 })).status).toBe(400);
});

test("storing into a work requires works:write as well", async () => {
  const { projectId, workId } = await newWork();
  const narrow = await jsonClientWithScopes(service, ann, ["ai:generate"]);
  const request = { prompt: "A kettle" };
  expect((await narrow("POST", "/api/generate/image", request)).status).toBe(200);
  const { status, body } = await narrow("POST", "/api/generate/image", {
    ...request,
    projectId,
    workId,
    sceneIndex: 0,
  });
  expect([status, body.required]).toEqual([403, ["works:write"]]);
});

/** The URLs of one stored image: as an asset, as work media and as generated media. */
async function imageUrls(file: File) {
  const { projectId, workId, base, upload } = await newWork();
  await upload("scene/0/image", file);
  const response = await ann.request(`/api/projects/${projectId}/assets`, { method: "POST", body: formOf({ file }) });
  const { url } = await response.json();
  script.draw = () => file.bytes();
  const { imageUrl } = (await generate("image", {})).body;
  return { projectId, workId, asset: url as string, media: `${base}/media/scene/0/image`, signed: imageUrl as string };
}

test("image_url takes every kind of URL, and the model gets the bytes", async () => {
  const file = png(12, 8);
  const bytes = await file.bytes();
  const { asset, media, signed } = await imageUrls(file);
  const escaped = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
  const urls = [
    ...[asset, `http://localhost${asset}?token=x`, media, signed, `http://localhost${signed}`, signed.split("?")[0]!],
    ...[externalSite.url.href, await dataUrl(file), `data:image/png,${escaped}`],
  ];
  for (const image_url of urls) {
    const { status } = await generate("video", { image_url });
    expect([image_url.slice(0, 60), status]).toEqual([image_url.slice(0, 60), 200]);
    expect(script.inputImages.pop()).toEqual(bytes);
  }
  expect(script.videoTasks[0]!.image).toMatchObject({ sizeBytes: bytes.length, facts: { mimeType: "image/png" } });
});

test("an image in a rare format is converted for the model", async () => {
  const gif = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
  const before = await filesOf(service);
  expect((await generate("video", { image_url: gif })).status).toBe(200);
  const { image } = script.videoTasks[0]!;
  expect(image.facts).toMatchObject({ kind: "image", width: 1, height: 1 });
  expect(image.facts).toMatchObject({ mimeType: expect.stringMatching(/^image\/(png|jpeg)$/) });
  expect(script.inputImages[0]!.length).toBe(image.sizeBytes);
  expect((await filesOf(service)).length).toBe(before.length + 1);
});

test("another user's image can be read only through its signed URL", async () => {
  const { asset, media, signed } = await imageUrls(png());
  const bob = jsonClient(await service.register("Bob"));
  const animate = async (image_url: string) => {
    const { status, body } = await bob("POST", "/api/generate/video", { prompt: "x", image_url });
    return [status, body.code, body.details?.[0].path];
  };
  for (const url of [asset, media, signed.split("?")[0]!, `${signed}x`, "/api/media/x", "/api/nothing"]) {
    expect(await animate(url)).toEqual([422, "asset_missing", "image_url"]);
  }
  expect(await animate(signed)).toEqual([200, undefined, undefined]);
});

test("an internal image requires the scope that reads it", async () => {
  const { asset, media, signed } = await imageUrls(png());
  const narrow = await jsonClientWithScopes(service, ann, ["ai:generate"]);
  const animate = (image_url: string) => narrow("POST", "/api/generate/video", { prompt: "x", image_url });
  expect((await animate(asset)).body).toMatchObject({ code: "insufficient_scope", required: ["projects:read"] });
  expect((await animate(media)).body).toMatchObject({ code: "insufficient_scope", required: ["works:read"] });
  expect((await animate(signed)).status).toBe(200);
});

test("a file that is not an image is asset_wrong_type", async () => {
  const { upload, base } = await newWork();
  await upload("scene/0/video", await mp4());
  const before = await filesOf(service);
  const urls = [
    ...[`${base}/media/scene/0/video`, "data:text/plain,hello", "data:,", `data:audio/wav;base64,UklGRg==`],
    `data:image/png;base64,${(await wav().bytes()).toBase64()}`,
  ];
  for (const image_url of urls) {
    const { status, body } = await generate("video", { image_url });
    expect([image_url.slice(0, 40), status, body.code]).toEqual([image_url.slice(0, 40), 422, "asset_wrong_type"]);
  }
  expect(await filesOf(service)).toEqual(before);
});

test("URLs of private networks and other schemes are rejected", async () => {
  const guarded = await sharedService();
  const client = jsonClient(await guarded.register());
  const urls = ["http://127.0.0.1/a.png", "http://0x7f.1/a.png", "http://[::ffff:10.0.0.1]/", "file:///etc/passwd"];
  for (const image_url of [...urls, "http://169.254.169.254/latest/meta-data", "blob:http://localhost/x"]) {
    const { status, body } = await client("POST", "/api/generate/video", { prompt: "x", image_url });
    expect([image_url, status, body.code]).toEqual([image_url, 422, "url_not_allowed"]);
    expect(body.details[0].path).toBe("image_url");
  }
});

test.each(["image", "video"] as const)("%s: an unusable result is a bad response of the provider", async (kind) => {
  const { projectId, workId, scene } = await newWork();
  script.draw = async () => (await mp4()).bytes();
  script.animate = async () => Buffer.from("<html>");
  const before = await filesOf(service);
  for (const target of [{}, { projectId, workId, sceneIndex: 0 }]) {
    const { status, body } = await generate(kind, { image_url: image, ...target });
    expect([status, body.code]).toEqual([502, "provider_bad_response"]);
  }
  expect(await filesOf(service)).toEqual(before);
  expect(await scene()).toEqual({
    sceneIndex: 0,
    status: "error",
    error: "The provider returned no usable response: its result is not the requested kind of file.",
  });
});

test("a failure is reported, and the scene keeps its media", async () => {
  const { projectId, workId, base, upload, scene } = await newWork();
  await upload("scene/0/image", png());
  script.animate = () => Promise.reject(failure());
  const target = { projectId, workId, sceneIndex: 0, image_url: `${base}/media/scene/0/image` };
  const { status, body } = await generate("video", target);

  expect([status, body.code]).toEqual([502, "provider_error"]);
  const { imageUrl, status: sceneStatus, error } = await scene();
  expect([imageUrl, sceneStatus, error]).toEqual([`${base}/media/scene/0/image`, "error", body.error]);

  script.reset();
  expect((await generate("video", target)).status).toBe(200);
  expect(await scene()).toMatchObject({ status: "done" });
  expect(await scene()).not.toHaveProperty("error");
});

test("an internal failure is stored without details", async () => {
  const { projectId, workId, scene } = await newWork();
  script.draw = () => Promise.reject(new Error("secret"));
  expect((await generate("image", { projectId, workId, sceneIndex: 0 })).status).toBe(500);
  expect(await scene()).toEqual({
    sceneIndex: 0,
    status: "error",
    error: "Something broke on our side.",
  });
});

/** A model that runs until its deadline signal aborts. */
const runUntilAborted = (started: () => void) => async (_: unknown, call: { deadlineSignal(): AbortSignal }) => {
  started();
  await new Promise((_, reject) =>
    call.deadlineSignal().addEventListener("abort", () => reject(call.deadlineSignal().reason)),
  );
  throw new Error("unreachable");
};

test("a client that disconnects leaves the scene as it was", async () => {
  const { projectId, workId, upload, scene } = await newWork();
  await upload("scene/0/image", png());
  // the folder of the request goes after its answer, which nobody gets
  const stored = async () => (await filesOf(service)).filter((path) => !path.startsWith(join(service.dataDir, "tmp")));
  const before = await stored();
  const server = listen(service);
  const client = new AbortController();
  const started = Promise.withResolvers<void>();
  script.animate = runUntilAborted(started.resolve);
  const response = fetch(`${server.url}/api/generate/video`, {
    method: "POST",
    headers: { authorization: `Bearer ${ann.accessToken}`, "content-type": "application/json" },
    body: JSON.stringify({ prompt: "x", image_url: image, projectId, workId, sceneIndex: 0 }),
    signal: client.signal,
  });
  await started.promise;
  expect((await scene()).status).toBe("generating_video");
  client.abort();
  await expect(response).rejects.toThrow();
  await ends.ofScene(workId, 0);

  expect(await scene()).toMatchObject({ status: "image_ready" });
  expect(await scene()).not.toHaveProperty("error");
  expect(await stored()).toEqual(before);
  await server.stop();
});

test("a work deleted during the generation leaves no file", async () => {
  const { draw } = script;
  const before = await filesOf(service);
  const { projectId, workId, base } = await newWork();
  script.draw = async (...args) => {
    expect((await api("DELETE", base)).status).toBe(204);
    return draw(...args);
  };
  const { status, body } = await generate("image", { projectId, workId, sceneIndex: 0 });
  expect([status, body.code]).toEqual([404, "not_found"]);
  // the folder of an earlier task may be gone by now
  expect((await filesOf(service)).filter((file) => !before.includes(file))).toEqual([]);
});

test("a file uploaded during the generation is not overwritten", async () => {
  const { projectId, workId, base, upload, scene } = await newWork();
  const { draw } = script;
  const own = png(10, 10);
  script.draw = async (...args) => {
    await upload("scene/0/image", own);
    return draw(...args);
  };
  const before = await filesOf(service);
  const { status, body } = await generate("image", { projectId, workId, sceneIndex: 0 });

  expect([status, body]).toEqual([200, { imageUrl: `${base}/media/scene/0/image` }]);
  expect(await (await ann.request(body.imageUrl)).bytes()).toEqual(await own.bytes());
  expect(await scene()).toMatchObject({ status: "image_ready" });
  expect((await filesOf(service)).length).toBe(before.length + 1);
});

test("a new image replaces the previous one", async () => {
  const { projectId, workId, upload } = await newWork();
  await upload("scene/0/image", png(10, 10));
  const before = await filesOf(service);
  const { body } = await generate("image", { projectId, workId, sceneIndex: 0 });
  expect(await (await ann.request(body.imageUrl)).bytes()).toEqual(await png(64, 36).bytes());
  expect((await filesOf(service)).length).toBe(before.length);
});

test("a second generation for the same scene gets 409; other scenes are free", async () => {
  const { projectId, workId } = await newWork();
  const { draw } = script;
  const started = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  script.draw = async (...args) => {
    started.resolve();
    await finish.promise;
    return draw(...args);
  };
  const first = generate("image", { projectId, workId, sceneIndex: 0 });
  await started.promise;
  const second = await generate("video", { projectId, workId, sceneIndex: 0, image_url: image });
  expect([second.status, second.body.code, second.headers.get("retry-after")]).toEqual([
    409,
    "request_in_progress",
    "10",
  ]);
  expect(second.body.error).toContain("scene 0");
  expect((await generate("video", { projectId, workId, sceneIndex: 1, image_url: image })).status).toBe(200);
  finish.resolve();
  expect((await first).status).toBe(200);
});

test("a retry with the same Idempotency-Key calls the model once", async () => {
  const { projectId, workId } = await newWork();
  for (const [fields, kind] of [
    [{}, "image"],
    [{ image_url: image }, "video"],
    [{ projectId, workId, sceneIndex: 0 }, "image"],
  ] as const) {
    script.reset();
    const headers = { "idempotency-key": crypto.randomUUID() };
    const first = await generate(kind, fields, headers);
    const retried = await generate(kind, fields, headers);
    expect([first.status, retried.status]).toEqual([200, 200]);
    expect(retried.body).toEqual(first.body);
    expect(script.imageTasks.length + script.videoTasks.length).toBe(1);
  }
});

test("an export resolves a signed URL", async () => {
  const { upload, projectId, workId } = await newWork();
  await upload("scene/0/image", png(32, 32));
  const { imageUrl: audioUrl } = (await generate("image", {})).body;
  const clips = [{ sceneIndex: 0, position: 0, end: 0.1 }];
  const { status, body } = await api("POST", "/api/export", { projectId, workId, clips, audio: { audioUrl } });
  expect([status, body.code]).toEqual([422, "asset_wrong_type"]);
});

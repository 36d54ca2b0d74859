import { afterAll, beforeEach, expect, test } from "bun:test";
import { DomainError } from "../../../../src/errors.ts";
import { asking, askingWithScopes } from "../../../helpers/answers.ts";
import { workWithScenes } from "../../../helpers/scene-works.ts";
import { scriptedModels } from "../../../helpers/scripted-models.ts";
import { testService } from "../../../helpers/service.ts";
import { filesOf, formOf, listen, mp4, png, wav } from "../../../helpers/uploads.ts";

const { script, models } = scriptedModels();
const outside = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(png(12, 8)) });
const outsideNetwork = { ALLOW_PRIVATE_NETWORK: "true", FETCH_EXTRA_PORTS: `${outside.port}` };
const service = await testService(outsideNetwork, undefined, models);
const ann = await service.register("Ann");
const ask = asking(ann);
afterAll(async () => {
  await service.close();
  await outside.stop(true);
});
beforeEach(() => script.reset());

const generate = (kind: "image" | "video", body: object, headers?: Record<string, string>) =>
  ask("POST", `/api/generate/${kind}`, { prompt: "A kettle", ...body }, headers);

const dataUrl = async (file: File) => `data:image/png;base64,${(await file.bytes()).toBase64()}`;
const picture = await dataUrl(png());

const newWork = (fields?: object) => workWithScenes(ann, fields);

const failure = () => new DomainError("provider_error", { reason: "its job failed" });

test("a picture of no work has an address that is open for a day", async () => {
  const { status, body } = await generate("image", {});
  expect([status, Object.keys(body)]).toEqual([200, ["imageUrl"]]);
  expect(body.imageUrl).toMatch(/^\/api\/media\/media_\w{32}\?expires=\d{13}&signature=[\w-]{43}$/);

  const server = listen(service);
  const at = server.url + body.imageUrl;
  const whole = await fetch(at);
  expect(new Uint8Array(await whole.arrayBuffer())).toEqual(await png(64, 36).bytes());
  expect(whole.headers.get("content-type")).toBe("image/png");
  const part = await fetch(at, { headers: { range: "bytes=1-3" } });
  expect([part.status, await part.text()]).toEqual([206, "PNG"]);
  const known = await fetch(at, { headers: { "if-none-match": whole.headers.get("etag")! } });
  expect(known.status).toBe(304);
  const head = await fetch(at, { method: "HEAD" });
  expect([head.status, head.headers.get("content-length")]).toEqual([200, whole.headers.get("content-length")]);
  await server.stop();
});

test("an address that was changed, or that is past its day, leads nowhere", async () => {
  const url: string = (await generate("image", {})).body.imageUrl;
  const [path, query] = url.split("?");
  const { expires = "" } = Object.fromEntries(new URLSearchParams(query));
  const wrong = [
    ...[
      path!,
      url.replace(expires, `${Number(expires) + 1}`),
      `${url}x`,
      `${url}&expires=1`,
      "/api/media/nonsense?expires=1&signature=x",
    ],
    url.replace(/media_\w{32}/, "media_00000000000000000000000000000000"),
    service.services.signedLinks.urlOf(path!.split("/")[3]!, Date.now() - 1),
  ];
  for (const address of wrong) expect((await service.request(address)).status).toBe(404);
  expect((await service.request(url)).status).toBe(200);
});

test("the model is told everything in one text, and in parts", async () => {
  const styleGuide = { tone: "warm", must_avoid: ["people"] };
  const wishes = { negative_prompt: "text", image_instruction: "Draw with a pen.", styleGuide };
  await generate("image", { ...wishes, resolution: { width: 640, height: 360 } }, { "x-image-provider": "x" });

  const [task] = script.drawn;
  expect(task!.resolution).toEqual({ width: 640, height: 360 });
  expect(task!.shot).toEqual({ prompt: "A kettle", avoid: "text, people", styleGuide });
  for (const part of ["Draw with a pen.", "Tone: warm", "A kettle", "text, people"])
    expect(task!.prompt).toContain(part);
  expect(script.choices).toEqual([{ provider: "x" }]);
  await generate("image", {});
  expect(script.drawn[1]!.resolution).toEqual({ width: 1080, height: 1920 });
});

test("what a request leaves open comes from the work and its project", async () => {
  const { projectId, workId } = await newWork({
    imageSystemPrompt: "Use ink.",
    resolution: { width: 90, height: 160 },
  });
  await ask("PUT", `/api/projects/${projectId}`, { styleGuide: { tone: "calm" } });
  await generate("image", { projectId, workId, sceneIndex: 0 });

  expect(script.drawn[0]!.resolution).toEqual({ width: 90, height: 160 });
  for (const part of ["Use ink.", "Tone: calm"]) expect(script.drawn[0]!.prompt).toContain(part);
});

test("a picture for a scene goes into the work, which shows how far it is", async () => {
  const { projectId, workId, base, scene } = await newWork();
  const { draw } = script;
  let during: object | undefined;
  script.draw = async (...asked) => {
    during = await scene(2);
    return draw(...asked);
  };
  const { body } = await generate("image", { projectId, workId, sceneIndex: 2 });

  const imageUrl = `${base}/media/scene/2/image`;
  expect(body).toEqual({ imageUrl });
  expect(during).toEqual({ sceneIndex: 2, status: "generating_image" });
  expect(await scene(2)).toEqual({ sceneIndex: 2, status: "image_ready", imageUrl });
  expect((await ann.request(imageUrl)).status).toBe(200);
});

test("a video for a scene goes there too, though its picture is from elsewhere", async () => {
  const { projectId, workId, base, scene } = await newWork();
  const { animate } = script;
  let during: object | undefined;
  script.animate = async (...asked) => {
    during = await scene();
    return animate(...asked);
  };
  const { body } = await generate("video", { projectId, workId, sceneIndex: 0, image_url: picture });

  const videoUrl = `${base}/media/scene/0/video`;
  expect(body).toEqual({ videoUrl, duration: 5 });
  expect(during).toEqual({ sceneIndex: 0, status: "generating_video" });
  expect(await scene()).toEqual({ sceneIndex: 0, status: "done", videoUrl });
});

test("a length is moved to what the model makes, and told", async () => {
  for (const [duration, nearest] of [
    [undefined, 5],
    [null, 5],
    [0.2, 4],
    [600, 8],
  ]) {
    const { body } = await generate("video", { image_url: picture, duration });
    expect(body).toEqual({ videoUrl: expect.stringMatching(/^\/api\/media\/media_/), duration: nearest });
    expect(script.animated.pop()!.durationSeconds).toBe(nearest!);
  }
});

const refused: [kind: "image" | "video", path: string, body: object][] = [
  ["image", "prompt", { prompt: " " }],
  ["image", "prompt", { prompt: undefined }],
  ["image", "resolution.width", { resolution: { width: 1081, height: 4 } }],
  ["image", "sceneIndex", { projectId: "proj_1" }],
  ["image", "sceneIndex", { projectId: "proj_1", workId: "work_1" }],
  ["image", "sceneIndex", { sceneIndex: 0 }],
  ["video", "image_url", {}],
  ["video", "image_url", { image_url: "" }],
  ["video", "image_url", { image_url: "data:image/png;base64,*" }],
  ["video", "duration", { image_url: picture, duration: 0 }],
  ["video", "duration", { image_url: picture, duration: 601 }],
];

test.each(refused)("%s: a wrong %s is a 400", async (kind, path, body) => {
  const answer = await generate(kind, body);
  expect([answer.status, answer.body.code, answer.body.details[0].path]).toEqual([400, "validation_error", path]);
});

test("somebody else's work is as missing as none, whatever else is wrong", async () => {
  const { projectId, workId } = await newWork();
  const bob = asking(await service.register("Bob"));
  for (const kind of ["image", "video"]) {
    const { status } = await bob("POST", `/api/generate/${kind}`, { projectId, workId, sceneIndex: 900 });
    expect(status).toBe(404);
  }
  expect((await generate("image", { projectId, workId, sceneIndex: 500 })).status).toBe(400);
});

test("to save into a work needs works:write too", async () => {
  const { projectId, workId } = await newWork();
  const narrow = await askingWithScopes(service, ann, ["ai:generate"]);
  const wish = { prompt: "A kettle" };
  expect((await narrow("POST", "/api/generate/image", wish)).status).toBe(200);
  const { status, body } = await narrow("POST", "/api/generate/image", { ...wish, projectId, workId, sceneIndex: 0 });
  expect([status, body.required]).toEqual([403, ["works:write"]]);
});

/** Every address of a picture that this service takes. */
async function addresses(file: File) {
  const { projectId, workId, base, upload } = await newWork();
  await upload("scene/0/image", file);
  const response = await ann.request(`/api/projects/${projectId}/assets`, { method: "POST", body: formOf({ file }) });
  const { url } = await response.json();
  script.draw = () => file.bytes();
  const { imageUrl } = (await generate("image", {})).body;
  return { projectId, workId, asset: url as string, media: `${base}/media/scene/0/image`, signed: imageUrl as string };
}

test("a picture may be named in every way, and reaches the model as its bytes", async () => {
  const file = png(12, 8);
  const bytes = await file.bytes();
  const { asset, media, signed } = await addresses(file);
  const escaped = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
  const ways = [
    ...[asset, `http://localhost${asset}?token=x`, media, signed, `http://localhost${signed}`, signed.split("?")[0]!],
    ...[outside.url.href, await dataUrl(file), `data:image/png,${escaped}`],
  ];
  for (const image_url of ways) {
    const { status } = await generate("video", { image_url });
    expect([image_url.slice(0, 60), status]).toEqual([image_url.slice(0, 60), 200]);
    expect(script.pictures.pop()).toEqual(bytes);
  }
  expect(script.animated[0]!.image).toMatchObject({ sizeBytes: bytes.length, facts: { mimeType: "image/png" } });
});

test("a picture that not every model takes reaches it as one that does", async () => {
  const gif = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
  const kept = await filesOf(service);
  expect((await generate("video", { image_url: gif })).status).toBe(200);
  const { image } = script.animated[0]!;
  expect(image.facts).toMatchObject({ kind: "image", width: 1, height: 1 });
  expect(image.facts).toMatchObject({ mimeType: expect.stringMatching(/^image\/(png|jpeg)$/) });
  expect(script.pictures[0]!.length).toBe(image.sizeBytes);
  expect((await filesOf(service)).length).toBe(kept.length + 1);
});

test("of somebody else's pictures only a signed one is there", async () => {
  const { asset, media, signed } = await addresses(png());
  const bob = asking(await service.register("Bob"));
  const animate = async (image_url: string) => {
    const { status, body } = await bob("POST", "/api/generate/video", { prompt: "x", image_url });
    return [status, body.code, body.details?.[0].path];
  };
  for (const url of [asset, media, signed.split("?")[0]!, `${signed}x`, "/api/media/x", "/api/nothing"]) {
    expect(await animate(url)).toEqual([422, "asset_missing", "image_url"]);
  }
  expect(await animate(signed)).toEqual([200, undefined, undefined]);
});

test("a picture inside needs the scope that reads it", async () => {
  const { asset, media, signed } = await addresses(png());
  const narrow = await askingWithScopes(service, ann, ["ai:generate"]);
  const animate = (image_url: string) => narrow("POST", "/api/generate/video", { prompt: "x", image_url });
  expect((await animate(asset)).body).toMatchObject({ code: "insufficient_scope", required: ["projects:read"] });
  expect((await animate(media)).body).toMatchObject({ code: "insufficient_scope", required: ["works:read"] });
  expect((await animate(signed)).status).toBe(200);
});

test("what is no picture is told so", async () => {
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

test("addresses that lead inside the machine or nowhere are refused", async () => {
  const guarded = await testService({}, undefined, models);
  const her = asking(await guarded.register());
  const urls = ["http://127.0.0.1/a.png", "http://0x7f.1/a.png", "http://[::ffff:10.0.0.1]/", "file:///etc/passwd"];
  for (const image_url of [...urls, "http://169.254.169.254/latest/meta-data", "blob:http://localhost/x"]) {
    const { status, body } = await her("POST", "/api/generate/video", { prompt: "x", image_url });
    expect([image_url, status, body.code]).toEqual([image_url, 422, "url_not_allowed"]);
    expect(body.details[0].path).toBe("image_url");
  }
  await guarded.close();
});

test.each(["image", "video"] as const)("%s: what is none of its kind is the provider's fault", async (kind) => {
  const { projectId, workId, scene } = await newWork();
  script.draw = async () => (await mp4()).bytes();
  script.animate = async () => Buffer.from("<html>");
  const before = await filesOf(service);
  for (const place of [{}, { projectId, workId, sceneIndex: 0 }]) {
    const { status, body } = await generate(kind, { image_url: picture, ...place });
    expect([status, body.code]).toEqual([502, "provider_bad_response"]);
  }
  expect(await filesOf(service)).toEqual(before);
  expect(await scene()).toEqual({
    ...{ sceneIndex: 0, status: "error" },
    error: "The provider gave no usable answer: what it made cannot be read as what was asked for.",
  });
});

test("a failure is told, and what the scene has stays", async () => {
  const { projectId, workId, base, upload, scene } = await newWork();
  await upload("scene/0/image", png());
  script.animate = () => Promise.reject(failure());
  const target = { projectId, workId, sceneIndex: 0, image_url: `${base}/media/scene/0/image` };
  const { status, body } = await generate("video", target);

  expect([status, body.code]).toEqual([502, "provider_error"]);
  const { imageUrl, status: shown, error } = await scene();
  expect([imageUrl, shown, error]).toEqual([`${base}/media/scene/0/image`, "error", body.error]);

  script.reset();
  expect((await generate("video", target)).status).toBe(200);
  expect(await scene()).toMatchObject({ status: "done" });
  expect(await scene()).not.toHaveProperty("error");
});

test("a failure of our own shows nothing of itself", async () => {
  const { projectId, workId, scene } = await newWork();
  script.draw = () => Promise.reject(new Error("secret"));
  expect((await generate("image", { projectId, workId, sceneIndex: 0 })).status).toBe(500);
  expect(await scene()).toEqual({ sceneIndex: 0, status: "error", error: "Something broke on our side." });
});

/** A model that works until nobody waits any more. */
const untilLeft = (started: () => void) => async (_: unknown, call: { signal(): AbortSignal }) => {
  started();
  await new Promise((_, reject) => call.signal().addEventListener("abort", () => reject(call.signal().reason)));
  throw new Error("unreachable");
};

test("a caller who leaves leaves the scene as it was", async () => {
  const { projectId, workId, upload, scene } = await newWork();
  await upload("scene/0/image", png());
  const before = await filesOf(service);
  const server = listen(service);
  const leaving = new AbortController();
  const begun = Promise.withResolvers<void>();
  script.animate = untilLeft(begun.resolve);
  const asked = fetch(`${server.url}/api/generate/video`, {
    method: "POST",
    headers: { authorization: `Bearer ${ann.accessToken}`, "content-type": "application/json" },
    body: JSON.stringify({ prompt: "x", image_url: picture, projectId, workId, sceneIndex: 0 }),
    signal: leaving.signal,
  });
  await begun.promise;
  expect((await scene()).status).toBe("generating_video");
  leaving.abort();
  await expect(asked).rejects.toThrow();
  while ((await scene()).status === "generating_video") await Bun.sleep(5);

  expect(await scene()).toMatchObject({ status: "image_ready" });
  expect(await scene()).not.toHaveProperty("error");
  while ((await filesOf(service)).length > before.length) await Bun.sleep(5);
  await server.stop();
});

test("a work that is deleted meanwhile takes all of it along", async () => {
  const { draw } = script;
  const kept = await filesOf(service);
  const { projectId, workId, base } = await newWork();
  script.draw = async (...asked) => {
    expect((await ask("DELETE", base)).status).toBe(204);
    return draw(...asked);
  };
  const { status, body } = await generate("image", { projectId, workId, sceneIndex: 0 });
  expect([status, body.code]).toEqual([404, "not_found"]);
  expect(await filesOf(service)).toEqual(kept);
});

test("what is uploaded to the scene meanwhile stays", async () => {
  const { projectId, workId, base, upload, scene } = await newWork();
  const { draw } = script;
  const own = png(10, 10);
  script.draw = async (...asked) => {
    await upload("scene/0/image", own);
    return draw(...asked);
  };
  const before = await filesOf(service);
  const { status, body } = await generate("image", { projectId, workId, sceneIndex: 0 });

  expect([status, body]).toEqual([200, { imageUrl: `${base}/media/scene/0/image` }]);
  expect(await (await ann.request(body.imageUrl)).bytes()).toEqual(await own.bytes());
  expect(await scene()).toMatchObject({ status: "image_ready" });
  expect((await filesOf(service)).length).toBe(before.length + 1);
});

test("a new picture replaces the one that was there", async () => {
  const { projectId, workId, upload } = await newWork();
  await upload("scene/0/image", png(10, 10));
  const before = await filesOf(service);
  const { body } = await generate("image", { projectId, workId, sceneIndex: 0 });
  expect(await (await ann.request(body.imageUrl)).bytes()).toEqual(await png(64, 36).bytes());
  expect((await filesOf(service)).length).toBe(before.length);
});

test("of two requests for one scene the second is sent away; other scenes are free", async () => {
  const { projectId, workId } = await newWork();
  const { draw } = script;
  const [begun, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  script.draw = async (...asked) => {
    begun.resolve();
    await finish.promise;
    return draw(...asked);
  };
  const first = generate("image", { projectId, workId, sceneIndex: 0 });
  await begun.promise;
  const second = await generate("video", { projectId, workId, sceneIndex: 0, image_url: picture });
  expect([second.status, second.body.code, second.headers.get("retry-after")]).toEqual([
    409,
    "request_in_progress",
    "10",
  ]);
  expect(second.body.error).toContain("scene 0");
  expect((await generate("video", { projectId, workId, sceneIndex: 1, image_url: picture })).status).toBe(200);
  finish.resolve();
  expect((await first).status).toBe(200);
});

test("with a key, a request is paid once", async () => {
  const { projectId, workId } = await newWork();
  for (const [place, kind] of [
    [{}, "image"],
    [{ image_url: picture }, "video"],
    [{ projectId, workId, sceneIndex: 0 }, "image"],
  ] as const) {
    script.reset();
    const headers = { "idempotency-key": crypto.randomUUID() };
    const [first, again] = [await generate(kind, place, headers), await generate(kind, place, headers)];
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.body).toEqual(first.body);
    expect(script.drawn.length + script.animated.length).toBe(1);
  }
});

test("an export finds what a signed address names", async () => {
  const { upload, projectId, workId } = await newWork();
  await upload("scene/0/image", png(32, 32));
  const { imageUrl: audioUrl } = (await generate("image", {})).body;
  const clips = [{ sceneIndex: 0, position: 0, end: 0.1 }];
  const { status, body } = await ask("POST", "/api/export", { projectId, workId, clips, audio: { audioUrl } });
  expect([status, body.code]).toEqual([422, "asset_wrong_type"]);
});

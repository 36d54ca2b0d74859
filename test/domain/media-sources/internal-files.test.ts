import { afterAll, beforeEach, expect, test } from "bun:test";
import { jsonClient, jsonClientWithScopes } from "../../support/json-client.ts";
import { scriptedModels } from "../../support/models/scripted-models.ts";
import { testService } from "../../support/service.ts";
import { listen, mp4, png, wav } from "../../support/uploads.ts";
import { newWork } from "../../support/work-videos.ts";

// The service's own base URL is http://localhost. An editor behind a proxy sends URLs with the proxy's origin.
const origins = ["http://localhost:5173", "https://studio.example.com:8443", "http://169.254.169.254"];

const { script, models } = scriptedModels();
const service = await testService({}, undefined, models);
const ann = await service.register("Ann");
const bob = jsonClient(await service.register("Bob"));
afterAll(() => service.close());
beforeEach(() => script.reset());

const work = await newWork(ann);
const { projectId, workId, base } = work;
await work.scene(0, await mp4());
await work.image(0, png(12, 8));
await work.audio(wav());
const asset = { image: (await work.asset(png(12, 8))).url, sound: (await work.asset(wav())).url };
const pixels = await png(12, 8).bytes();
script.draw = async () => pixels;
const generate = jsonClient(ann);
const signed: string = (await generate("POST", "/api/generate/image", { prompt: "x" })).body.imageUrl;

const animate = async (image_url: string, client = jsonClient(ann)) => {
  const { status, body } = await client("POST", "/api/generate/video", { prompt: "x", image_url });
  return [status, body.code];
};

test.each(origins)("image_url identifies the caller's own files under %s", async (origin) => {
  const urls = [`${base}/media/scene/0/image`, asset.image, signed, signed.split("?")[0]!];
  urls.push(`${asset.image}?token=x`, `${base}/media/scene/0/image?v=1#top`);
  // all of them under one origin, and under each of the others two
  for (const url of origin === origins[0] ? urls : [urls[origins.indexOf(origin)]!, signed]) {
    expect([url, ...(await animate(origin + url))]).toEqual([url, 200, undefined]);
    expect(script.inputImages.pop()).toEqual(pixels);
  }
});

test.each([
  ["scene", `${base}/media/scene/7/image`],
  ["work", `/api/projects/${projectId}/works/work_00000000000000000000000000000000/media/scene/0/image`],
  ["asset", `/api/projects/${projectId}/assets/asset_1`],
])("a missing %s of the caller's project is asset_missing under another origin", async (_, path) => {
  expect(await animate(`http://localhost:5173${path}`)).toEqual([422, "asset_missing"]);
});

test("an expired signed URL is asset_missing under another origin", async () => {
  const { internalUrls, signedLinks } = service.services;
  const mediaId = "media_00000000000000000000000000000000";
  const expired = internalUrls.generatedMedia(mediaId, signedLinks.sign(mediaId, Date.now() - 1));
  expect(await animate(`http://localhost:5173${expired}`)).toEqual([422, "asset_missing"]);
});

test("under another origin the scope that reads the file is required too", async () => {
  const narrow = await jsonClientWithScopes(service, ann, ["ai:generate"]);
  const read = async (path: string) => {
    const body = { prompt: "x", image_url: `http://localhost:5173${path}` };
    const { body: answer } = await narrow("POST", "/api/generate/video", body);
    return [answer.code, answer.required];
  };
  expect(await read(asset.image)).toEqual(["insufficient_scope", ["projects:read"]]);
  expect(await read(`${base}/media/scene/0/image`)).toEqual(["insufficient_scope", ["works:read"]]);
});

test("another user's files under another origin are ordinary external URLs", async () => {
  for (const path of [asset.image, `${base}/media/scene/0/image`, signed.split("?")[0]!, `${signed}x`]) {
    expect(await animate(`http://localhost:5173${path}`, bob)).toEqual([422, "url_not_allowed"]);
    expect(await animate(`http://169.254.169.254${path}`, bob)).toEqual([422, "url_not_allowed"]);
  }
  expect(await animate(`http://localhost:5173${signed}`, bob)).toEqual([200, undefined]);
});

test("a path that is not exactly that of a file is an ordinary external URL", async () => {
  const longer = [`/reelwright${asset.image}`, `${asset.image}/thumbnail`];
  for (const path of [...longer, `${base}/media/scene/0/sound`, `/api/projects/${projectId}`]) {
    expect(await animate(`http://localhost:5173${path}`)).toEqual([422, "url_not_allowed"]);
  }
});

test("only http and https URLs identify files under another origin", async () => {
  for (const scheme of ["ftp://localhost:5173", "blob:http://localhost:5173", "file://"]) {
    expect(await animate(scheme + asset.image)).toEqual([422, "url_not_allowed"]);
  }
});

test("the caller's own file on a reachable host is not fetched, an unknown one is", async () => {
  let requests = 0;
  const fetch = () => {
    requests++;
    return new Response(png(3, 3));
  };
  const site = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch });
  const open = await testService(
    { ALLOW_PRIVATE_NETWORK: "true", FETCH_EXTRA_PORTS: `${site.port}` },
    undefined,
    models,
  );
  const carl = await open.register("Carl");
  const own = await newWork(carl);
  const { url } = await own.asset(png(12, 8));

  expect(await animate(new URL(url, site.url).href, jsonClient(carl))).toEqual([200, undefined]);
  expect(requests).toBe(0);
  expect(await animate(new URL(asset.image, site.url).href, jsonClient(carl))).toEqual([200, undefined]);
  expect(requests).toBe(1);
  await open.close();
  await site.stop(true);
});

const clips = [{ sceneIndex: 0, position: 0, end: 0.2 }];
const options = { width: 32, height: 18, fps: 10 };

const exportedOver = async (fields: object) => {
  const { url, stop } = listen(service);
  const init = {
    method: "POST",
    headers: { authorization: `Bearer ${ann.accessToken}`, "content-type": "application/json" },
  };
  const body = JSON.stringify({ projectId, workId, options, ...fields });
  const response = await fetch(`${url}/api/export`, { ...init, body });
  const type = response.headers.get("content-type");
  const code = type === "video/mp4" ? void (await response.bytes()) : (await response.json()).code;
  await stop();
  return [response.status, code];
};

test.each(origins)("audioUrl identifies the caller's own sounds under %s", async (origin) => {
  const paths = [`${base}/media/audio`, asset.sound];
  for (const path of origin === origins[0] ? paths : [paths[origins.indexOf(origin) - 1]!]) {
    expect(await exportedOver({ clips, audio: { audioUrl: `${origin}${path}?token=x` } })).toEqual([200, undefined]);
  }
});

test("validate reads audioUrl under another origin like the export", async () => {
  const validate = async (path: string) => {
    const audio = { audioUrl: `http://localhost:5173${path}` };
    const { body } = await generate("POST", "/api/export/validate", { projectId, workId, clips, options, audio });
    return body.errors.map(({ code }: { code: string }) => code);
  };
  expect(await validate(`${base}/media/audio`)).toEqual([]);
  expect(await validate(`/api/projects/${projectId}/assets/asset_1`)).toEqual(["asset_missing"]);
  expect(await validate(asset.image)).toEqual(["asset_wrong_type"]);
});

test("a saved editor's audioUrl under another origin is read in an export, and removed with its file", async () => {
  const audioUrl = `http://localhost:5173${base}/media/audio`;
  const videoTrack = [{ id: "clip", start: 0, end: 0.2, sceneIndex: 0 }];
  const saved = { editorState: { editorData: { videoTrack }, audioUrl, exportSettings: options } };
  expect((await generate("PUT", base, saved)).status).toBe(200);
  expect(await exportedOver({})).toEqual([200, undefined]);

  expect((await generate("DELETE", `${base}/media/audio`)).status).toBe(204);
  expect((await generate("GET", base)).body.editorState).not.toHaveProperty("audioUrl");
});

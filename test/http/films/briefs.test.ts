import { afterAll, expect, test } from "bun:test";
import { ssrfGuardedFetcher } from "../../../src/readers/web/fetcher.ts";
import type { Services } from "../../../src/services.ts";
import { filmProject, orderFilm, restedFilm, smallFilm } from "../../support/films.ts";
import { instantExports } from "../../support/media/instant-exports.ts";
import { fakeServer } from "../../support/models/fake-server.ts";
import { openaiResponse, scenarioOutput } from "../../support/models/text-responses.ts";
import type { Json } from "../../support/paid-films.ts";
import { type TestUser, testService } from "../../support/service.ts";
import { formOf, mp4, png, wav } from "../../support/uploads.ts";

const [scene] = scenarioOutput.scenes;
const scenes = [0, 1].map((scene_index) => ({ ...scene!, scene_index, duration_seconds: 1.5 }));
const match = { matches: false, differences: ["The cup has no handle."] };
const image = await png(90, 160).bytes();
const music = await wav().bytes();
const page = `<title>Nordlicht – Tea</title><meta name=description content="Tea that grows in the snow.">
<meta name=theme-color content="#123456"><style>a { color: #ffcc00 }</style>
<img class=logo src="/logo.png"><img src="/cup.png"><img src="/gone.png"><h1>Nordlicht</h1>`;
const server = fakeServer({
  "GET /page": () => new Response(page, { headers: { "content-type": "text/html" } }),
  "GET /logo.png": () => new Response(png(200, 130)),
  "GET /cup.png": () => new Response(png(500, 400)),
  "GET /large": () => new Response(new Uint8Array(50_000_000).fill(32), { headers: { "content-type": "text/html" } }),
  // no port that pages are on
  "GET /moved": () => Response.redirect("http://127.0.0.1:22/"),
  "GET /inside": ({ url }) => Response.redirect(`http://127.0.0.1:${url.port}/page`),
  "GET /text": () => new Response(new Uint8Array([0, 1, 2, 3]), { headers: { "content-type": "text/html" } }),
  "POST /v1/responses": ({ bytes }) => {
    const isMatch = new TextDecoder().decode(bytes).includes("differences");
    return openaiResponse({ text: JSON.stringify(isMatch ? match : { scenes }) });
  },
  "POST /v1/images/edits": () => Response.json({ data: [{ b64_json: image.toBase64() }] }),
  "POST /v1/images/generations": () => Response.json({ data: [{ b64_json: image.toBase64() }] }),
  "POST /v1/music": () => new Response(music, { headers: { "content-type": "audio/wav" } }),
});
const port = Number(new URL(server.url).port);

/** The guarded fetcher, to which the server is on the public network under the name `shop.test`. */
function withShop({ files, fetcher }: Services): Partial<Services> {
  const resolve = async () => {
    const addresses = ["93.184.216.34"];
    // checked once, and then connected to
    return [{ family: 4, get address() { return addresses.pop() ?? "127.0.0.1"; } }]; // biome-ignore format: one line
  };
  const guarded = ssrfGuardedFetcher({ files, extraPorts: [port], allowPrivateNetwork: false, resolve });
  const fetcherOf = (url: string) => (new URL(url).hostname === "shop.test" ? guarded : fetcher);
  return {
    fetcher: {
      ...fetcher,
      resolveHost: (url, options) => fetcherOf(url).resolveHost(url, options),
      download: (url, options) => fetcherOf(url).download(url, options),
    },
  };
}

const settings = { ALLOW_PRIVATE_NETWORK: "true", FETCH_EXTRA_PORTS: `${port}` };
const service = await testService(
  { ...settings, OPENAI_BASE_URL: `${server.url}/v1`, ELEVENLABS_BASE_URL: server.url },
  undefined,
  (services) => ({ ...instantExports(services), ...withShop(services) }),
);
afterAll(() => Promise.all([service.close(), server.stop()]));

const workOf = async (user: TestUser, projectId: string, workId: string) =>
  (await user.request(`/api/projects/${projectId}/works/${workId}`)).json();

async function upload(user: TestUser, projectId: string, file: File): Promise<string> {
  const body = formOf({ file });
  return (await (await user.request(`/api/projects/${projectId}/assets`, { method: "POST", body })).json()).id;
}

test("a page gives name, facts, colors, logo and pictures, and what is missing there is left out", async () => {
  const ann = await service.register();
  const project = await (await ann.json("POST", "/api/projects", { name: "Tea" })).json();
  const base = `/api/projects/${project.id}/films`;
  const body = { brief: { url: `${server.url}/page` }, resolution: { width: 90, height: 160 }, seconds: 3, scenes: 2 };
  const film = await (await ann.json("POST", base, body)).json();
  const done = await restedFilm(ann, `${base}/${film.id}`);
  expect([done.status, done.waitingReason]).toEqual(["done", undefined]);
  const work = await workOf(ann, project.id, film.workId);
  expect(work).toMatchObject({ productName: "Nordlicht", productDescription: "Tea that grows in the snow." });
  const { assets } = await (await ann.request(`/api/projects/${project.id}/assets`)).json();
  expect(assets.map(({ name }: { name: string }) => name).toSorted()).toEqual(["Nordlicht logo", "Nordlicht picture"]);
  expect(work.selectedAssetIds).toHaveLength(1);
  const { textOverlays, imageOverlays, layers } = work.editorState;
  expect(Object.keys(imageOverlays)).toEqual(["words-0-picture", "words-1-logo"]);
  const colors = JSON.stringify([textOverlays, layers]);
  expect(colors).toContain("#123456");
  expect(colors).toContain("#ffcc00");
});

test.each([
  [`${server.url}/text`, "not a web page"],
  [`${server.url}/large`, "larger than"],
  [`${server.url}/moved`, "its port is not allowed"],
  [`http://shop.test:${port}/inside`, "its host is not on the public network"],
])("the page %s makes the film wait before anything is paid, and says why: %s", async (url, reason) => {
  const ann = await service.register();
  const asked = server.requestsTo("POST", /v1/).length;
  const pages = server.requestsTo("GET", /page/).length;
  const models = { llm: { provider: "openai" }, image: { provider: "openai" } };
  const { path } = await orderFilm(ann, { brief: { url }, models }, { "x-api-key": "sk-test" });
  expect(await restedFilm(ann, path)).toMatchObject({
    ...{ status: "waiting", waitingFor: "step", waitingReason: expect.stringContaining(reason) },
    steps: [{ id: "read", status: "error" }, { id: "scenario" }],
  });
  expect(server.requestsTo("POST", /v1/)).toHaveLength(asked);
  expect(server.requestsTo("GET", /page/)).toHaveLength(pages);
});

test("pictures of the product go with each scene, and what a model sees in the results warns", async () => {
  const ann = await service.register();
  const { projectId, base } = await filmProject(ann);
  const assetIds = [await upload(ann, projectId, png(64, 64))];
  const openai = { provider: "openai" };
  const body = { brief: { text: "Cup: it keeps warm.", assetIds }, resolution: { width: 90, height: 160 }, seconds: 3 };
  const models = { llm: openai, image: openai, video: false, vision: openai };
  const keys = { "x-llm-api-key": "sk-1" };
  const film = await (await ann.json("POST", base, { ...body, scenes: 2, models }, keys)).json();
  const done = await restedFilm(ann, `${base}/${film.id}`);
  expect([done.status, done.waitingReason]).toEqual(["done", undefined]);
  expect(done.steps.filter(({ kind }: { kind: string }) => kind === "match")).toHaveLength(2);
  expect(done.warnings).toContainEqual({
    ...{ path: "scenes.1.image", code: "product_differs" },
    message: "The product may look different in this scene: The cup has no handle.",
  });
  expect(server.requestsTo("POST", /images\/edits/)).toHaveLength(2);
  expect((await workOf(ann, projectId, film.workId)).scenes[1].referenceAssetIds).toEqual(assetIds);
});

test("a film follows the rhythm of a reference, with music of a model and a template of the library", async () => {
  const ann = await service.register();
  const { projectId, base } = await filmProject(ann);
  const assetId = await upload(ann, projectId, await mp4());
  const body = {
    ...{ resolution: { width: 90, height: 160 }, scenes: 2, music: { prompt: "calm piano" } },
    models: { video: false, music: { provider: "elevenlabs" } },
    brief: { text: "Cup: it keeps warm.", reference: { assetId } },
    template: { library: "end-card", values: { line: "Warm", action: "Now", address: "cup.example" } },
  };
  const estimate = await (await ann.json("POST", `${base}/estimate`, body)).json();
  expect(estimate.steps.map(({ id }: { id: string }) => id)).toContain("music");
  expect((await ann.json("POST", base, body)).status).toBe(400);
  const film = await (await ann.json("POST", base, body, { "x-music-api-key": "key" })).json();
  const done = await restedFilm(ann, `${base}/${film.id}`);
  expect([done.status, done.waitingReason]).toEqual(["done", undefined]);
  expect(done.warnings.map(({ code }: { code: string }) => code)).not.toContain("silent_result");
  const provenance = await (await ann.request(`/api/exports/${done.exportId}/provenance`)).json();
  expect(provenance.ingredients.filter(({ role }: { role: string }) => role === "music")).toMatchObject([
    { digitalSourceType: "trainedAlgorithmicMedia", model: { provider: "elevenlabs" } },
  ]);
  expect(provenance.models).toMatchObject([{ provider: "elevenlabs" }]);
  const work = await workOf(ann, projectId, film.workId);
  expect(work).toMatchObject({ hasReferenceVideo: true, videoDuration: 3 });
  const ids = Object.keys(work.editorState.textOverlays);
  expect(ids.some((id) => id.startsWith("library-end-card"))).toBe(true);
  expect(ids.some((id) => id.startsWith("words-1"))).toBe(false);
});

test("a sentence of a brief with a placeholder is left out, and named", async () => {
  const ann = await service.register();
  const brief = { text: "Velo Nord: it folds in ten seconds. {{price}} € is all." };
  const { projectId, base, film, path } = await orderFilm(ann, { name: "{{name}}", brief });
  const warnings = ["name", "brief.text"].map((path) => ({ path, code: "placeholder_missing" }));
  expect(film.warnings).toMatchObject(warnings);
  expect((await (await ann.json("POST", `${base}/estimate`, { brief })).json()).warnings).toMatchObject([warnings[1]]);
  const done = await restedFilm(ann, path);
  expect([done.status, done.warnings.slice(0, 2)]).toMatchObject(["done", warnings]);
  const work = await workOf(ann, projectId, film.workId);
  expect(work.productName).toBe("Velo Nord");
  expect(JSON.stringify(work)).not.toContain("{{");
  const refused = await ann.json("POST", base, { brief: { text: "{{name}}: {{fact}}" } });
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("brief.text")]);
});

test("a template whose text does not fit is told before anything is made", async () => {
  const ann = await service.register();
  const { base, projectId } = await filmProject(ann);
  const text = { id: "name", text: "{{name}}", fontSize: 20, timingMode: "relative" };
  const content = { textOverlays: [text] };
  const template = await ann.json("POST", `/api/projects/${projectId}/templates`, { name: "Big", content });
  const { id: templateId } = await template.json();
  const body = (name: string) => ({
    ...{ brief: { text: "Cup: it keeps warm." }, resolution: { width: 90, height: 160 }, seconds: 3, scenes: 2 },
    ...{ targets: ["9:16", "16:9"], stopAt: ["scenario"], template: { templateId, values: { name } } },
  });
  const { warnings } = await (await ann.json("POST", `${base}/estimate`, body("Donaudampfschiff"))).json();
  const code = "text_outside_safe_zone";
  expect(warnings).toMatchObject([{ path: "template", code, message: expect.stringContaining("Donaudampfschiff") }]);
  expect((await (await ann.json("POST", base, body("Donaudampfschiff"))).json()).warnings).toEqual(warnings);
  expect((await (await ann.json("POST", `${base}/estimate`, body("I"))).json()).warnings).toEqual([]);
});

test.each([
  [
    "brief.reference.assetId",
    { brief: { text: "x", reference: { assetId: "asset_00000000000000000000000000000000" } } },
  ],
  ["template.library", { template: { library: "nothing" } }],
  ["template", { template: {} }],
])("%s is checked when the film is ordered", async (path, body) => {
  const ann = await service.register();
  const { response, film } = await orderFilm(ann, body);
  expect(response.status).toBeGreaterThanOrEqual(400);
  expect(JSON.stringify(film)).toContain(path);
});

test("a film names what it does not tell of its brief, from the estimate on, and that it is silent", async () => {
  const ann = await service.register();
  const brief = { text: "Velo Nord: the city bike that folds. Made in Leeds. £890. Ships in two days to every town." };
  const { base, response, film, path } = await orderFilm(ann, { brief });
  const estimated = await (await ann.json("POST", `${base}/estimate`, { ...smallFilm, brief })).json();
  const made = await restedFilm(ann, path);
  const untold = ({ warnings }: Json) => warnings.filter(({ code }: Json) => code === "brief_not_shown");
  const message = (part: string) => `Neither shown nor said in the film: "${part}"`;
  const named = ["Ships in two days to every town."].map((part) => ({ path: "brief.text", message: message(part) }));
  expect(untold(made)).toMatchObject(named);
  expect([response.status, untold(film), untold(estimated)]).toEqual([202, untold(made), untold(made)]);
  const silent = made.warnings.find(({ code }: Json) => code === "silent_result");
  expect(silent.message).toBe("The film has no sound: upload music to its work, or order it with music or a voice.");
});

test("the scenario of an estimate is edited before the order, which takes it as it is", async () => {
  const ann = await service.register();
  const brief = { text: "Velo Nord: the city bike that folds. Made in Leeds." };
  const { base } = await filmProject(ann);
  const order = { ...smallFilm, brief, seconds: 6, scenes: 3 };
  const estimateOf = async (body: object) => (await ann.json("POST", `${base}/estimate`, body)).json();
  const { scenario } = await estimateOf(order);
  expect(scenario.map((scene: Json) => scene.scene_index)).toEqual([0, 1, 2]);
  expect(scenario[1].text_overlay).toBe("Made in Leeds.");

  const [first, , last] = scenario;
  const edited = [first, { ...last, text_overlay: "Ride home.", duration_seconds: 2 }];
  const body = { ...smallFilm, brief, scenes: null, seconds: null, scenario: edited };
  const again = await estimateOf(body);
  expect(again.scenario.map((scene: Json) => scene.text_overlay)).toEqual([first.text_overlay, "Ride home."]);
  expect(again.warnings.map(({ code }: Json) => code)).toContain("brief_not_shown");

  const film = await (await ann.json("POST", base, body)).json();
  const done = await restedFilm(ann, `${base}/${film.id}`);
  expect([done.status, done.steps.filter(({ kind }: Json) => kind === "image").length]).toEqual(["done", 2]);
  const { scenes } = await (await ann.request(`${base.replace("/films", "/works")}/${film.workId}`)).json();
  expect(scenes).toMatchObject([{ text_overlay: first.text_overlay }, { text_overlay: "Ride home." }]);

  for (const wrong of [[{ duration_seconds: 2 }], [{ duration_seconds: 181 }], []]) {
    expect((await ann.json("POST", base, { ...body, scenario: wrong })).status).toBe(400);
  }
});

import { afterAll, expect, test } from "bun:test";
import { createCanvas } from "@napi-rs/canvas";
import { ruleNames } from "../../../src/domain/gate/rule-names.ts";
import { productTable, restedBatch } from "../../support/batches.ts";
import { filmProject, restedFilm, smallFilm } from "../../support/films.ts";
import { instantExports } from "../../support/media/instant-exports.ts";
import { s3Server } from "../../support/s3-server.ts";
import { sharedService, type TestUser, testService } from "../../support/service.ts";
import { newPictureFilm, newWork, requireJson } from "../../support/work-videos.ts";
import { youtubeServer } from "../../support/youtube-server.ts";

// biome-ignore lint/suspicious/noExplicitAny: JSON of a response
type Json = any;

const store = s3Server();
const bucket = store.newBucket();
const youtube = youtubeServer();
const ports = [bucket.endpoint, youtube.baseUrl].map((url) => new URL(url).port).join(",");
const settings = { FETCH_EXTRA_PORTS: ports, ALLOW_PRIVATE_NETWORK: "true", YOUTUBE_BASE_URL: youtube.baseUrl };
const service = await testService(settings, undefined, instantExports);
const ann = await service.register("Ann");

afterAll(async () => {
  await service.close();
  store.stop();
  await youtube.stop();
});

async function addShelf(projectId: string, user: TestUser = ann) {
  const { endpoint, bucket: name, accessKeyId, secretAccessKey } = bucket;
  const shelf = { type: "s3", endpoint, bucket: name, accessKeyId, secretAccessKey };
  const base = `/api/projects/${projectId}/destinations`;
  await requireJson(user.json("PUT", `${base}/shelf`, shelf));
  await addChannel(projectId, user);
}

const addChannel = (projectId: string, user: TestUser) => {
  const channel = { type: "youtube", ...youtube.credentials };
  return requireJson(user.json("PUT", `/api/projects/${projectId}/destinations/channel`, channel));
};

/** The deliveries of an export, once they have ended. */
async function ended(exportId: string, user: TestUser = ann): Promise<Json[]> {
  for (;;) {
    const { deliveries } = await requireJson(user.request(`/api/exports/${exportId}/deliveries`));
    if (deliveries.length > 0 && deliveries.every(({ endedAt }: Json) => endedAt !== undefined)) return deliveries;
    await Bun.sleep(20);
  }
}

const keysOf = (deliveries: readonly Json[]) => deliveries.map(({ result }) => result?.key);

test("a film is sent to its destinations, each video once", async () => {
  const { projectId, base } = await filmProject(ann);
  await addShelf(projectId);
  const destinations = [{ type: "s3", name: "shelf", key: "{filmId}/{target}.{extension}" }];
  const order = { ...smallFilm, targets: ["9:16", "1:1"], destinations };
  const { id } = await requireJson(ann.json("POST", base, order));
  const film = await restedFilm(ann, `${base}/${id}`);
  expect(film.status).toBe("done");
  expect(keysOf(await ended(film.exportId))).toEqual([`${id}/9x16.mp4`, `${id}/1x1.mp4`]);
  const shown = (await requireJson(ann.request(`${base}/${id}`))).deliveries;
  expect(shown).toMatchObject([
    { status: "delivered", target: "9:16" },
    { status: "delivered", target: "1:1" },
  ]);
  const unknown = [{ type: "s3", name: "nowhere" }];
  expect((await ann.json("POST", base, { ...smallFilm, destinations: unknown })).status).toBe(400);
});

test("films of a table have keys and titles of their rows, and keep their one delivery in a later batch", async () => {
  const { base, path, projectId } = await productTable(ann);
  await addShelf(projectId);
  const destinations = [
    { type: "s3", name: "shelf", key: "{{sku}}/{fileName}.{extension}" },
    { type: "youtube", name: "channel", title: "{{name}} for {{price}}", tags: ["{{sku}}"] },
  ];
  const rows = [
    { sku: "../a", name: "Bike", price: 19 },
    { sku: "b", name: "{name} <Helmet>", price: 29 },
  ];
  const order = { base, rows, keyColumn: "sku", targets: ["16:9"], destinations };
  const made = async () => {
    const { id } = await requireJson(ann.json("POST", path, order));
    await restedBatch(ann, `${path}/${id}`);
    const { films } = await requireJson(ann.request(`${path}/${id}/films`));
    const sent = await Promise.all(films.map(async ({ exportId, status }: Json) => [status, await ended(exportId)]));
    const shown = (await requireJson(ann.request(`${path}/${id}/films`))).films;
    const listed = ({ destination: to, target, status, result }: Json) => ({ to, target, status, url: result.url });
    const expected = sent.map(([, deliveries]) => deliveries.map(listed));
    expect(shown.map(({ deliveries }: Json) => deliveries)).toEqual(expected);
    return sent;
  };
  const [[, bike], [, helmet]] = await made();
  expect(keysOf([bike[0], helmet[0]])).toEqual(["_/a/___a.mp4", "b/b.mp4"]);
  const titles = youtube.videos.map(({ body }) => [body.snippet.title, body.snippet.tags]);
  expect(titles.sort()).toEqual([
    ["Bike for 19", ["../a"]],
    ["b Helmet for 29", ["b"]],
  ]);
  const again = await made();
  expect(again.map(([status]) => status)).toEqual(["unchanged", "unchanged"]);
  expect(again.map(([, deliveries]) => deliveries)).toEqual([bike, helmet]);
  expect(youtube.videos.length).toBe(2);
});

test.each([
  ["key without anything of its row", [{ type: "s3", name: "shelf", key: "film.mp4" }], "destinations.0.key"],
  ["column that the table lacks", [{ type: "s3", name: "shelf", key: "{{ean}}.mp4" }], "destinations.0.key"],
])("a batch is refused with a %s", async (_, destinations, path) => {
  const table = await productTable(ann);
  await addShelf(table.projectId);
  const order = { base: table.base, rows: [{ name: "Bike", price: 19 }], destinations };
  for (const to of [table.path, `${table.path}/validate`]) {
    const response = await ann.json("POST", to, order);
    expect([response.status, (await response.json()).details[0].path]).toEqual([400, path]);
  }
});

/** A picture with the mark that a trained model made it. */
function markedPicture(): File {
  const plain = createCanvas(64, 36).toBuffer("image/jpeg");
  const address = "http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia";
  const packet = Buffer.from(`http://ns.adobe.com/xap/1.0/\0<r Iptc4xmpExt:DigitalSourceType="${address}"/>`);
  const head = Buffer.from([0xff, 0xe1, 0, packet.length + 2]);
  return new File([Buffer.concat([plain.subarray(0, 2), head, packet, plain.subarray(2)])], "marked.jpeg");
}

test("a video that must pass the gate is checked, and its parts of a trained model are flagged", async () => {
  const rendering = await sharedService();
  const eve = await rendering.register("Eve");
  const { projectId, workId, image } = await newWork(eve, { name: "Film" });
  await addChannel(projectId, eve);
  await image(0, markedPicture());
  const clips = [{ sceneIndex: 0, position: 0, end: 0.4 }];
  const request = { projectId, workId, clips, options: { width: 64, height: 36, fps: 10 } };
  const channel = { type: "youtube", name: "channel", requireGate: true };
  const sent = async (destination: object, fields: object) => {
    const { id } = await requireJson(
      eve.json("POST", "/api/exports", { ...request, ...fields, destinations: [destination] }),
    );
    return { id, deliveries: await ended(id, eve) };
  };
  const platforms = ["youtube"];
  const said = { mustSay: ["Velo Nord"] };
  const broken = await sent(channel, { platforms, rules: said });
  expect(broken.deliveries).toMatchObject([{ status: "failed", attempts: 1, error: { code: "gate_failed" } }]);
  expect((await requireJson(eve.request(`/api/exports/${broken.id}/check`))).ok).toBe(false);
  const ignored = await sent({ ...channel, dryRun: true }, { platforms, rules: { ignore: ruleNames } });
  const status = { containsSyntheticMedia: true, privacyStatus: "private" };
  expect(ignored.deliveries).toMatchObject([
    { status: "dry_run", plan: { passesGate: true, requests: [{}, { body: { status } }, {}] } },
  ]);
});

test("a removed project has no credentials any more, and its deliveries do not continue", async () => {
  const { request } = await newPictureFilm(ann);
  const { projectId } = request;
  await addShelf(projectId);
  store.failWith(() => new Response(null, { status: 503, headers: { "retry-after": "3600" } }));
  const destinations = [{ type: "s3", name: "shelf" }];
  const { id } = await requireJson(ann.json("POST", "/api/exports", { ...request, destinations }));
  for (;;) {
    const { deliveries } = await requireJson(ann.request(`/api/exports/${id}/deliveries`));
    if (deliveries[0].retryAt !== undefined) break;
    await Bun.sleep(20);
  }
  store.failWith(undefined);
  expect((await ann.request(`/api/projects/${projectId}`, { method: "DELETE" })).status).toBe(204);
  const left = async (table: string) =>
    (await service.db.execute(`select from ${table} where project_id = '${projectId}'`)) as unknown as {
      rows: unknown[];
    };
  expect((await left("destinations")).rows).toEqual([]);
  expect((await left("deliveries")).rows).toEqual([]);
});

test("an export is kept until its videos are sent", async () => {
  const { request } = await newPictureFilm(ann);
  await addShelf(request.projectId);
  store.failWith(() => new Response(null, { status: 503, headers: { "retry-after": "3600" } }));
  const destinations = [{ type: "s3", name: "shelf" }];
  const { id } = await requireJson(ann.json("POST", "/api/exports", { ...request, destinations }));
  let delivery: Json;
  do [delivery] = (await requireJson(ann.request(`/api/exports/${id}/deliveries`))).deliveries;
  while (delivery.retryAt === undefined);
  const later = Date.now() + 1000 * 86_400_000;
  const expired = async () => (await service.services.exports.listExpired(later)).map((each) => each.id);
  expect(await expired()).not.toContain(id);
  store.failWith(undefined);
  await ann.json("POST", `/api/exports/${id}/deliveries/${delivery.id}/retry`);
  await ended(id);
  expect(await expired()).toContain(id);
});

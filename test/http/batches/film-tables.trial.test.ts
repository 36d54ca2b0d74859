import { afterAll, expect, test } from "bun:test";
import { restedBatch } from "../../support/batches.ts";
import { paidFilms, paidOrder } from "../../support/paid-films.ts";
import { formOf, wav } from "../../support/uploads.ts";
import { requireJson } from "../../support/work-videos.ts";

const pages = new Map<string, string>();
const shop = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: (request) =>
    new Response(pages.get(new URL(request.url).pathname), { headers: { "content-type": "text/html" } }),
});
const settings = { FETCH_EXTRA_PORTS: `${shop.port}`, ALLOW_PRIVATE_NETWORK: "true" };
const { service, close } = await paidFilms(settings);
const ann = await service.register();
afterAll(async () => {
  await close();
  await shop.stop(true);
});

const unpaid = { llm: { provider: "local" }, image: { provider: "local" }, video: false };

test("a film is made again once its page says something else, and not for another id of the same music", async () => {
  const { id: projectId } = await requireJson(ann.json("POST", "/api/projects", { name: "Pages" }));
  const own = `/api/projects/${projectId}/batches`;
  const upload = async () => {
    const response = ann.request(`/api/projects/${projectId}/assets`, {
      method: "POST",
      body: formOf({ file: wav() }),
    });
    return (await requireJson(response)).id;
  };
  const url = `http://127.0.0.1:${shop.port}/{{name}}`;
  const made = async () => {
    const film = { ...paidOrder, scenes: 1, models: unpaid, brief: { url }, music: { assetId: await upload() } };
    const { id } = await requireJson(ann.json("POST", own, { base: { film }, rows: [{ name: "cup" }] }));
    return (await restedBatch(ann, `${own}/${id}`)).counts;
  };
  pages.set("/cup", "<title>Cup</title><p>It keeps warm.</p>");
  expect(await made()).toMatchObject({ done: 1 });
  expect(await made()).toMatchObject({ unchanged: 1 });
  pages.set("/cup", "<title>Cup</title><p>It keeps cold.</p>");
  expect(await made()).toMatchObject({ done: 1, unchanged: 0 });
});

import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { productTable } from "../support/batches.ts";
import { filmIn, recipeService, runRecipe } from "../support/cookbook.ts";
import { numberedVideo } from "../support/work-videos.ts";

let feed = "";
const shop = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(feed) });
const { run, user, close } = await recipeService();
const { folder } = run;
afterAll(async () => {
  await shop.stop(true);
  await close();
});

test("makes the films of a feed, the next night those whose rows have changed, and a bad row costs nothing", async () => {
  const { projectId, workId } = await productTable(user, await numberedVideo(folder, 10));
  const env = { FEED_URL: shop.url.href, PROJECT_ID: projectId, WORK_ID: workId };
  const nightly = () => runRecipe("nightly-feed", { ...run, env });

  feed = 'id,name,price\r\nA1,City bike,890\r\nB2,"Helmet, red",59\r\n';
  const first = await nightly();
  expect([first.exitCode, first.lines]).toEqual([0, ["A1.mp4", "B2.mp4", "2 made, 0 unchanged, 0 invalid"]]);
  expect(await filmIn(`${folder}/films`, "A1.mp4")).toMatchObject({ width: 64, height: 36 });

  feed = "id;name;price\r\nA1;City bike;849\r\nB2;Helmet, red;59\r\n";
  // as after a night that broke off
  await rm(`${folder}/films/B2.mp4`);
  expect((await nightly()).lines).toEqual(["A1.mp4", "B2.mp4", "1 made, 1 unchanged, 0 invalid"]);
  expect((await nightly()).lines).toEqual(["A1.mp4", "1 made, 1 unchanged, 0 invalid"]);

  const { batches } = await (await user.request(`/api/projects/${projectId}/batches`)).json();
  expect(batches).toHaveLength(2);
});

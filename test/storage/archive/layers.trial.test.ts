import { afterAll, expect, test } from "bun:test";
import { idChanger } from "../../../src/storage/archive/import.ts";
import { archiveOf, importInto } from "../../support/archives.ts";
import { lottie, lottieBytes, redFill, square, words } from "../../support/media/lottie.ts";
import { movingFile, threePictures } from "../../support/media/moving.ts";
import { pixelsOf } from "../../support/media/rgb.ts";
import { type TestUser, testService } from "../../support/service.ts";
import { mp4, png, wav } from "../../support/uploads.ts";
import { newWork, requireJson } from "../../support/work-videos.ts";

const source = await testService();
const target = await testService();
afterAll(() => Promise.all([source.close(), target.close()]));

const options = { width: 96, height: 96, fps: 10 };

test("an archive carries the files of layers, and the imported work renders alike", async () => {
  const ann = await source.register("Ann");
  const work = await newWork(ann, { name: "Film" });
  const { projectId, workId } = work;
  await work.scene(0, await mp4());
  const upload = async (file: File) => (await work.asset(file)).id;
  const gif = await movingFile("gif", threePictures());
  const animation = lottieBytes(lottie([square(redFill), words("title", "Tea")])) as Uint8Array<ArrayBuffer>;
  const ids = {
    video: await upload(await mp4()),
    picture: await upload(png(8, 8, "#0000ff")),
    page: await upload(png(8, 8, "#00ff00")),
    lottie: await upload(new File([animation], "a.json", { type: "application/json" })),
    gif: await upload(new File([gif], "a.gif", { type: "image/gif" })),
    sound: await upload(wav()),
    luma: await upload(png(16, 16, "#808080")),
  };
  const place = (column: number, row: number) => ({ x: column * 32, y: row * 32, width: 30, height: 30 });
  const editorState = {
    clips: [
      {
        sceneIndex: 0,
        position: 0,
        end: 0.3,
        transition: "luma",
        transitionDuration: 0.2,
        transitionAssetId: ids.luma,
      },
      { sceneIndex: 0, position: 0.3, end: 0.6, mask: { assetId: ids.picture, by: "alpha" } },
    ],
    layers: [
      { type: "video", assetId: ids.video, ...place(0, 0), fit: "cover", radius: 5 },
      { type: "image", assetId: ids.gif, ...place(1, 0) },
      { type: "lottie", assetId: ids.lottie, ...place(2, 0), texts: { title: "Milk" } },
      { type: "html", html: `<img src="asset:${ids.page}" style="width:30px;height:30px">`, ...place(0, 1) },
      { type: "html", html: "<div></div>", css: `div{height:30px;background:url(asset:${ids.page})}`, ...place(1, 1) },
      { type: "shape", shape: "rect", fill: "#ffffff", ...place(2, 1), mask: { assetId: ids.picture, by: "luma" } },
      { type: "group", ...place(0, 2), layers: [{ type: "image", assetId: ids.picture, width: 20, height: 20 }] },
    ],
    sounds: [{ assetId: ids.sound, position: 0.1 }],
  };
  await requireJson(ann.json("PUT", `/api/projects/${projectId}/works/${workId}`, { editorState }));
  const frameOf = async (user: TestUser, place: { projectId: string; workId: string }, t: number) => {
    const response = await user.json("POST", `/api/export/frame?t=${t}`, { ...place, options });
    if (response.status !== 200) throw new Error(await response.text());
    return await pixelsOf(new Uint8Array(await response.arrayBuffer()));
  };
  const shown = await Promise.all([0, 0.2, 0.4].map((t) => frameOf(ann, { projectId, workId }, t)));

  const { bytes, problems } = await archiveOf(source, {
    kind: "project",
    project: { id: projectId, name: "Film" },
    user: { id: ann.user.id, email: ann.user.email },
  });
  expect(problems).toEqual([]);
  const bob = await target.register("Bob");
  const changeIds = idChanger(ann.user.id, bob.user.id);
  await importInto(target, bytes, { changeIds, keepsExisting: true });
  const there = { projectId: changeIds(projectId), workId: changeIds(workId) };
  const imported = await Promise.all([0, 0.2, 0.4].map((t) => frameOf(bob, there, t)));
  expect(imported).toEqual(shown);
  expect(new Set(shown.map((each) => Bun.hash(each))).size).toBe(3);
  const exported = await bob.json("POST", "/api/export", { ...there, options });
  expect(exported.status).toBe(200);
});

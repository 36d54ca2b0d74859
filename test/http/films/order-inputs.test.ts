import { expect, test } from "bun:test";
import { canBeLeftOut, stepKinds } from "../../../src/domain/films/plan.ts";
import { orderFilm } from "../../support/films.ts";
import { sharedService } from "../../support/service.ts";
import { formOf, png } from "../../support/uploads.ts";

const service = await sharedService();

test("music that is not there, is another's or has no sound is refused at the order, and leaves no work", async () => {
  const [ann, bob] = [await service.register("Ann"), await service.register("Bob")];
  const upload = async (user: typeof ann) => {
    const { id } = await (await user.json("POST", "/api/projects", { name: "Songs" })).json();
    const body = formOf({ file: new File([await png(64, 36).bytes()], "a.png") });
    const asset = await (await user.request(`/api/projects/${id}/assets`, { method: "POST", body })).json();
    return { projectId: id as string, assetId: asset.id as string };
  };
  const foreign = await upload(bob);
  const missing = `asset_${"0".repeat(32)}`;
  for (const [music, code, path] of [
    [{ assetId: missing }, "asset_missing", "music.assetId"],
    [{ assetId: foreign.assetId }, "asset_missing", "music.assetId"],
    [{ audioUrl: `/api/projects/${foreign.projectId}/assets/${foreign.assetId}` }, "asset_missing", "music.audioUrl"],
    [{ audioUrl: "http://127.0.0.1/song.mp3" }, "url_not_allowed", "music.audioUrl"],
  ] as const) {
    const { projectId, response, film: error } = await orderFilm(ann, { music });
    expect([response.status, error.code, JSON.stringify(error.details)]).toEqual([
      422,
      code,
      expect.stringContaining(path),
    ]);
    const works: unknown = await (await ann.request(`/api/projects/${projectId}/works`)).json();
    expect(works).toEqual([]);
  }
  const own = await upload(ann);
  const body = { brief: { text: "Velo Nord." }, music: { assetId: own.assetId } };
  const response = await ann.json("POST", `/api/projects/${own.projectId}/films`, body);
  expect([response.status, (await response.json()).code]).toEqual([422, "asset_wrong_type"]);
});

test("a film is made without any step but its scenario, its arrangement and its video", () => {
  expect(stepKinds.filter((kind) => !canBeLeftOut(kind))).toEqual(["scenario", "compose", "export"]);
});

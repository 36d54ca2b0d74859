import { afterAll, expect, test } from "bun:test";
import { filmProject, restedFilm, smallFilm } from "../../support/films.ts";
import { instantExports } from "../../support/media/instant-exports.ts";
import { testService } from "../../support/service.ts";
import { requireJson } from "../../support/work-videos.ts";

const service = await testService({}, undefined, instantExports);
afterAll(() => service.close());

const models = { image: { provider: "local" }, video: { provider: "local" } };
const scenes = 2;

// biome-ignore lint/suspicious/noExplicitAny: a saved overlay as JSON
type Json = any;

test("a film is composed for each target; a scene of its work that is made again looks as the film's", async () => {
  const ann = await service.register();
  const { projectId, base } = await filmProject(ann);
  const { id } = await requireJson(ann.json("POST", base, { ...smallFilm, models, scenes, targets: ["9:16", "1:1"] }));
  const film = await restedFilm(ann, `${base}/${id}`);
  expect(film.status).toBe("done");
  const work = `/api/projects/${projectId}/works/${film.workId}`;
  const { editorState } = await requireJson(ann.request(work));
  const ofTargets = [...Object.values(editorState.textOverlays), ...editorState.layers].map(
    ({ targets }: Json) => targets,
  );
  expect(ofTargets.length).toBeGreaterThan(2);
  // 90 × 160 and 90 × 90 are composed differently
  for (const targets of ofTargets)
    expect(targets).toEqual({ "1:1": expect.objectContaining({ centerX: expect.anything() }) });
  const picture = async (scene: number) =>
    Bun.hash(await (await ann.request(`${work}/media/scene/${scene}/image`)).bytes());
  for (const scene of [0, 1]) {
    const ordered = await picture(scene);
    const generate = (body: object) => requireJson(ann.json("POST", `${work}/generate/scene/${scene}`, body));
    await generate({});
    expect(await picture(scene)).toBe(ordered);
    await generate({ force: true });
    expect(await picture(scene)).toBe(ordered);
  }
});

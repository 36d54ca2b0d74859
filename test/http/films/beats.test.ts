import { expect, test } from "bun:test";
import { filmProject, restedFilm, smallFilm } from "../../support/films.ts";
import { draw } from "../../support/media/draw-media.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";
import { instantExports } from "../../support/media/instant-exports.ts";
import { fakeServer } from "../../support/models/fake-server.ts";
import { sharedService, testService } from "../../support/service.ts";
import { formOf } from "../../support/uploads.ts";

const service = await sharedService();

/** Clicks at a distance, from a tenth of a second on. */
async function clicks(distance: number) {
  const source = `aevalsrc='0.8*sin(2*PI*1000*t)*lt(mod(t-0.1+${distance},${distance}),0.02)':s=48000:d=9.8`;
  const path = await draw(`${await temporaryFolder()}/clicks.wav`, source);
  return new File([await Bun.file(path).bytes()], "clicks.wav", { type: "audio/wav" });
}

test("scenes of a film end on beats of its own music", async () => {
  const ann = await service.register();
  const { projectId, base } = await filmProject(ann);
  const distance = 0.7;
  const upload = { method: "POST", body: formOf({ file: await clicks(distance) }) };
  const { id: assetId } = await (await ann.request(`/api/projects/${projectId}/assets`, upload)).json();
  const cuts = async (rest: object) => {
    const order = { ...smallFilm, seconds: 9, scenes: 3, music: { assetId }, ...rest };
    const { id, ...error } = await (await ann.json("POST", base, order)).json();
    if (!id) throw new Error(JSON.stringify(error));
    const film = await restedFilm(ann, `${base}/${id}`);
    expect(film.status).toBe("done");
    const work = await (await ann.request(`/api/projects/${projectId}/works/${film.workId}`)).json();
    return work.editorState.editorData.videoTrack.map(({ end }: { end: number }) => end) as number[];
  };
  const planned = await cuts({});
  const snapped = await cuts({ snap: "beat" });
  expect(snapped).toHaveLength(3);
  for (const [index, end] of snapped.entries()) {
    const nearest = 0.1 + distance * Math.round((planned[index]! - 0.1) / distance);
    const isNear = Math.abs(nearest - planned[index]!) <= 0.3;
    expect(Math.abs(end - (isNear ? nearest : planned[index]!))).toBeLessThan(0.02);
  }
  expect(snapped).not.toEqual(planned);
});

test("scenes of a film end on beats of music that a model made for it", async () => {
  const distance = 0.7;
  const music = await (await clicks(distance)).bytes();
  const provider = fakeServer({
    "POST /v1/music": () => new Response(music, { headers: { "content-type": "audio/wav" } }),
  });
  const own = await testService({ ELEVENLABS_BASE_URL: provider.url }, undefined, instantExports);
  const ann = await own.register("Ann");
  const { projectId, base } = await filmProject(ann);
  const stateOf = async (rest: object) => {
    const models = { ...smallFilm.models, music: { provider: "elevenlabs" } };
    const order = { ...smallFilm, models, seconds: 9, scenes: 3, music: { prompt: "clicks" }, ...rest };
    const ordered = await (await ann.json("POST", base, order, { "x-music-api-key": "key" })).json();
    const film = await restedFilm(ann, `${base}/${ordered.id}`);
    expect(film.status).toBe("done");
    return (await (await ann.request(`/api/projects/${projectId}/works/${film.workId}`)).json()).editorState;
  };
  const endsOf = (state: { editorData: { videoTrack: { end: number }[] } }) =>
    state.editorData.videoTrack.map(({ end }) => end);
  const planned = endsOf(await stateOf({ snap: false }));
  const state = await stateOf({});
  await own.close();
  const snapped = endsOf(state);
  expect(state.beats.bpm).toBeCloseTo(60 / distance, 0);
  expect(snapped.at(-1)).toBe(planned.at(-1)!);
  for (const [index, end] of snapped.slice(0, -1).entries()) {
    const nearest = 0.1 + distance * Math.round((planned[index]! - 0.1) / distance);
    const isNear = Math.abs(nearest - planned[index]!) <= 0.3;
    expect(Math.abs(end - (isNear ? nearest : planned[index]!))).toBeLessThan(0.02);
  }
}, 60_000);

test("only music of one's own has beats before a film is made", async () => {
  const ann = await service.register();
  const { base } = await filmProject(ann);
  for (const [order, path] of [
    [{ snap: "beat" }, "snap"],
    [{ snap: "bar" }, "snap"],
    [{ music: { assetId: "a", bpm: 1 } }, "music.bpm"],
  ] as const) {
    const response = await ann.json("POST", base, { ...smallFilm, ...order });
    const { details } = await response.json();
    expect([response.status, details[0].path]).toEqual([400, path]);
  }
});

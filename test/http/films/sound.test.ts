import { expect, test } from "bun:test";
import { orderFilm, restedFilm } from "../../support/films.ts";
import { sharedService } from "../../support/service.ts";

const service = await sharedService();

// biome-ignore lint/suspicious/noExplicitAny: a work as JSON
type Json = any;

async function madeFilm(order: object) {
  const ann = await service.register();
  const { path, projectId, film: ordered } = await orderFilm(ann, order);
  const film = await restedFilm(ann, path);
  expect([film.status, film.waitingReason]).toEqual(["done", undefined]);
  const work: Json = await (await ann.request(`/api/projects/${projectId}/works/${film.workId}`)).json();
  return { ann, film, ordered, state: work.editorState };
}

test("a film whose order says nothing of music has a bed, cuts on its beats, and effects at entrances", async () => {
  const brief = { text: "Kora Gym: training that hurts. Now $19 a month. Open all night. Start at kora.example" };
  const { film, ordered, state } = await madeFilm({ brief, look: "bold", seconds: 9, scenes: 3, music: undefined });
  expect(ordered.sound).toEqual({ music: "bed", voice: false, effects: true });
  expect(film.sound).toEqual({ music: "bed", bed: "drive", voice: false, effects: true });
  expect(film.warnings.map(({ code }: Json) => code)).not.toContain("silent_result");
  expect(state.audio).toMatchObject({ audioUrl: "/api/beds/drive/sound", duck: true, normalize: true });

  const { bpm, beats, bars } = state.beats;
  expect(Math.abs(bpm - 126)).toBeLessThan(126 * 0.06);
  expect(beats[4]).toBe(bars[1]);
  const ends: number[] = state.editorData.videoTrack.map(({ end }: Json) => end);
  expect(ends.at(-1)).toBe(9);
  const distance = (time: number, others: readonly number[]) => Math.min(...others.map((at) => Math.abs(at - time)));
  for (const end of ends.slice(0, -1)) expect(distance(end, beats)).toBeLessThan(0.01);

  const starts = [...state.editorData.videoTrack, ...state.editorData.textTrack].map(({ start }: Json) => start);
  expect(state.sounds.length).toBeGreaterThan(2);
  for (const { audioUrl, position, role, duck } of state.sounds) {
    expect([audioUrl.startsWith("/api/effects/"), role, duck]).toEqual([true, "effect", true]);
    expect(distance(position, starts)).toBeLessThan(1 / 30);
  }
});

test("effects: true has them without music, too", async () => {
  const brief = { text: "Kora Gym: training that hurts. Now $19 a month. Open all night. Start at kora.example" };
  const { film, state } = await madeFilm({ brief, look: "bold", seconds: 9, scenes: 3, music: false, effects: true });
  expect(film.sound).toEqual({ music: "none", voice: false, effects: true });
  expect(film.warnings.map(({ code }: Json) => code)).not.toContain("silent_result");
  expect([state.audio, state.beats]).toEqual([undefined, undefined]);
  expect(state.sounds.length).toBeGreaterThan(2);
  expect(new Set(state.sounds.map(({ role }: Json) => role))).toEqual(new Set(["effect"]));
});

test("music: false leaves the bed out, and a named bed is taken", async () => {
  const { film, state } = await madeFilm({ music: false });
  expect(film.sound).toEqual({ music: "none", voice: false, effects: false });
  expect(film.warnings).toContainEqual(expect.objectContaining({ code: "silent_result" }));
  expect([state.audio, state.sounds, state.beats]).toEqual([undefined, undefined, undefined]);
  const named = await madeFilm({ music: { bed: "glow" }, effects: false });
  expect(named.film.sound).toEqual({ music: "bed", bed: "glow", voice: false, effects: false });
  expect([named.state.audio.audioUrl, named.state.sounds]).toEqual(["/api/beds/glow/sound", undefined]);
});

test("an order with a bed that does not exist is refused, with the names of those that do", async () => {
  const ann = await service.register();
  for (const [music, path] of [
    [{ bed: "none" }, "music.bed"],
    [{ bed: "glow", prompt: "piano" }, "music"],
    [{ bed: "glow", bpm: 100 }, "music.bpm"],
  ] as const) {
    const { response, film: error } = await orderFilm(ann, { music });
    expect([response.status, error.details[0].path]).toEqual([400, path]);
  }
});

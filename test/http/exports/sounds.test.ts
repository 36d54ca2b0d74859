import { afterAll, beforeAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { draw, soundSamples } from "../../support/media/draw-media.ts";
import { temporaryFolder, testedFfmpegs } from "../../support/media/ffmpeg.ts";
import { testService } from "../../support/service.ts";
import { png } from "../../support/uploads.ts";
import { newWork, requireJson, saveResponse } from "../../support/work-videos.ts";

const [ffmpeg] = testedFfmpegs;
const service = await testService();
const ann = await service.register("Ann");
const folder = await temporaryFolder();
const work = await newWork(ann, { name: "Film" });
const { projectId, workId } = work;
const options = { width: 64, height: 36, fps: 10, quality: "draft" };
let bell: string;
let speech: string;
let picture: string;
let recording: File;

beforeAll(async () => {
  const sound = async (name: string, expression: string, seconds: number) => {
    const path = await draw(`${folder}/${name}.wav`, `aevalsrc='${expression}':s=48000:d=${seconds}`);
    return new File([await Bun.file(path).bytes()], `${name}.wav`, { type: "audio/wav" });
  };
  bell = (await work.asset(await sound("bell", "0.2*sin(2*PI*800*t)", 0.5))).id;
  speech = (await work.asset(await sound("speech", "0.05*sin(2*PI*1600*t)", 1))).id;
  picture = (await work.asset(png(8, 8))).id;
  await work.image(0, png(64, 36));
  recording = await sound("recording", "0.1*sin(2*PI*900*t)", 1.2);
});

afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const clips = [{ sceneIndex: 0, position: 0, end: 2 }];
const film = (rest: object) => ({ projectId, workId, options, clips, ...rest });
const validate = (rest: object) => requireJson(ann.json("POST", "/api/export/validate", film(rest)));
const found = (list: readonly { path: string; code: string }[]) => list.map(({ path, code }) => [path, code]);

async function samplesOf(rest: object): Promise<Float32Array> {
  const path = await saveResponse(folder, await ann.json("POST", "/api/export", film(rest)));
  return (await soundSamples(ffmpeg!, path)).filter((_, index) => index % 2 === 0);
}

const loudest = (samples: Float32Array, start: number, end: number) =>
  samples.subarray(start * 48_000, end * 48_000).reduce((peak, level) => Math.max(peak, Math.abs(level)), 0);

test("sounds are heard at their times, from assets and from URLs", async () => {
  const samples = await samplesOf({
    sounds: [
      { assetId: bell, position: 0.25 },
      { audioUrl: `/api/projects/${projectId}/assets/${bell}`, position: 1.2, end: 1.4, volume: 2 },
    ],
  });
  const heard = [0.1, 0.3, 0.6, 0.85, 1.25, 1.45].map((at) => loudest(samples, at, at + 0.1));
  expect(heard.map((level) => level > 0.1)).toEqual([false, true, true, false, true, false]);
  expect(heard[4]! / heard[1]!).toBeCloseTo(2, 1);
});

test("voices among the sounds make the mix as loud as recorded ones do", async () => {
  const effect = await samplesOf({ sounds: [{ assetId: speech }] });
  const voice = await samplesOf({ sounds: [{ assetId: speech, role: "voice" }] });
  expect(loudest(effect, 0.2, 0.8)).toBeLessThan(0.07);
  expect(loudest(voice, 0.2, 0.8)).toBeGreaterThan(0.15);
  const plain = await samplesOf({
    sounds: [{ assetId: speech, role: "voice" }],
    voice: { normalize: false },
    audio: { normalize: false },
  });
  expect(loudest(plain, 0.2, 0.8)).toBeLessThan(0.07);
});

test("a film without clips ends with its last sound, also where the sound ends by itself", async () => {
  expect(await validate({ clips: [], sounds: [{ assetId: bell, position: 1 }] })).toMatchObject({
    ok: true,
    durationSeconds: 1.5,
  });
  expect(await validate({ clips: [], sounds: [{ assetId: bell, speed: 0.5, end: 0.8 }] })).toMatchObject({
    durationSeconds: 0.8,
  });
  expect(await validate({ clips: [], sounds: [{ assetId: bell, repeat: true }] })).toMatchObject({
    ok: false,
    errors: [{ path: "clips", code: "validation_error" }],
  });
  const alone = await samplesOf({ clips: [], sounds: [{ assetId: bell, position: 0.5 }] });
  expect(Math.abs(alone.length - 48_000)).toBeLessThan(1024);
  expect([loudest(alone, 0.2, 0.4) > 0.1, loudest(alone, 0.6, 0.9) > 0.1]).toEqual([false, true]);
});

test("a film without clips lasts as long as the voice of the work", async () => {
  const spoken = await newWork(ann);
  await spoken.voice(recording);
  const { projectId, workId } = spoken;
  const body = { projectId, workId, options, clips: [], voice: { position: 0.5 } };
  expect(await requireJson(ann.json("POST", "/api/export/validate", body))).toMatchObject({
    ok: true,
    durationSeconds: 1.7,
  });
});

test("settings of voices are for those of the sounds, too", async () => {
  const { warnings } = await validate({ voice: { normalize: false }, sounds: [{ assetId: speech, role: "voice" }] });
  expect(found(warnings)).not.toContainEqual(["voice", "voice_missing"]);
});

test("what is wrong with a sound is said with its path", async () => {
  const { errors } = await validate({
    sounds: [
      { assetId: "asset_gone" },
      { assetId: picture },
      { audioUrl: "ftp://example.com/a.mp3" },
      { audioUrl: `/api/projects/${projectId}/assets/${picture}` },
    ],
  });
  expect(found(errors)).toEqual(
    expect.arrayContaining([
      ["sounds.0.assetId", "asset_missing"],
      ["sounds.1.assetId", "asset_wrong_type"],
      ["sounds.2.audioUrl", "url_not_allowed"],
      ["sounds.3.audioUrl", "asset_wrong_type"],
    ]),
  );
  const falling = [
    { at: "50%", value: 1 },
    { at: 0.1, value: 0 },
  ];
  expect(found((await validate({ sounds: [{ assetId: bell, keyframes: { volume: falling } }] })).errors)).toEqual([
    ["sounds.0.keyframes.volume.1.at", "validation_error"],
  ]);
  const invalid = [
    [{}, "sounds.0.assetId"],
    [{ assetId: bell, audioUrl: "https://example.com/a.mp3" }, "sounds.0.assetId"],
    [{ assetId: bell, position: 1, end: 1 }, "sounds.0.end"],
    [{ assetId: bell, speed: 11 }, "sounds.0.speed"],
    [{ assetId: bell, role: "noise" }, "sounds.0.role"],
    [{ assetId: bell, keyframes: { opacity: [{ at: 0, value: 1 }] } }, "sounds.0.keyframes.opacity"],
    [{ assetId: bell, keyframes: { volume: [{ at: 0, value: 5 }] } }, "sounds.0.keyframes.volume.0.value"],
  ] as const;
  for (const [sound, path] of invalid) {
    const response = await ann.json("POST", "/api/exports", film({ sounds: [sound] }));
    expect([response.status, (await response.json()).details[0].path]).toEqual([400, path]);
  }
  const many = Array.from({ length: 51 }, () => ({ assetId: bell }));
  expect((await ann.json("POST", "/api/exports", film({ sounds: many }))).status).toBe(400);
});

test("sounds that are not heard as ordered are warned about, and count as sound", async () => {
  const { warnings } = await validate({
    sounds: [
      { assetId: bell, position: 5 },
      { assetId: bell, position: 1, end: 3 },
      { assetId: bell, cutFrom: 9 },
      { assetId: speech, position: 1.5, role: "voice" },
    ],
  });
  expect(found(warnings)).toEqual(
    expect.arrayContaining([
      ["sounds.0.position", "overlay_past_end"],
      ["sounds.1.end", "overlay_past_end"],
      ["sounds.1", "source_too_short"],
      ["sounds.2.cutFrom", "source_too_short"],
      ["sounds.3", "voice_too_long"],
    ]),
  );
  expect(found((await validate({})).warnings)).toContainEqual(["audio", "silent_result"]);
  expect(found((await validate({ sounds: [{ assetId: bell }] })).warnings)).not.toContainEqual([
    "audio",
    "silent_result",
  ]);
});

test("a saved editor keeps sounds that an editor does not name, and an empty list deletes them", async () => {
  const stored = () => requireJson(ann.request(work.base)).then(({ editorState }) => editorState.sounds);
  const save = (editorState: object) => requireJson(ann.json("PUT", work.base, { editorState }));
  const editorData = { videoTrack: [{ id: "one", start: 0, end: 2, sceneIndex: 0 }] };
  await save({ editorData, sounds: [{ assetId: bell, position: 1 }] });
  await save({ editorData });
  expect(await stored()).toEqual([{ assetId: bell, position: 1 }]);
  const saved = { projectId, workId, options };
  const fromEditor = await saveResponse(folder, await ann.json("POST", "/api/export", saved));
  const samples = (await soundSamples(ffmpeg!, fromEditor)).filter((_, index) => index % 2 === 0);
  expect([loudest(samples, 0.2, 0.9) > 0.1, loudest(samples, 1.1, 1.4) > 0.1]).toEqual([false, true]);
  await save({ editorData, sounds: [] });
  expect(await stored()).toEqual([]);
});

test("sounds are ingredients of the film, and tracks of its edit lists", async () => {
  const sounds = [
    { assetId: bell, role: "music", repeat: true, fadeOut: 0.2 },
    { assetId: speech, role: "voice", position: 0.5, speed: 2 },
  ];
  const { id } = await requireJson(ann.json("POST", "/api/exports", film({ sounds })));
  for (;;) {
    const { status } = await requireJson(ann.request(`/api/exports/${id}`));
    if (status === "done") break;
    expect(status).not.toBe("failed");
    await Bun.sleep(50);
  }
  const { ingredients } = await requireJson(ann.request(`/api/exports/${id}/provenance`));
  expect(ingredients.map(({ role }: { role: string }) => role)).toEqual(expect.arrayContaining(["music", "voice"]));
  const otio = await requireJson(ann.request(`/api/exports/${id}/timeline.otio`));
  const text = JSON.stringify(otio);
  expect(text).toContain("Sounds 1");
  expect(text).toContain("Sounds play at their own speed.");
});

test("repeating files of more than an hour together are an error", async () => {
  const silence = await draw(`${folder}/long.flac`, "aevalsrc=0:s=8000:d=2000", "-c:a", "flac");
  const long = await work.asset(new File([await Bun.file(silence).bytes()], "long.flac", { type: "audio/flac" }));
  const repeated = { assetId: long.id, repeat: true };
  const request = (count: number) =>
    validate({
      clips: [],
      options: { ...options, duration: 3000 },
      sounds: Array.from({ length: count }, () => repeated),
    });
  expect((await request(1)).errors).toEqual([]);
  expect(found((await request(2)).errors)).toEqual([["sounds.1.repeat", "validation_error"]]);
  // one that does not come to its end does not repeat
  expect((await validate({ sounds: [repeated, repeated] })).errors).toEqual([]);
});

test("a bed and effects are lowered under a voice, effects lie far below the bed, and nothing ends hard", async () => {
  const level = (samples: Float32Array, start: number, end: number) => {
    const part = samples.subarray(start * 48_000, end * 48_000);
    return 10 * Math.log10(part.reduce((sum, each) => sum + each * each, 1e-12) / part.length);
  };
  const audio = { audioUrl: "/api/beds/glow/sound", duck: true, normalize: false };
  const effect = (position: number) => ({
    ...{ audioUrl: "/api/effects/whoosh/sound", position, volume: 0.126, role: "effect", duck: true },
  });
  const voice = { assetId: speech, position: 4, role: "voice", volume: 0.0001 };
  const sounding = (rest: object) => samplesOf({ clips: [], options: { format: "wav", duration: 7 }, ...rest });
  const [bed, spoken] = [await sounding({ audio }), await sounding({ audio, sounds: [voice] })];
  expect(level(bed, 1, 3) - level(spoken, 1, 3)).toBeCloseTo(0, 0);
  expect(level(bed, 4.2, 4.8) - level(spoken, 4.2, 4.8)).toBeGreaterThan(5);
  const effects = await sounding({ audio: { normalize: false }, sounds: [effect(1), effect(4), voice] });
  expect(level(effects, 1, 1.6) - level(effects, 4, 4.6)).toBeGreaterThan(5);
  expect(level(bed, 1, 3) - level(effects, 1, 1.6)).toBeGreaterThan(17);
  const whole = await sounding({ audio: { ...audio, normalize: true }, sounds: [effect(1)] });
  const last = whole.subarray(whole.length - 0.05 * 48_000);
  const steps = last.map((each, index) => Math.abs(each - (last[index - 1] ?? each)));
  expect(Math.max(...steps)).toBeLessThan(0.01);
}, 60_000);

import { afterAll, beforeAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { draw } from "../../support/media/draw-media.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";
import { sharedService } from "../../support/service.ts";
import { png } from "../../support/uploads.ts";
import { newWork, requireJson } from "../../support/work-videos.ts";

const service = await sharedService();
const ann = await service.register("Ann");
const folder = await temporaryFolder();
const work = await newWork(ann);
let sound: string;
let video: string;
let picture: string;

const clicks = "0.5*sin(2*PI*1000*t)*lt(mod(t-0.25,0.5),0.01)*gte(t,0.25)";

beforeAll(async () => {
  const path = await draw(`${folder}/clicks.wav`, `aevalsrc='${clicks}':s=48000:d=10`);
  const asset = async (file: File) => `/api/projects/${work.projectId}/assets/${(await work.asset(file)).id}`;
  sound = await asset(new File([await Bun.file(path).bytes()], "clicks.wav", { type: "audio/wav" }));
  const movie = await draw(`${folder}/clicks.mp4`, "color=black:s=64x36:r=10:d=10", "-i", path, "-c:a", "aac");
  video = await asset(new File([await Bun.file(movie).bytes()], "clicks.mp4", { type: "video/mp4" }));
  picture = await asset(png(8, 8));
});
afterAll(() => rm(folder, { recursive: true }));

test("a waveform has the wanted number of points, over the whole sound", async () => {
  const waveform = await requireJson(ann.request(`${sound}/waveform?points=40`));
  expect(waveform.points).toBe(40);
  expect(waveform.seconds).toBeCloseTo(10, 2);
  // each click begins the second quarter of its half second
  const loud = waveform.peaks.map(([low, high]: readonly [number, number]) => low < -0.4 && high > 0.4);
  expect(loud).toEqual(Array.from({ length: 40 }, (_, point) => point % 2 === 1));
  expect((await requireJson(ann.request(`${video}/waveform`))).peaks).toHaveLength(1000);
});

test("beats are found, and at a given tempo", async () => {
  for (const asset of [sound, video]) {
    const { bpm, beats, confidence } = await requireJson(ann.request(`${asset}/beats`, { method: "POST" }));
    expect(Math.abs(bpm - 120)).toBeLessThan(1.2);
    expect(confidence).toBeGreaterThan(0.5);
    for (const beat of beats) expect(Math.abs((beat - 0.25) * 2 - Math.round((beat - 0.25) * 2))).toBeLessThan(0.04);
  }
  expect((await requireJson(ann.json("POST", `${sound}/beats`, { bpm: 60 }))).bpm).toBe(60);
});

test("an asset without sound, bad input and others' assets are errors", async () => {
  for (const [method, path] of [
    ["GET", "waveform"],
    ["POST", "beats"],
  ] as const) {
    const silent = await ann.request(`${picture}/${path}`, { method });
    expect([silent.status, (await silent.json()).code]).toEqual([422, "asset_wrong_type"]);
    const bob = await service.register(`Bob ${method}`);
    expect((await bob.request(`${sound}/${path}`, { method })).status).toBe(404);
  }
  for (const points of ["0", "4001", "1.5", "x"]) {
    expect((await ann.request(`${sound}/waveform?points=${points}`)).status).toBe(400);
  }
  expect((await ann.json("POST", `${sound}/beats`, { bpm: 1 })).status).toBe(400);
});

import { describe, expect, test } from "bun:test";
import { ExportRequest } from "../../../../src/domain/exports/request/schema.ts";
import { layOutVoices, type Recording, voiceWords } from "../../../../src/domain/exports/request/voices.ts";
import type { SpokenWord } from "../../../../src/engine/timeline/captions/words.ts";
import { layOutClips } from "../../../../src/engine/timeline/layout.ts";
import { frameRateOf } from "../../../../src/engine/timeline/time.ts";
import { completeRequest } from "../../../storage/samples.ts";
import { audioSource, videoSource } from "../../../support/media/draw-media.ts";
import { clip, transitionInto } from "../../../support/media/timelines.ts";

const rate = frameRateOf(30);
const source = videoSource("video");

const recording = (seconds: number, words: readonly SpokenWord[] = []): Recording => ({
  source: audioSource(`voice-${seconds}`, { durationSeconds: seconds }),
  speech: { text: "", words, timing: "measured" },
});

type Shown = { scene: number; start: number; end: number; voice?: boolean };

function voicesOf(
  voice: object | undefined,
  shown: readonly Shown[],
  scenes: Record<number, Recording>,
  work?: Recording,
) {
  const clips = shown.map(({ start, end }) => clip(source, start, end, transitionInto("fade", 10)));
  const request = ExportRequest.parse({
    projectId: "p",
    workId: "w",
    voice,
    clips: shown.map(({ scene: sceneIndex, voice }) => ({ sceneIndex, position: 0, end: 1, voice })),
  });
  const recordings = { work, scenes: new Map(Object.entries(scenes).map(([scene, one]) => [Number(scene), one])) };
  const { track } = layOutClips(clips);
  return layOutVoices(completeRequest(request), recordings, { clips, track, rate });
}

const placed = ({ voices }: ReturnType<typeof voicesOf>) =>
  voices.map(({ path, range, isCut }) => [path, range.start, range.end, isCut]);

const twoClips = [
  { scene: 0, start: 0, end: 60 },
  { scene: 1, start: 60, end: 120 },
];

describe("voices of scenes", () => {
  test("each begins where its clip becomes visible, after the delay", () => {
    const scenes = { 0: recording(1), 1: recording(1.5) };
    expect(placed(voicesOf({}, twoClips, scenes))).toEqual([
      ["clips.0", 0, 30, false],
      ["clips.1", 60, 105, false],
    ]);
    expect(placed(voicesOf({ delay: 0.2 }, twoClips, scenes))).toEqual([
      ["clips.0", 6, 36, false],
      ["clips.1", 66, 111, false],
    ]);
  });

  test("one that is longer than its clip goes on until the next voice begins or the video ends", () => {
    expect(placed(voicesOf({}, twoClips, { 0: recording(3) }))).toEqual([["clips.0", 0, 90, false]]);
    expect(placed(voicesOf({}, twoClips, { 0: recording(3), 1: recording(2.5) }))).toEqual([
      ["clips.0", 0, 60, true],
      ["clips.1", 60, 120, true],
    ]);
  });

  test("a rest of less than a frame is not missed", () => {
    expect(placed(voicesOf({}, twoClips, { 0: recording(2.02), 1: recording(2) }))).toEqual([
      ["clips.0", 0, 60, false],
      ["clips.1", 60, 120, false],
    ]);
  });

  test("a scene that several clips show is said once, in the first of them that is to have a voice", () => {
    const shown = [
      { scene: 0, start: 60, end: 120 },
      { scene: 0, start: 0, end: 60, voice: false },
    ];
    const later = [...shown, { scene: 0, start: 120, end: 180 }];
    expect(placed(voicesOf({}, later, { 0: recording(1) }))).toEqual([["clips.0", 60, 90, false]]);
  });

  test("a clip that another covers has no voice", () => {
    const shown = [
      { scene: 0, start: 0, end: 30 },
      { scene: 1, start: 0, end: 60 },
      { scene: 1, start: 0, end: 30 },
    ];
    expect(placed(voicesOf({}, shown, { 0: recording(1), 1: recording(1) }))).toEqual([["clips.2", 0, 30, false]]);
  });

  test("those without a recording are missing", () => {
    expect(voicesOf({}, twoClips, { 1: recording(1) }).missing).toEqual(["clips.0.sceneIndex"]);
    expect(voicesOf({}, twoClips, {}).missing).toEqual(["voice"]);
    expect(voicesOf({ from: "work" }, twoClips, { 1: recording(1) }).missing).toEqual(["voice.from"]);
    expect(voicesOf(undefined, twoClips, { 1: recording(1) })).toEqual({ voices: [], missing: [] });
  });
});

test("the work's voice is used if no scene of a clip has one, or if it is asked for", () => {
  const scenes = { 0: recording(1), 7: recording(1) };
  const whole = [["voice", 15, 75, false]];
  expect(placed(voicesOf({ position: 0.5 }, twoClips.slice(1), scenes, recording(2)))).toEqual(whole);
  expect(placed(voicesOf({ position: 0.5, from: "work" }, twoClips, scenes, recording(2)))).toEqual(whole);
  expect(placed(voicesOf({ position: 0.5 }, twoClips, scenes, recording(2)))).toEqual([["clips.0", 0, 30, false]]);
});

test("words are on the timeline of the video, and end with their voice", () => {
  const words = [
    { text: "Good", start: 0.1, end: 0.4 },
    { text: "morning", start: 1.8, end: 2.4 },
    { text: "all", start: 2.5, end: 2.7 },
  ];
  const { voices } = voicesOf({ delay: 0.5 }, [{ scene: 0, start: 30, end: 105 }], { 0: recording(3, words) });
  expect(voiceWords(voices, rate)).toEqual([
    { text: "Good", start: 1.6, end: 1.9 },
    { text: "morning", start: 3.3, end: 3.5 },
  ]);
});

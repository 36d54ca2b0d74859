import { expect, test } from "bun:test";
import { draftOf, soundsOf, withEditor } from "../../studio/src/work/draft.ts";
import { beginMusicAt, decibelsOf, switchEffects, volumeOf, withBed } from "../../studio/src/work/levels.ts";

const draft = draftOf({ scenes: [], generatedScenes: [] } as never);
const sounds = [
  { audioUrl: "/api/effects/pop/sound", position: 1, volume: 0.3 },
  { audioUrl: "/song.mp3", position: 2, role: "music" },
];

test("a level is in decibels, and below the quietest a sound is off", () => {
  expect([1, 2, 0.5, 0.1, 0].map(decibelsOf)).toEqual([0, 6, -6, -20, -40]);
  expect([0, -20, 6, -40].map(volumeOf)).toEqual([1, 0.1, 1.995, 0]);
});

test("effects are switched off and come back as they were", () => {
  const film = withEditor(draft, { sounds });
  const off = switchEffects(film, false);
  expect(soundsOf(off)).toEqual([sounds[1]!]);
  expect(soundsOf(switchEffects(off, true))).toEqual([sounds[1]!, sounds[0]!]);
});

test("music that begins later is a sound of its own, with its level and its fades", () => {
  const film = withEditor(withBed(draft, "/song.mp3"), { audioVolume: 0.5, audio: { loop: true, fadeOut: 1 } });
  const later = beginMusicAt(film, 2);
  expect(later.editor.audioUrl).toBeUndefined();
  const music = { audioUrl: "/song.mp3", role: "music", position: 2, volume: 0.5, fadeOut: 1, repeat: true };
  expect(soundsOf(later)).toEqual([music]);
});

import type { Asset } from "../api.ts";
import { type Draft, type Sound, soundsOf, withEditor } from "./draft.ts";

/** Decibels below which a sound is off, and the most that a level takes. */
export const quietest = -40;
export const loudest = 6;

/** Decibels of a factor, to halves; `quietest` for silence. */
export const decibelsOf = (volume: number): number =>
  volume <= 0 ? quietest : Math.max(quietest, Math.min(loudest, Math.round(40 * Math.log10(volume)) / 2));

export const volumeOf = (decibels: number): number =>
  decibels <= quietest ? 0 : Math.round(10 ** (decibels / 20) * 1000) / 1000;

export const isEffect = ({ role = "effect" }: Sound): boolean => role === "effect";

/** The effects that are switched off, which the editor keeps with their times. */
export const keptEffects = ({ editor: { keptEffects: kept } }: Draft): readonly Sound[] =>
  Array.isArray(kept) ? kept : [];

/** Takes the effects out of the film, or puts them back. */
export function switchEffects(draft: Draft, isOn: boolean): Draft {
  const sounds = soundsOf(draft);
  if (isOn) return withEditor(draft, { sounds: [...sounds, ...keptEffects(draft)], keptEffects: undefined });
  const others = sounds.filter((sound) => !isEffect(sound));
  return withEditor(draft, { sounds: others, keptEffects: [...keptEffects(draft), ...sounds.filter(isEffect)] });
}

/** Lays a bed under the film: it is as long as the film, and ends itself. */
export const withBed = (draft: Draft, audioUrl: string): Draft =>
  withEditor(draft, {
    audioUrl,
    audioVolume: draft.editor.audioUrl ? draft.editor.audioVolume : 1,
    audio: { duck: true },
  });

export const withOwnMusic = (draft: Draft, { url }: Pick<Asset, "url">): Draft =>
  withEditor(draft, { audioUrl: url, audio: { loop: true, fadeOut: 1, duck: true, ...draft.editor.audio } });

/** Begins the music at a time: from then on it is a sound that can be moved on the strip. */
export function beginMusicAt(draft: Draft, position: number): Draft {
  const { audioUrl, audioVolume: volume, audio: { loop, fadeIn, fadeOut } = {} } = draft.editor;
  if (!audioUrl) return draft;
  const given = Object.entries({ fadeIn, fadeOut, repeat: loop }).filter(([, value]) => value != null);
  const sound = { audioUrl, position, volume, role: "music", ...Object.fromEntries(given) };
  return withEditor(draft, { audioUrl: undefined, sounds: [...soundsOf(draft), sound] });
}

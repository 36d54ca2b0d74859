import { sum } from "../../platform/values.ts";
import type { Warning } from "../exports/request/warnings.ts";
import { lastsAsVoice, sceneSecondsFor } from "../works/fit-scenes.ts";
import type { WorkMedia } from "../works/media.ts";
import type { ScenarioScene, Work } from "../works/works.ts";
import type { FilmOrder } from "./film.ts";

/** Differences below this are not reported (seconds). */
const tolerance = 0.2;

const maxNamed = 10;

export const secondsOf = (scenes: readonly ScenarioScene[]): readonly number[] =>
  scenes.map(({ duration_seconds }) => duration_seconds);

/** Viewers cannot read or hear words in less time. */
const minSeconds = 2;

type SceneTime = { readonly planned: number; readonly needed: number };

/**
 * The ends of scenes, in hundredths: as in the scenario, except for voices that need more time. A voice takes it from
 * the next scenes that can spare it, then from those before, so that the whole length stays as planned.
 */
export function sceneEnds(times: readonly SceneTime[]): readonly number[] {
  let planned = 0;
  const ends: number[] = [];
  for (const time of times) {
    planned += time.planned;
    ends.push(Math.max((ends.at(-1) ?? 0) + time.needed, planned));
  }
  let latest = Math.max(planned, sum(times.map(({ needed }) => needed)));
  for (let at = times.length - 1; at >= 0; at--) {
    ends[at] = Math.min(ends[at]!, latest);
    latest = ends[at]! - times[at]!.needed;
  }
  return ends;
}

type SceneClip = { readonly workIndex: number; readonly start: number; readonly end: number };

/** The clips of whole scenes, end to end, each at least as long as its voice, with the planned total if possible. */
export function fittedClips<Clip extends SceneClip>(
  { found }: FilmOrder,
  { scenes }: Work,
  media: readonly WorkMedia[],
  clips: readonly Clip[],
): readonly Clip[] {
  const { sceneSeconds = [] } = found ?? {};
  const times = clips.map(({ workIndex: index, start, end }): SceneTime | undefined => {
    const planned = sceneSeconds[index];
    const voice = voiceSeconds(media, index);
    const isPlanned = planned === scenes[index]?.duration_seconds;
    // a person has set another length
    if (planned === undefined || !(isPlanned || isOfVoice(scenes, media, index))) return undefined;
    const needed = voice === undefined ? end - start : Math.max(sceneSecondsFor(voice), Math.min(planned, minSeconds));
    return { planned: Math.round(planned * 100), needed: Math.round(needed * 100) };
  });
  const known = times.flatMap((time) => time ?? []);
  if (known.length < clips.length) return clips;
  const ends = sceneEnds(known).map((end) => end / 100);
  return clips.map((clip, at) => ({ ...clip, start: ends[at - 1] ?? 0, end: ends[at]! }));
}

/** The seconds that a scene must last for its voice; 0 without one. */
export function secondsForVoice(media: readonly WorkMedia[], index: number): number {
  const voice = voiceSeconds(media, index);
  return voice === undefined ? 0 : sceneSecondsFor(voice);
}

const voiceSeconds = (media: readonly WorkMedia[], index: number): number | undefined =>
  media.find(({ slot }) => slot === `scene/${index}/voice`)?.file.facts.durationSeconds;

function isOfVoice(scenes: Work["scenes"], media: readonly WorkMedia[], index: number): boolean {
  const seconds = voiceSeconds(media, index);
  return seconds !== undefined && lastsAsVoice(scenes[index]!, seconds);
}

/** A scene is never shorter than its voice, so voices can make the film longer than its order. */
export function voiceLengthWarnings(
  { seconds: ordered }: FilmOrder,
  { scenes, editorState }: Work,
  media: readonly WorkMedia[],
): readonly Warning[] {
  const total = Math.max(0, ...(editorState?.editorData.videoTrack ?? []).map(({ end }) => end));
  if (ordered === undefined || total < ordered + tolerance) return [];
  const longer = scenes.flatMap((_, at) => (isOfVoice(scenes, media, at) ? at : []));
  if (longer.length === 0) return [];
  const lasts = `The scenes last ${Number(total.toFixed(1))} instead of ${ordered} seconds`;
  const why =
    longer.length === 1
      ? `scene ${longer[0]} is as long as its voice: shorten what it says`
      : `scenes ${listed(longer)} are as long as their voices: shorten what they say`;
  return [{ path: "seconds", code: "voice_too_long", message: `${lasts}, because ${why}, or order more seconds.` }];
}

function listed(indexes: readonly number[]): string {
  const named = indexes.slice(0, maxNamed);
  const more = indexes.length - named.length;
  return more > 0 ? `${named.join(", ")} and ${more} more` : `${named.slice(0, -1).join(", ")} and ${named.at(-1)}`;
}

import type { SoundMeter } from "../../../engine/ports.ts";
import type { Caller } from "../../accounts/caller.ts";
import type { ProviderCall } from "../../ai/provider-calls.ts";
import { type FindSoundsPorts, findSounds } from "../../exports/request/sounds.ts";
import type { WorkMedia } from "../../works/media.ts";
import type { Work } from "../../works/works.ts";
import type { Film } from "../film.ts";
import { secondsForVoice } from "../voice-length.ts";

export type BeatPorts = FindSoundsPorts & { readonly soundMeter: Pick<SoundMeter, "beats"> };

type FilmCall = { readonly film: Film; readonly caller: Caller; readonly call: Pick<ProviderCall, "clientSignal"> };

/** Films are shorter, also where voices make them longer than their order. */
const maxSeconds = 600;

/** The beats of the music under a film, in seconds; undefined if its scenes end as planned. */
export async function beatsUnder(
  ports: BeatPorts,
  { film, caller, call: { clientSignal: signal } }: FilmCall,
  work: Work,
): Promise<readonly number[] | undefined> {
  const { snap, audioUrl, bpm } = film.order;
  if (snap === undefined || audioUrl === undefined) return undefined;
  const { music, dispose } = await findSounds(ports, caller, work, { audio: { audioUrl } }, signal);
  try {
    if (!music?.source) return undefined;
    const { projectId } = film;
    const measured = await ports.soundMeter.beats(music.source, { owner: caller.user.id, signal, projectId, bpm });
    return measured && repeated(measured.beats, music.source.facts.durationSeconds);
  } finally {
    await dispose();
  }
}

/** The music of a film repeats. */
function repeated(beats: readonly number[], seconds = maxSeconds): readonly number[] {
  const rounds = seconds > 0 ? Math.ceil(maxSeconds / seconds) : 0;
  return Array.from({ length: rounds }, (_, round) => beats.map((beat) => beat + round * seconds)).flat();
}

/** In seconds: a beat this near to the end of a scene becomes its end. */
const reach = 0.3;

/** No scene becomes shorter, in seconds. */
const shortest = 1;

type SceneClip = { readonly workIndex: number; readonly start: number; readonly end: number };

/** Clips end to end that end on beats where these are near, and are as long as their voices. */
export function onBeats<Clip extends SceneClip>(
  clips: readonly Clip[],
  beats: readonly number[],
  media: readonly WorkMedia[],
): readonly Clip[] {
  let start = clips[0]?.start ?? 0;
  return clips.map((clip) => {
    const planned = clip.end - clip.start;
    const earliest = start + Math.max(secondsForVoice(media, clip.workIndex), Math.min(planned, shortest));
    const near = beats.filter((beat) => Math.abs(beat - clip.end) <= reach && beat >= earliest - tolerance);
    const nearest = near.toSorted((one, other) => Math.abs(one - clip.end) - Math.abs(other - clip.end))[0];
    const moved = { ...clip, start, end: nearest ?? Math.max(clip.end, earliest) };
    start = moved.end;
    return moved;
  });
}

/** In seconds: sums of hundredths are rounded. */
const tolerance = 1e-6;

import { arrange, beatsInBar, beatsOf, type SoundLibrary, type SoundMeter } from "../../../engine/ports.ts";
import { toThousandths } from "../../../platform/values.ts";
import type { Caller } from "../../accounts/caller.ts";
import type { ProviderCall } from "../../ai/provider-calls.ts";
import { type FindSoundsPorts, findSounds } from "../../exports/request/sounds.ts";
import type { InternalUrls } from "../../files/internal-urls.ts";
import type { LookLibrary } from "../../looks/looks.ts";
import type { Project } from "../../projects/projects.ts";
import type { WorkMedia } from "../../works/media.ts";
import type { Work } from "../../works/works.ts";
import type { Film } from "../film.ts";
import { filmBed } from "../sound/bed.ts";
import { secondsForVoice } from "../voice-length.ts";

export type BeatPorts = FindSoundsPorts & {
  readonly looks: Pick<LookLibrary, "of">;
  readonly soundLibrary: SoundLibrary;
  readonly soundMeter: Pick<SoundMeter, "beats">;
  readonly internalUrls: Pick<InternalUrls, "asset" | "parse">;
};

type FilmCall = { readonly film: Film; readonly caller: Caller; readonly call: Pick<ProviderCall, "clientSignal"> };

/** The beats of the music under a film, in seconds, as an editor may show them. */
export type BeatGrid = {
  readonly bpm: number;
  readonly beats: readonly number[];
  /** The first beats of bars. */
  readonly bars: readonly number[];
};

/** What is known of the beats under a film. */
export type Rhythm = {
  /** The beats under a film of this length. */
  gridOf(seconds: number): BeatGrid;
  /** False: scenes end as planned. */
  readonly snaps: boolean;
  /** True if the film may become longer or shorter, to end on a beat. */
  readonly movesEnd: boolean;
};

/** Films are shorter, also where voices make them longer than their order. */
const maxSeconds = 600;

/** The rhythm of the music under a film; undefined without music, and for music without beats. */
export async function rhythmUnder(
  ports: BeatPorts,
  filmCall: FilmCall,
  project: Project,
  work: Work,
): Promise<Rhythm | undefined> {
  const { snap } = filmCall.film.order;
  // a person's own music
  if (work.editorState?.audioUrl) return undefined;
  const looks = await ports.looks.of(project.id);
  const bed = filmBed({ looks, soundLibrary: ports.soundLibrary }, filmCall.film, project, work);
  if (bed) return { gridOf: (seconds) => bedGrid(bed, seconds), snaps: snap !== false, movesEnd: false };
  if (snap === false) return undefined;
  const grid = await measuredGrid(ports, filmCall, work);
  return grid && { gridOf: (seconds) => within(grid, seconds), snaps: true, movesEnd: snap === "beat" };
}

function bedGrid(bed: Parameters<typeof arrange>[0], seconds: number): BeatGrid {
  const arrangement = arrange(bed, seconds);
  return gridOf(arrangement.tempo, beatsOf(arrangement));
}

const gridOf = (bpm: number, beats: readonly number[]): BeatGrid => ({
  bpm: Math.round(bpm * 100) / 100,
  beats: beats.map(toThousandths),
  bars: beats.filter((_, index) => index % beatsInBar === 0).map(toThousandths),
});

const within = ({ bpm, beats, bars }: BeatGrid, seconds: number): BeatGrid => ({
  bpm,
  beats: beats.filter((beat) => beat <= seconds + reach),
  bars: bars.filter((bar) => bar <= seconds + reach),
});

async function measuredGrid(
  ports: BeatPorts,
  { film, caller, call: { clientSignal: signal } }: FilmCall,
  work: Work,
): Promise<BeatGrid | undefined> {
  const { snap, found, bpm, projectId } = { ...film.order, projectId: film.projectId };
  const made = found?.musicAssetId;
  const audioUrl = film.order.audioUrl ?? (made && ports.internalUrls.asset(projectId, made));
  // a sound of another server would be downloaded for this alone
  if (audioUrl === undefined || (snap !== "beat" && !ports.internalUrls.parse(audioUrl)?.isOnOwnHost)) return undefined;
  const { music, dispose } = await findSounds(ports, caller, work, { audio: { audioUrl } }, signal);
  try {
    if (!music?.source) return undefined;
    const measured = await ports.soundMeter.beats(music.source, { owner: caller.user.id, signal, projectId, bpm });
    if (!measured || measured.beats.length < 2) return undefined;
    return gridOf(measured.bpm, repeated(measured.beats, music.source.facts.durationSeconds));
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

type Snapping = {
  readonly media: readonly WorkMedia[];
  /** The seconds that each clip needs for its words. */
  readonly words: readonly number[];
  readonly movesEnd: boolean;
};

/** An end of a scene, with what it costs the scenes up to it: how many ends are beside a beat, and how far all moved. */
type Ending = {
  readonly end: number;
  readonly missed: number;
  readonly moved: number;
  readonly before: Ending | undefined;
};

/**
 * Clips end to end that end on beats where these are near, as many as can. Each lasts as long as its voice and its words
 * need, and one without a beat ends as planned, or as early as it can.
 */
export function onBeats<Clip extends SceneClip>(
  clips: readonly Clip[],
  beats: readonly number[],
  { media, words, movesEnd }: Snapping,
): readonly Clip[] {
  const start = clips[0]?.start ?? 0;
  let endings: readonly Ending[] = [{ end: start, missed: 0, moved: 0, before: undefined }];
  for (const [at, clip] of clips.entries()) {
    const voice = secondsForVoice(media, clip.workIndex);
    const least = Math.max(voice, Math.min(clip.end - clip.start, Math.max(shortest, words[at] ?? 0)));
    const isFixed = !movesEnd && at === clips.length - 1;
    const next = (before: Ending, end: number, missed: boolean): Ending => ({
      ...{ end, before, missed: before.missed + (missed ? 1 : 0) },
      moved: before.moved + Math.abs(end - clip.end),
    });
    const onBeat = (beat: number) => {
      const possible = endings
        .filter(({ end }) => beat - end >= least - tolerance)
        .map((each) => next(each, beat, false));
      return possible.toSorted(byCost).slice(0, 1);
    };
    const asPlanned = (before: Ending) => {
      if (!isFixed) return next(before, Math.max(clip.end, before.end + least), true);
      const end = Math.max(clip.end, before.end + Math.max(voice, shortest));
      return next(before, end, end - before.end < least - tolerance);
    };
    const near = isFixed ? [] : beats.filter((beat) => Math.abs(beat - clip.end) <= reach);
    endings = [...near.flatMap(onBeat), ...endings.map(asPlanned)];
  }
  const ends: number[] = [];
  for (let ending = endings.toSorted(byCost)[0]; ending?.before; ending = ending.before) ends.unshift(ending.end);
  // safe because each clip has an end
  return clips.map((clip, at) => ({ ...clip, start: ends[at - 1] ?? start, end: ends[at]! }));
}

const byCost = (one: Ending, other: Ending): number => one.missed - other.missed || one.moved - other.moved;

/** In seconds: sums of hundredths are rounded. */
const tolerance = 1e-6;

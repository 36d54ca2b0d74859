import type { Command } from "../../compiler/command.ts";
import { type Duck, duckDecibels, duckEnvelope } from "../../compiler/sound/ducking.ts";
import { hasEnvelope } from "../../compiler/sound/mix.ts";
import { compileProfile, readProfile, type Seconds, type SoundProfile } from "../../compiler/sound/profile.ts";
import type { Levels } from "../../compiler/sound/sound.ts";
import type { SourcePaths } from "../../compiler/sources.ts";
import type { RenderCache } from "../../ports.ts";
import type { AddedSound, Voice } from "../../timeline/sound.ts";
import type { Source } from "../../timeline/source.ts";
import { sampleClock, toSeconds } from "../../timeline/time.ts";
import type { Timeline } from "../../timeline/timeline.ts";
import { silenceLufs } from "./mastering.ts";

/** The loudness of each normalized voice before its volume, in LUFS. */
const voiceLufs = -16;

/** Only this first part of longer recordings is measured. */
const maxVoiceSeconds = 3600;
const maxMusicSeconds = 600;

type Measuring = {
  readonly files: SourcePaths;
  readonly folder: string;
  /** The cache of measurements: each source is measured once. */
  readonly cache: Pick<RenderCache, "linkTo" | "put">;
  readonly keyOf: (source: Source, seconds: number) => string;
  readonly run: (command: Command) => Promise<unknown>;
};

type AddedVoice = Extract<AddedSound, { role: "voice" }>;
type AnyVoice = Voice | AddedVoice;

/** Measures the voices and the music of a timeline, and writes the envelope of the music. */
export async function measureLevels(timeline: Timeline, measuring: Measuring): Promise<Levels> {
  const { sound } = timeline;
  const { voices = [], added = [] } = sound;
  const isEnveloped = hasEnvelope(sound);
  const profiles = new Map<AnyVoice | AddedSound, SoundProfile>();
  for (const voice of [...voices, ...added.filter((one) => one.role === "voice")]) {
    if (voice.isNormalized || isEnveloped)
      profiles.set(voice, await profileOf(voice.source, maxVoiceSeconds, measuring));
  }
  const gainDecibelsOf = (voice: Voice | AddedSound) =>
    "isNormalized" in voice && voice.isNormalized ? normalizingDecibels(profiles.get(voice)) : 0;
  const envelope = `${measuring.folder}/envelope.raw`;
  if (isEnveloped) {
    const ducks = await findDucks(timeline, { profiles, gainDecibelsOf, measuring });
    await Bun.write(envelope, duckEnvelope(ducks, toSeconds(timeline.track.frames, timeline.rate)));
  }
  return { gainOf: (voice) => 10 ** (gainDecibelsOf(voice) / 20), envelope };
}

function normalizingDecibels({ integrated = silenceLufs }: SoundProfile = { loud: [] }): number {
  return integrated > silenceLufs ? voiceLufs - integrated : 0;
}

type VoiceLevels = {
  readonly profiles: ReadonlyMap<AnyVoice | AddedSound, SoundProfile>;
  readonly gainDecibelsOf: (voice: AnyVoice) => number;
  readonly measuring: Measuring;
};

/** The ranges in which the music is lowered because a voice is loud, by as much as the loudness of both requires. */
async function findDucks(
  timeline: Timeline,
  { profiles, gainDecibelsOf, measuring }: VoiceLevels,
): Promise<readonly Duck[]> {
  const { voices = [], added = [] } = timeline.sound;
  const musicLufsIn = await measureMusic(timeline, measuring);
  const heard = [
    ...voices.map((voice) => ({ voice, heardIn: (loud: readonly Seconds[]) => shownParts(voice, loud, timeline) })),
    ...added.flatMap((voice) =>
      voice.role === "voice" ? [{ voice, heardIn: (loud: readonly Seconds[]) => addedParts(voice, loud) }] : [],
    ),
  ];
  return heard.flatMap(({ voice, heardIn }) => {
    const { integrated = silenceLufs, loud } = profiles.get(voice) ?? { loud: [] };
    if (integrated <= silenceLufs || voice.volume === 0) return [];
    const voiceLufs = integrated + gainDecibelsOf(voice) + toDecibels(voice.volume);
    return heardIn(loud).map((part) => ({ ...part, decibels: duckDecibels(voiceLufs, musicLufsIn(part)) }));
  });
}

/** The loudness of the loudest music that plays in a part of the film. */
async function measureMusic({ sound, track, rate }: Timeline, measuring: Measuring) {
  const { music, added = [] } = sound;
  const film = { start: 0, end: toSeconds(track.frames, rate) };
  const playing = [
    ...(music ? [{ music, part: film }] : []),
    ...added.flatMap((one) => (one.role === "music" ? [{ music: one, part: partOf(one) }] : [])),
  ];
  const levels: (Seconds & { readonly lufs: number })[] = [];
  for (const { music: one, part } of playing) {
    const { integrated = silenceLufs } = await profileOf(one.source, maxMusicSeconds, measuring);
    levels.push({ ...part, lufs: integrated + toDecibels(one.volume) });
  }
  return ({ start, end }: Seconds): number =>
    Math.max(...levels.filter((each) => each.start < end && start < each.end).map(({ lufs }) => lufs));
}

const partOf = ({ range }: AddedSound): Seconds => ({
  start: toSeconds(range.start, sampleClock),
  end: toSeconds(range.end, sampleClock),
});

/** The loud parts of a voice on the clock of the film. */
function shownParts({ range }: Voice, loud: readonly Seconds[], { rate }: Timeline): readonly Seconds[] {
  const start = toSeconds(range.start, rate);
  const end = toSeconds(range.end, rate);
  return loud
    .map((part) => ({ start: start + part.start, end: Math.min(end, start + part.end) }))
    .filter((part) => part.start < end);
}

/** One that repeats is loud throughout. */
function addedParts(voice: AddedVoice, loud: readonly Seconds[]): readonly Seconds[] {
  const heard = partOf(voice);
  if (voice.isRepeated) return [heard];
  const onFilm = (seconds: number) => heard.start + (seconds - voice.sourceStartSeconds) / voice.speed;
  return loud
    .map(({ start, end }) => ({
      start: Math.max(heard.start, onFilm(start)),
      end: Math.min(heard.end, onFilm(end)),
    }))
    .filter(({ start, end }) => start < end);
}

const toDecibels = (factor: number): number => 20 * Math.log10(Math.max(factor, 1e-6));

/** Reads the measurement of an earlier export, or measures. */
async function profileOf(source: Source, seconds: number, measuring: Measuring): Promise<SoundProfile> {
  const { files, folder, cache, keyOf, run } = measuring;
  const key = keyOf(source, seconds);
  const path = `${folder}/profile-${crypto.randomUUID()}.json`;
  if (await cache.linkTo(key, path)) return await Bun.file(path).json();
  const report = `${folder}/profile.txt`;
  await run(compileProfile(source, files, seconds, report));
  const profile = readProfile(await Bun.file(report).text(), source);
  await Bun.write(path, JSON.stringify(profile));
  await cache.put([{ key, path }]);
  return profile;
}

import type { Command } from "../../compiler/command.ts";
import { type Duck, duckDecibels, duckEnvelope } from "../../compiler/sound/ducking.ts";
import { hasEnvelope } from "../../compiler/sound/mix.ts";
import { compileProfile, readProfile, type SoundProfile } from "../../compiler/sound/profile.ts";
import type { Levels } from "../../compiler/sound/sound.ts";
import type { SourcePaths } from "../../compiler/sources.ts";
import type { RenderCache } from "../../ports.ts";
import type { Music, Voice } from "../../timeline/sound.ts";
import type { Source } from "../../timeline/source.ts";
import { toSeconds } from "../../timeline/time.ts";
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

/** Measures the voices and the music of a timeline, and writes the envelope of the music. */
export async function measureLevels(timeline: Timeline, measuring: Measuring): Promise<Levels> {
  const { sound } = timeline;
  const { music, voices = [] } = sound;
  const isEnveloped = hasEnvelope(sound);
  const profiles = new Map<Voice, SoundProfile>();
  for (const voice of voices) {
    if (voice.isNormalized || isEnveloped)
      profiles.set(voice, await profileOf(voice.source, maxVoiceSeconds, measuring));
  }
  const gainDecibelsOf = (voice: Voice) => (voice.isNormalized ? normalizingDecibels(profiles.get(voice)) : 0);
  const envelope = `${measuring.folder}/envelope.raw`;
  if (music && isEnveloped) {
    const ducks = await findDucks(timeline, music, { profiles, gainDecibelsOf, measuring });
    await Bun.write(envelope, duckEnvelope(ducks, toSeconds(timeline.track.frames, timeline.rate)));
  }
  return { gainOf: (voice) => 10 ** (gainDecibelsOf(voice) / 20), envelope };
}

function normalizingDecibels({ integrated = silenceLufs }: SoundProfile = { loud: [] }): number {
  return integrated > silenceLufs ? voiceLufs - integrated : 0;
}

type VoiceLevels = {
  readonly profiles: ReadonlyMap<Voice, SoundProfile>;
  readonly gainDecibelsOf: (voice: Voice) => number;
  readonly measuring: Measuring;
};

/** The ranges in which the music is lowered because a voice is loud, by as much as the loudness of both requires. */
async function findDucks(
  { sound: { voices = [] }, rate }: Timeline,
  music: Music,
  { profiles, gainDecibelsOf, measuring }: VoiceLevels,
): Promise<readonly Duck[]> {
  const measured = await profileOf(music.source, maxMusicSeconds, measuring);
  const musicLufs = (measured.integrated ?? silenceLufs) + toDecibels(music.volume);
  return voices.flatMap((voice) => {
    const { integrated = silenceLufs, loud } = profiles.get(voice) ?? { loud: [] };
    if (integrated <= silenceLufs || voice.volume === 0) return [];
    const decibels = duckDecibels(integrated + gainDecibelsOf(voice) + toDecibels(voice.volume), musicLufs);
    const start = toSeconds(voice.range.start, rate);
    const end = toSeconds(voice.range.end, rate);
    return loud
      .map((part) => ({ start: start + part.start, end: Math.min(end, start + part.end), decibels }))
      .filter((duck) => duck.start < end);
  });
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

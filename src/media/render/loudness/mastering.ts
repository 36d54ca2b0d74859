import type { Command } from "../../../compiler/command.ts";
import {
  compileMaster,
  compileMeasure,
  type Level,
  type Loudness,
  readLoudness,
} from "../../../compiler/sound/mastering.ts";
import type { Timeline } from "../../../timeline/timeline.ts";

/** The level at which streaming platforms play, with headroom for their own encoders. */
const target: Loudness = { integrated: -14, truePeak: -1 };

/** In LU. Beyond this deviation the sound is mastered again. */
const toleranceLu = 0.2;
const maxAttempts = 6;

/** In LUFS. Anything quieter is microphone noise, which must not be amplified. */
export const silenceLufs = -60;

/** Starts 1 dB below the target peak: AAC encoding and intersample peaks raise peaks by about this much. */
export const initialLevel: Level = { gain: 0, ceiling: target.truePeak - 1 };

type Mastering = {
  readonly mix: string;
  readonly output: string;
  readonly timeline: Timeline;
  readonly folder: string;
  readonly run: (command: Command) => Promise<unknown>;
};

/** Encodes a mix at the target loudness. Measures each attempt after encoding, because AAC changes level and peaks. */
export async function masterSound({ mix, output, timeline, folder, run }: Mastering): Promise<void> {
  const measure = async (sound: string) => {
    const report = `${folder}/loudness.txt`;
    await run(compileMeasure(sound, report));
    return readLoudness(await readTail(report));
  };
  const mixLoudness = await measure(mix);
  const isSilent = !mixLoudness || mixLoudness.integrated < silenceLufs;
  let level = isSilent ? initialLevel : { ...initialLevel, gain: target.integrated - mixLoudness.integrated };
  for (let attempt = 1; ; attempt++) {
    await run(compileMaster(mix, level, timeline, output));
    const measured = isSilent || attempt === maxAttempts ? undefined : await measure(output);
    if (!measured || isOnTarget(measured)) return;
    level = correctLevel(level, measured);
  }
}

const isOnTarget = ({ integrated, truePeak }: Loudness): boolean =>
  Math.abs(integrated - target.integrated) <= toleranceLu && truePeak <= target.truePeak;

/** The limiter takes back a part of any added gain, so an increase has to exceed the measured deficit. */
function correctLevel({ gain, ceiling }: Level, { integrated, truePeak }: Loudness): Level {
  const deficit = target.integrated - integrated;
  const excess = truePeak - target.truePeak;
  return { gain: gain + deficit * (deficit > 0 ? 1.3 : 1), ceiling: excess > 0 ? ceiling - excess - 0.1 : ceiling };
}

// ebur128 appends a few lines per 100 ms; only the last values matter
const tailBytes = 4096;

async function readTail(path: string): Promise<string> {
  const file = Bun.file(path);
  return await file.slice(Math.max(0, file.size - tailBytes)).text();
}

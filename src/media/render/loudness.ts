import type { Command } from "../../compiler/compile.ts";
import {
  compileMaster,
  compileMeasure,
  type Level,
  type Loudness,
  readLoudness,
} from "../../compiler/sound/mastering.ts";
import type { Timeline } from "../../timeline/timeline.ts";

/** What is wanted of a film's sound: as loud as streaming platforms play, with room for their own encoders. */
const wanted: Loudness = { integrated: -14, truePeak: -1 };

/** Farther off than this it is done again. */
const slack = 0.2;
const mostAttempts = 6;

/** Quieter than this is the noise of a microphone: it stays what it is. */
const silentBelow = -60;

/** Where a master begins: encoding and what lies between the samples raise peaks by about this much. */
export const wantedLevel: Level = { gain: 0, ceiling: wanted.truePeak - 1 };

export type Master = {
  readonly mix: string;
  readonly output: string;
  readonly timeline: Timeline;
  readonly folder: string;
  readonly run: (command: Command) => Promise<unknown>;
};

/** Makes a film's sound from its mix, as loud as wanted. Every attempt is measured as it will be heard: encoded. */
export async function master({ mix, output, timeline, folder, run }: Master): Promise<void> {
  const measure = async (sound: string) => {
    const report = `${folder}/loudness.txt`;
    await run(compileMeasure(sound, report));
    return readLoudness(await endOf(report));
  };
  const mixed = await measure(mix);
  const isSilent = !mixed || mixed.integrated < silentBelow;
  let level = isSilent ? wantedLevel : { ...wantedLevel, gain: wanted.integrated - mixed.integrated };
  for (let attempt = 1; ; attempt++) {
    await run(compileMaster(mix, level, timeline, output));
    const heard = isSilent || attempt === mostAttempts ? undefined : await measure(output);
    if (!heard || isRight(heard)) return;
    level = corrected(level, heard);
  }
}

const isRight = ({ integrated, truePeak }: Loudness): boolean =>
  Math.abs(integrated - wanted.integrated) <= slack && truePeak <= wanted.truePeak;

/** What the limiter takes from the loudest sounds lowers the whole, so a correction has to be larger than the lack. */
function corrected({ gain, ceiling }: Level, { integrated, truePeak }: Loudness): Level {
  const lack = wanted.integrated - integrated;
  const excess = truePeak - wanted.truePeak;
  return { gain: gain + lack * (lack > 0 ? 1.3 : 1), ceiling: excess > 0 ? ceiling - excess - 0.1 : ceiling };
}

// a report grows by some lines every 100 ms, and only the last ones are read
const endBytes = 4096;

async function endOf(path: string): Promise<string> {
  const file = Bun.file(path);
  return await file.slice(Math.max(0, file.size - endBytes)).text();
}

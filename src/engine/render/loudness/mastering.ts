import type { Command } from "../../compiler/command.ts";
import { soundKilobits } from "../../compiler/encoding.ts";
import {
  compileMaster,
  compileMeasure,
  compileTrial,
  type Level,
  type Loudness,
  readLoudness,
} from "../../compiler/sound/mastering.ts";
import type { Timeline } from "../../timeline/timeline.ts";

/** The playback level of streaming platforms, with headroom for their own encoders. */
const target: Loudness = { integrated: -14, truePeak: -1 };

/** The deviation in LU beyond which the sound is mastered again. */
const toleranceLu = 0.2;
const maxAttempts = 6;

/** The silence threshold in LUFS. Anything quieter is microphone noise, which must not be amplified. */
export const silenceLufs = -60;

/** Starts 1 dB below the target peak: AAC encoding and intersample peaks raise peaks by about this much. */
export const initialLevel: Level = { gain: 0, ceiling: target.truePeak - 1, kilobits: soundKilobits };

type Mastering = {
  readonly mix: string;
  readonly output: string;
  readonly timeline: Timeline;
  readonly folder: string;
  readonly run: (command: Command) => Promise<unknown>;
};

/** The level is found before encoding, and corrected after it, because AAC changes loudness and peaks. */
export async function masterSound({ mix, output, timeline, folder, run }: Mastering): Promise<void> {
  const measure = async (compile: (report: string) => Command) => {
    const report = `${folder}/loudness.txt`;
    await run(compile(report));
    return readLoudness(await readTail(report));
  };
  const mixLoudness = await measure((report) => compileMeasure(mix, report));
  const isSilent = !mixLoudness || mixLoudness.integrated < silenceLufs;
  let level = initialLevel;
  for (let trial = 1, measured = mixLoudness; !isSilent && measured && trial <= maxAttempts; trial++) {
    const deficit = target.integrated - measured.integrated;
    if (Math.abs(deficit) <= toleranceLu / 4) break;
    level = correctGain(level, deficit);
    measured = await measure((report) => compileTrial(mix, level, timeline, report));
  }
  for (let attempt = 1; ; attempt++) {
    await run(compileMaster(mix, level, timeline, output));
    const measured =
      isSilent || attempt === maxAttempts ? undefined : await measure((report) => compileMeasure(output, report));
    if (!measured || isOnTarget(measured)) return;
    level = correctLevel(level, measured);
  }
}

const isOnTarget = ({ integrated, truePeak }: Loudness): boolean =>
  Math.abs(integrated - target.integrated) <= toleranceLu && truePeak <= target.truePeak;

/** The limiter takes back a part of any added gain, so an increase has to exceed the measured deficit. */
const correctGain = (level: Level, deficit: number): Level => ({
  ...level,
  gain: level.gain + deficit * (deficit > 0 ? 1.3 : 1),
});

/** AAC of this bit rate hardly raises peaks any more, whatever the sound. */
const faithfulKilobits = 320;

/** The bit rate is raised before the ceiling is lowered, which would change the whole sound for a few peaks. */
function correctLevel(level: Level, { integrated, truePeak }: Loudness): Level {
  const corrected = correctGain(level, target.integrated - integrated);
  const excess = truePeak - target.truePeak;
  if (excess <= 0) return corrected;
  if (level.kilobits < faithfulKilobits) return { ...corrected, kilobits: faithfulKilobits };
  return { ...corrected, ceiling: level.ceiling - excess - 0.1 };
}

// ebur128 appends a few lines per 100 ms; only the last values matter
const tailBytes = 4096;

async function readTail(path: string): Promise<string> {
  const file = Bun.file(path);
  return await file.slice(Math.max(0, file.size - tailBytes)).text();
}

import type { HeldLease } from "../../platform/leases.ts";
import type { Command } from "../compiler/command.ts";
import { compileSound, soundPath } from "../compiler/sound/sound.ts";
import { toSeconds } from "../timeline/time.ts";
import { profileKey, soundKey } from "./cache-keys.ts";
import { soundCodecOf } from "./encodings.ts";
import type { RenderJob } from "./job.ts";
import { measureLevels } from "./loudness/levels.ts";
import { masterSound } from "./loudness/mastering.ts";

type SoundOptions = {
  readonly signal: AbortSignal;
  readonly reserved: HeldLease | undefined;
  /** Receives the finished share of the work, from 0 to 1, which never decreases. */
  readonly onShare: (share: number) => void;
};

export const soundItem = ({ videos, scope, output }: RenderJob) => ({
  key: soundKey(videos[0].timeline, scope, soundCodecOf(output.format)),
});

/** The path of a job's finished sound. */
export const soundFileOf = ({ folder, output }: Pick<RenderJob, "folder" | "output">): string =>
  soundPath(folder, soundCodecOf(output.format));

/** Provides the sound that all videos of a job share, at `soundFileOf`. */
export async function provideSound(job: RenderJob, options: SoundOptions): Promise<void> {
  await takeOrRender(job, options);
  options.onShare(1);
}

async function takeOrRender(job: RenderJob, { signal, reserved, onShare }: SoundOptions): Promise<void> {
  const { cache } = job;
  const { key } = soundItem(job);
  const output = soundFileOf(job);
  if (await cache.linkTo(key, output)) return;
  await job.singleFlight.provide([{ key }], {
    reserved,
    signal,
    take: async (items) => ((await cache.linkTo(key, output)) ? [] : items),
    make: async () => {
      await renderSound(job, { signal, onShare });
      await cache.put([{ key, path: output }]);
    },
  });
}

/** Each command's share of the remaining work: encoding takes most. The number of mastering passes is unknown. */
const shares = { encode: 1, master: 0.8, other: 0.1 };

async function renderSound(job: RenderJob, { signal, onShare }: Omit<SoundOptions, "reserved">) {
  const { folder, cache, scope } = job;
  const [{ timeline, files }] = job.videos;
  const seconds = toSeconds(timeline.track.frames, timeline.rate);
  const codec = soundCodecOf(job.output.format);
  const encode = timeline.sound.isNormalized ? shares.master : shares.encode;
  let done = 0;
  const run = async (command: Command) => {
    const part = (1 - done) * (command.writes.includes(soundFileOf(job)) ? encode : shares.other);
    const onTime = (written: number) => onShare(done + part * Math.min(1, written / seconds));
    const result = await job.run(command, { folder, signal, onTime });
    done += part;
    return result;
  };
  const levels = await measureLevels(timeline, {
    ...{ files, folder, cache, run },
    keyOf: (source, seconds) => profileKey(source, seconds, scope),
  });
  const { intermediates, mix, output } = compileSound({ timeline, files, levels, codec }, folder);
  for (const { command } of [...intermediates, mix]) await run(command);
  if (timeline.sound.isNormalized) await masterSound({ mix: mix.output, output, timeline, folder, run });
}

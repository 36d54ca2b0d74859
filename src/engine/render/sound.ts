import type { HeldLease } from "../../platform/leases.ts";
import type { Command } from "../compiler/command.ts";
import { compileSound, soundPath } from "../compiler/sound/sound.ts";
import { profileKey, soundKey } from "./cache-keys.ts";
import type { RenderJob } from "./job.ts";
import { measureLevels } from "./loudness/levels.ts";
import { masterSound } from "./loudness/mastering.ts";

type SoundOptions = { readonly signal: AbortSignal; readonly reserved: HeldLease | undefined };

export const soundItem = ({ videos, scope }: RenderJob) => ({ key: soundKey(videos[0].timeline, scope) });

/** Provides the sound that all videos of a job share, at `soundPath`. */
export async function provideSound(job: RenderJob, { signal, reserved }: SoundOptions): Promise<void> {
  const { cache } = job;
  const { key } = soundItem(job);
  const output = soundPath(job.folder);
  if (await cache.linkTo(key, output)) return;
  await job.singleFlight.provide([{ key }], {
    reserved,
    signal,
    take: async (items) => ((await cache.linkTo(key, output)) ? [] : items),
    make: async () => {
      await renderSound(job, signal);
      await cache.put([{ key, path: output }]);
    },
  });
}

async function renderSound(job: RenderJob, signal: AbortSignal) {
  const { folder, cache, scope } = job;
  const [{ timeline, files }] = job.videos;
  const run = (command: Command) => job.run(command, { folder, signal });
  const levels = await measureLevels(timeline, {
    ...{ files, folder, cache, run },
    keyOf: (source, seconds) => profileKey(source, seconds, scope),
  });
  const { intermediates, mix, output } = compileSound({ timeline, files, levels }, folder);
  for (const { command } of [...intermediates, mix]) await run(command);
  if (timeline.sound.isNormalized) await masterSound({ mix: mix.output, output, timeline, folder, run });
}

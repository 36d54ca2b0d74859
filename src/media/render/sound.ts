import type { Command } from "../../compiler/command.ts";
import type { SoundPlan } from "../../compiler/sound/sound.ts";
import type { Task } from "../../platform/run-all.ts";
import { soundKey } from "./cache-keys.ts";
import type { RenderJob } from "./job.ts";
import { masterSound } from "./loudness.ts";

/** Provides the sound that all videos of a job share. */
export const soundTask =
  (job: RenderJob, plan: SoundPlan): Task<void> =>
  async (signal) => {
    const { cache, scope } = job;
    const key = soundKey(job.videos[0].timeline, scope);
    await job.singleFlight([{ key }], {
      signal,
      take: () => cache.linkTo(key, plan.output),
      make: async () => {
        await renderSound(job, plan, signal);
        await cache.put([{ key, path: plan.output }]);
      },
    });
  };

async function renderSound(job: RenderJob, { intermediates, mix, output }: SoundPlan, signal: AbortSignal) {
  const { folder } = job;
  const { timeline } = job.videos[0];
  const run = (command: Command) => job.run(command, { folder, signal });
  for (const { command } of [...intermediates, mix]) await run(command);
  if (timeline.sound.isNormalized) await masterSound({ mix: mix.output, output, timeline, folder, run });
}

import type { Ffmpeg } from "../../../src/engine/ffmpeg/ffmpeg.ts";

/** An ffmpeg whose processes start, after `hold`, only once the test calls `release`; those after `pass` start at once. */
export function heldFfmpeg(ffmpeg: Ffmpeg) {
  let isHolding = false;
  let held = 0;
  let onHeld = () => {};
  let { promise: released, resolve: release } = Promise.withResolvers<void>();

  const run: Ffmpeg["run"] = async (command, options) => {
    if (isHolding) {
      held++;
      onHeld();
      const aborted = new Promise((_, reject) => {
        options.signal?.addEventListener("abort", () => reject(options.signal?.reason), { once: true });
      });
      await Promise.race([released, aborted]);
    }
    return ffmpeg.run(command, options);
  };

  const hold = () => {
    isHolding = true;
    held = 0;
    ({ promise: released, resolve: release } = Promise.withResolvers<void>());
  };
  /** Resolves when this many processes are held. */
  const heldCount = (count: number) =>
    new Promise<void>((resolve) => {
      onHeld = () => held >= count && resolve();
      onHeld();
    });
  const pass = () => {
    isHolding = false;
  };
  return { ffmpeg: { ...ffmpeg, run }, hold, heldCount, pass, release: () => release() };
}

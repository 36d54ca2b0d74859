import { join } from "node:path";
import type { Readable } from "node:stream";
import { z } from "zod";
import type { Size } from "../../../compiler/filters/geometry.ts";
import { type FocusTrack, focusReasons } from "../../../timeline/focus.ts";
import { runSandboxed } from "../../sandbox/one-shot-process.ts";
import { measureLimits } from "./sandboxed-metrics.ts";

export const focusTrack = z.array(
  z.strictObject({
    startSeconds: z.number(),
    reason: z.enum(focusReasons),
    points: z.array(z.strictObject({ atSeconds: z.number(), x: z.number(), y: z.number() })).min(1),
  }),
) satisfies z.ZodType<FocusTrack>;

type MeasureOptions = { readonly size: Size; readonly signal: AbortSignal; readonly timeoutMilliseconds: number };

/** Finds the subject in the frames of an analysis stream in a sandboxed process. Throws as `runSandboxed`. */
export async function measureFocus(frames: Readable, { size, ...rest }: MeasureOptions): Promise<FocusTrack> {
  const program = join(import.meta.dir, "focus-program.ts");
  const printed = await runSandboxed(program, [`${size.width}`, `${size.height}`], {
    ...rest,
    reads: [],
    limits: measureLimits,
    input: frames,
  });
  return focusTrack.parse(printed);
}

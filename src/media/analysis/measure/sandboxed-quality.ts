import { join } from "node:path";
import type { Readable } from "node:stream";
import { z } from "zod";
import type { Size } from "../../../compiler/filters/geometry.ts";
import type { PictureQuality, Region } from "../../../domain/gate/measured.ts";
import { runSandboxed } from "../../sandbox/one-shot-process.ts";
import { measureLimits } from "./sandboxed-metrics.ts";

const flashes = z.strictObject({ perSecond: z.number(), at: z.number().exactOptional() });
const stretches = z.array(z.strictObject({ start: z.number(), end: z.number() }));

const quality = z.strictObject({
  flashes,
  redFlashes: flashes,
  black: stretches,
  frozen: stretches,
  grounds: z.array(
    z
      .strictObject({ contrast: z.number(), lowShare: z.number() })
      .nullable()
      .transform((ground) => ground ?? undefined),
  ),
});

type MeasureOptions = {
  readonly size: Size;
  readonly regions: readonly Region[];
  readonly signal: AbortSignal;
  readonly timeoutMilliseconds: number;
};

/** Measures the frames of an analysis stream in a sandboxed process. Throws as `runSandboxed`. */
export async function measureQuality(frames: Readable, options: MeasureOptions): Promise<PictureQuality> {
  const { size, regions, ...rest } = options;
  const program = join(import.meta.dir, "quality-program.ts");
  const printed = await runSandboxed(program, [`${size.width}`, `${size.height}`, JSON.stringify(regions)], {
    ...rest,
    reads: [],
    limits: measureLimits,
    input: frames,
  });
  return quality.parse(printed);
}

import { join } from "node:path";
import type { Readable } from "node:stream";
import { z } from "zod";
import type { Size } from "../../compiler/filters/geometry.ts";
import type { PictureQuality, Region } from "../../ports.ts";
import { runSandboxed } from "../../sandbox/one-shot-process.ts";
import { type FocusTrack, focusReasons, type SubjectBox } from "../../timeline/focus.ts";
import type { CollectedMetrics } from "./metrics/collector.ts";
import type { Measured } from "./program.ts";

// the limit is on address space: below 3 GiB, Bun runs without its compiler, ten times slower
const limits = { cpuSeconds: 600, fileBytes: 0, memoryBytes: 2 ** 32 };

type MeasureOptions = { readonly size: Size; readonly signal: AbortSignal; readonly timeoutMilliseconds: number };

/** Measures the frames of an analysis stream in a sandboxed process. Throws as `runSandboxed`. */
async function measure<Result>(
  measured: Measured,
  schema: z.ZodType<Result>,
  frames: Readable,
  { size, ...options }: MeasureOptions,
  ...args: readonly string[]
): Promise<Result> {
  const program = join(import.meta.dir, "program.ts");
  const printed = await runSandboxed(program, [measured, `${size.width}`, `${size.height}`, ...args], {
    ...options,
    reads: [],
    limits,
    input: frames,
  });
  return schema.parse(printed);
}

const palette = z.array(z.string());

const collectedMetrics = z.strictObject({
  scenes: z.array(
    z.strictObject({
      firstSeconds: z.number(),
      lastSeconds: z.number(),
      palette,
      movement: z.number(),
      brightness: z.number(),
      transition: z.enum(["cut", "fade"]).exactOptional(),
    }),
  ),
  palette,
}) satisfies z.ZodType<CollectedMetrics>;

export const measureMetrics = (frames: Readable, options: MeasureOptions): Promise<CollectedMetrics> =>
  measure("metrics", collectedMetrics, frames, options);

export const focusTrack = z.array(
  z.strictObject({
    startSeconds: z.number(),
    reason: z.enum(focusReasons),
    points: z.array(z.strictObject({ atSeconds: z.number(), x: z.number(), y: z.number() })).min(1),
  }),
) satisfies z.ZodType<FocusTrack>;

type FocusOptions = MeasureOptions & { readonly boxes?: readonly SubjectBox[] };

export const measureFocus = (frames: Readable, { boxes = [], ...options }: FocusOptions): Promise<FocusTrack> =>
  measure("focus", focusTrack, frames, options, JSON.stringify(boxes));

const flashes = z.strictObject({ perSecond: z.number(), at: z.number().exactOptional() });
const stretches = z.array(z.strictObject({ start: z.number(), end: z.number() }));

const pictureQuality = z.strictObject({
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

type QualityOptions = MeasureOptions & { readonly regions: readonly Region[] };

export const measureQuality = (frames: Readable, { regions, ...options }: QualityOptions): Promise<PictureQuality> =>
  measure("quality", pictureQuality, frames, options, JSON.stringify(regions));

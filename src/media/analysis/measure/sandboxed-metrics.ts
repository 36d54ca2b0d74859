import { join } from "node:path";
import type { Readable } from "node:stream";
import { z } from "zod";
import type { Size } from "../../../compiler/filters/geometry.ts";
import { runSandboxed } from "../../sandbox/one-shot-process.ts";
import type { CollectedMetrics } from "./metrics-collector.ts";

// the limit is on address space: below 3 GiB, Bun runs without its compiler, ten times slower
export const measureLimits = { cpuSeconds: 600, fileBytes: 0, memoryBytes: 2 ** 32 };

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

type MeasureOptions = { readonly size: Size; readonly signal: AbortSignal; readonly timeoutMilliseconds: number };

/** Measures the frames of an analysis stream in a sandboxed process. Throws as `runSandboxed`. */
export async function measureSandboxed(frames: Readable, options: MeasureOptions): Promise<CollectedMetrics> {
  const { size, ...rest } = options;
  const program = join(import.meta.dir, "metrics-program.ts");
  const printed = await runSandboxed(program, [`${size.width}`, `${size.height}`], {
    ...rest,
    reads: [],
    limits: measureLimits,
    input: frames,
  });
  return collectedMetrics.parse(printed);
}

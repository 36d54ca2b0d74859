import type { Timeline } from "../timeline/timeline.ts";
import type { Caller } from "./callers.ts";
import { resolveExport, type Warning } from "./export-request.ts";
import type { ExportRequest, Quality } from "./export-schema.ts";
import type { Services } from "./services.ts";
import type { Work } from "./works.ts";

/** A finished film on the disk; `dispose` removes it with all that was made on the way. */
export type RenderedFilm = {
  readonly path: string;
  readonly sizeBytes: number;
  dispose(): Promise<void>;
};

export type Renderer = {
  /** Renders a whole timeline to one MP4. Aborting stops every process and leaves no file. */
  render(
    timeline: Timeline,
    options: {
      readonly quality: Quality;
      readonly signal: AbortSignal;
      readonly onProgress?: (framesDone: number) => void;
    },
  ): Promise<RenderedFilm>;
};

export type ExportedFilm = { readonly film: RenderedFilm; readonly warnings: readonly Warning[] };

/** Runs an export to its end. `signal` aborts when nobody waits for it any more. */
export async function exportFilm(
  services: Services,
  caller: Caller,
  work: Work,
  request: ExportRequest,
  signal: AbortSignal,
): Promise<ExportedFilm> {
  const { timeline, quality, warnings, dispose } = await resolveExport(services, caller, work, request, signal);
  try {
    return { film: await services.renderer.render(timeline, { quality, signal }), warnings };
  } finally {
    await dispose();
  }
}

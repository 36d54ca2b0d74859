import type { Caller } from "./callers.ts";
import { resolveExport, type Warning } from "./export-request.ts";
import type { ExportRequest } from "./export-schema.ts";
import type { RenderedFilm } from "./rendering.ts";
import type { Services } from "./services.ts";
import type { Work } from "./works.ts";

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
    return { film: await services.renderer.render(timeline, { quality, signal, owner: caller.user.id }), warnings };
  } finally {
    await dispose();
  }
}

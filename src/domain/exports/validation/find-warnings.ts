import type { TaskOptions } from "../../../platform/task-options.ts";
import type { CompleteRequest } from "../fill-from-editor.ts";
import type { FoundMusic, MusicReference } from "../music.ts";
import type { ExportLayout } from "../resolve.ts";
import { targetsOf } from "../targets.ts";
import type { Warning } from "../warnings.ts";
import { frameWarnings } from "./frame-warnings.ts";
import { layoutWarnings } from "./layout-warnings.ts";
import { applyRules } from "./rules.ts";
import { type MeasureOptions, measureTargets } from "./target-layouts.ts";
import type { TextMeasurer } from "./text-measurer.ts";
import { textRules } from "./text-warnings.ts";

export type FindWarningsPorts = { readonly textMeasurer: TextMeasurer };

type Music = MusicReference | Pick<FoundMusic, "source">;

export type WarningsInput = {
  readonly request: CompleteRequest;
  readonly layout: ExportLayout;
  /** What `request.audio` refers to; undefined if there is no `audio`, or if it could not be looked up. */
  readonly music: Music | undefined;
};

/** For exports: what fails here is reported when the export fails. */
export const ignoreErrors = <T>(attempt: () => Promise<T>): Promise<T | undefined> => attempt().catch(() => undefined);

/** All warnings of a request. Texts whose measuring fails with an error that `attempt` accepts give none. */
export async function findWarnings(
  { textMeasurer }: FindWarningsPorts,
  { request, layout, music }: WarningsInput,
  { attempt = ignoreErrors, ...options }: TaskOptions & Partial<MeasureOptions>,
): Promise<readonly Warning[]> {
  const layouts = await measureTargets(textMeasurer, layout, targetsOf(request), { ...options, attempt });
  const [{ texts } = { texts: [] }] = layouts;
  return [
    ...layoutWarnings({ ...layout, ...musicFacts(request, music) }),
    ...applyRules(textRules, { texts }),
    ...frameWarnings(layouts),
  ];
}

/** An external file is not downloaded: it counts as audible. */
function musicFacts({ audio }: CompleteRequest, music: Music | undefined) {
  const isFound = music !== undefined && ("externalUrl" in music || music.source !== undefined);
  return { isMusicMissing: music !== undefined && !isFound, isMusicAudible: isFound && audio?.volume !== 0 };
}

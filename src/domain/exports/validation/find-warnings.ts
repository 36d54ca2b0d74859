import type { TaskOptions } from "../../../platform/task-options.ts";
import type { BrandUse } from "../../brand/branding.ts";
import type { CompleteRequest } from "../fill-from-editor.ts";
import { type ExportLayout, voicesOf } from "../resolve.ts";
import type { FoundSounds, SoundReference, SoundReferences } from "../sounds.ts";
import { targetsOf } from "../targets.ts";
import type { Warning } from "../warnings.ts";
import { brandWarnings, ofBrand } from "./brand-warnings.ts";
import { captionLookWarnings } from "./caption-look.ts";
import { frameWarnings } from "./frame-warnings.ts";
import { layoutWarnings } from "./layout-warnings.ts";
import { applyRules } from "./rules.ts";
import { type MeasureOptions, measureTargets } from "./target-layouts.ts";
import type { TextMeasurer } from "./text-measurer.ts";
import { textRules } from "./text-warnings.ts";

export type FindWarningsPorts = { readonly textMeasurer: TextMeasurer };

export type WarningsInput = {
  readonly request: CompleteRequest;
  readonly layout: ExportLayout;
  /** What could not be looked up is undefined. */
  readonly sounds: SoundReferences | Pick<FoundSounds, "music" | "voice">;
  /** Undefined if the request asks for no brand. */
  readonly brand?: BrandUse | undefined;
};

/** For exports: what fails here is reported when the export fails. */
export const ignoreErrors = <T>(attempt: () => Promise<T>): Promise<T | undefined> => attempt().catch(() => undefined);

/** All warnings of a request. Texts whose measuring fails with an error that `attempt` accepts give none. */
export async function findWarnings(
  { textMeasurer }: FindWarningsPorts,
  { request, layout, sounds, brand }: WarningsInput,
  { attempt = ignoreErrors, ...options }: TaskOptions & Partial<MeasureOptions>,
): Promise<readonly Warning[]> {
  const layouts = await measureTargets(textMeasurer, layout, targetsOf(request), { ...options, attempt });
  const [{ texts } = { texts: [] }] = layouts;
  const warnings = [
    ...layoutWarnings({
      ...layout,
      ...musicFacts(request, sounds.music),
      ...voiceFacts(request, layout, sounds.voice),
    }),
    ...applyRules(textRules, { texts }),
    ...(layouts[0] ? await captionLookWarnings(textMeasurer, layouts[0], { ...options, attempt }) : []),
    ...frameWarnings(layouts),
  ];
  return brand ? [...warnings.map((warning) => ofBrand(warning, brand)), ...brandWarnings(request, brand)] : warnings;
}

/** An external file is not downloaded: it counts as audible. */
function musicFacts({ audio }: CompleteRequest, music: SoundReference | undefined) {
  const isFound = music !== undefined && ("externalUrl" in music || music.source !== undefined);
  return { isMusicMissing: music !== undefined && !isFound, isMusicAudible: isFound && audio?.volume !== 0 };
}

/** The length of an external file is unknown until it is downloaded. */
function voiceFacts(request: CompleteRequest, layout: ExportLayout, named: SoundReference | undefined) {
  const voices = voicesOf(request, layout, named && "source" in named ? named.source : undefined);
  const isFound = voices.length > 0 || (named !== undefined && "externalUrl" in named);
  return { voices, missingVoices: layout.recorded.missing, isVoiceAudible: isFound && request.voice?.volume !== 0 };
}

import { DomainError } from "../../../errors.ts";
import { toSeconds } from "../../../timeline/time.ts";
import type { Caller } from "../../auth/caller.ts";
import type { Work } from "../../works/works.ts";
import { type CompleteRequest, fillFromEditor } from "../fill-from-editor.ts";
import { type LookUpMusicPorts, lookUpMusic } from "../music.ts";
import { buildLayout, finishTimeline } from "../resolve.ts";
import { AsyncExportRequest, type AudioRequest } from "../schema.ts";
import { type FindSourcesPorts, findSources, type SourceReferences } from "../sources.ts";
import { targetsOf, targetTimelines } from "../targets.ts";
import { type PlacedOverlay, type Warning, warningsOf } from "../warnings.ts";
import { webhookUrlField } from "../webhooks/webhooks.ts";
import { ErrorCollector, type ExportError } from "./error-collector.ts";
import { type Estimate, type EstimatePorts, estimateExport, unknownEstimate } from "./estimate.ts";
import { parseLeniently } from "./lenient-request.ts";
import { preflightWarnings } from "./preflight-warnings.ts";
import type { TextMeasurer } from "./text-measurer.ts";
import type { VisibleText } from "./text-warnings.ts";

/** What would happen if the request were exported now. */
export type ValidationReport = {
  readonly ok: boolean;
  /** Of each video; null if the request does not determine it. */
  readonly durationSeconds: number | null;
  /** Over all targets. */
  readonly frames: number | null;
  readonly errors: readonly ExportError[];
  readonly warnings: readonly Warning[];
} & Estimate;

const invalidReport = (errors: ErrorCollector): ValidationReport => ({
  ok: false,
  durationSeconds: null,
  frames: null,
  warnings: [],
  ...unknownEstimate,
  errors: errors.list,
});

export type ValidateExportPorts = FindSourcesPorts &
  LookUpMusicPorts &
  EstimatePorts & { readonly textMeasurer: TextMeasurer };

type Validation = {
  readonly ports: ValidateExportPorts;
  readonly caller: Caller;
  readonly work: Work;
  readonly errors: ErrorCollector;
};

/** Reports all errors and warnings of an export request together, and estimates its cost. Renders nothing. */
export async function validateExport(
  ports: ValidateExportPorts,
  caller: Caller,
  work: Work,
  body: unknown,
): Promise<ValidationReport> {
  const errors = new ErrorCollector();
  const validation = { ports, caller, work, errors };
  const request = parseRequest(body, errors);
  const complete = request && (await errors.capture(() => fillFromEditor(request, work), "clips"));
  const { webhook } = request ?? {};
  if (webhook) await errors.capture(() => ports.fetcher.checkUrl(webhook.url, { path: webhookUrlField }));
  if (complete) return await validateComplete(validation, complete);
  if (!request) await checkReferences(validation, body);
  return invalidReport(errors);
}

/** For a request that identifies no work: only its schema can be checked. */
export function validateWithoutWork(body: unknown): ValidationReport {
  const errors = new ErrorCollector();
  parseRequest(body, errors);
  return invalidReport(errors);
}

function parseRequest(body: unknown, errors: ErrorCollector): AsyncExportRequest | undefined {
  const parsed = AsyncExportRequest.safeParse(body);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => ({ path: path.join("."), message }));
  errors.add(new DomainError("validation_error", { issues }));
  return undefined;
}

/** Reports missing files of a request that does not match the schema. */
async function checkReferences(validation: Validation, body: unknown): Promise<void> {
  const { audio, ...references } = parseLeniently(body);
  await Promise.all([collectSources(validation, references), collectMusic(validation, audio)]);
}

async function collectSources({ ports, work, errors: collector }: Validation, references: SourceReferences) {
  const { errors, ...sources } = await findSources(ports, work, references);
  for (const error of errors) collector.add(error);
  return sources;
}

/** `music` is undefined for external URLs, which are not downloaded; they count as audible. */
async function collectMusic({ ports, caller, work, errors }: Validation, audio: AudioRequest | undefined) {
  const music = audio && (await errors.capture(() => lookUpMusic(ports, caller, work, audio)));
  if (!music) return { isAudible: false };
  const hasVolume = audio?.volume !== 0;
  if ("externalUrl" in music) return { isAudible: hasVolume };
  return { music, isAudible: music.source !== undefined && hasVolume };
}

async function validateComplete(validation: Validation, complete: CompleteRequest): Promise<ValidationReport> {
  const { ports, caller, work, errors } = validation;
  const [sources, { music, isAudible }] = await Promise.all([
    collectSources(validation, complete),
    collectMusic(validation, complete.audio),
  ]);
  const layout = buildLayout(complete, work, sources);
  const texts = await measureTexts(validation, layout.overlays);
  const exportLayout = { timeline: layout.timeline, warnings: warningsOf(layout) };
  const { timeline, warnings, quality } = finishTimeline(complete, exportLayout, music);
  const timelines = targetTimelines(timeline, complete);
  const targets = targetsOf(complete);
  const { frames } = timeline.track;
  return {
    ok: errors.isEmpty,
    durationSeconds: toSeconds(frames, timeline.rate),
    frames: frames * targets.length,
    errors: errors.list,
    warnings: [...warnings, ...preflightWarnings({ ...layout, texts, hasMusic: isAudible, targets })],
    ...(errors.isEmpty ? await estimateExport(ports, timelines, { quality, owner: caller.user.id }) : unknownEstimate),
  };
}

/** Measures the visible texts; unusable fonts become errors. */
async function measureTexts(
  { ports, errors }: Validation,
  overlays: readonly PlacedOverlay[],
): Promise<readonly VisibleText[]> {
  const texts: VisibleText[] = [];
  for (const { path, overlay } of overlays) {
    if (overlay?.content.kind !== "text" || overlay.opacity === 0) continue;
    const { content, rotationDegrees } = overlay;
    const measure = () => ports.textMeasurer.measure(content, rotationDegrees);
    const measured = await errors.capture(measure, `${path}.fontAssetId`);
    if (measured) texts.push({ ...measured, path, overlay, content });
  }
  return texts;
}

import { z } from "zod";
import type { FocusFinder } from "../../../../engine/ports.ts";
import { toSeconds } from "../../../../engine/timeline/time.ts";
import { DomainError } from "../../../../errors.ts";
import type { Caller } from "../../../accounts/caller.ts";
import { applyBrand, type BrandUse } from "../../../brand/branding.ts";
import type { BrandPorts } from "../../../brand/resolve.ts";
import { CaptionsRequest } from "../../../captions/schema.ts";
import { type AcceptDestinationsPorts, acceptDestinations } from "../../../destinations/accept.ts";
import { SceneIndex, Transition } from "../../../shared/schemas.ts";
import { issuesOf, parseInput } from "../../../shared/validation.ts";
import type { Work } from "../../../works/works.ts";
import { webhookUrlField } from "../../webhooks/webhooks.ts";
import { type CompleteRequest, fillFromEditor, withSceneIndexes } from "../fill-from-editor.ts";
import { type FindFocusPorts, type FocusChoice, findFocus, focusChoices } from "../focus.ts";
import { LayerList } from "../layers/schema.ts";
import { outputErrors, outputOf } from "../output.ts";
import { buildLayout, buildTimeline, requireSpokenWords } from "../resolve.ts";
import { AsyncExportRequest, AudioRequest, VoiceRequest } from "../schema.ts";
import { SoundFiles } from "../sound-list.ts";
import { knownSources, type LookUpSoundsPorts, lookUpSounds, type SoundsRequest } from "../sounds.ts";
import { type FindSourcesPorts, findSources, type SourceReferences } from "../sources.ts";
import { canvasOf, targetsOf, targetTimelines } from "../targets.ts";
import type { Warning } from "../warnings.ts";
import { ErrorCollector, type ExportError } from "./error-collector.ts";
import { type Estimate, type EstimatePorts, estimateExport, unknownEstimate } from "./estimate.ts";
import { type FindWarningsPorts, findWarnings } from "./find-warnings.ts";
import { savedWarnings } from "./saved-warnings.ts";
import type { Attempt } from "./target-layouts.ts";

/** The result that an export of the request would have now. */
export type ValidationReport = {
  readonly ok: boolean;
  /** The duration of each video; null if the request does not determine it. */
  readonly durationSeconds: number | null;
  /** The sum over all targets. */
  readonly frames: number | null;
  readonly errors: readonly ExportError[];
  readonly warnings: readonly Warning[];
  /** The focus of the measured clips; absent without any. */
  readonly focus?: readonly FocusChoice[];
} & Estimate;

const invalidReport = (errors: ErrorCollector): ValidationReport => ({
  ok: false,
  durationSeconds: null,
  frames: null,
  warnings: [],
  ...unknownEstimate,
  errors: errors.list,
});

type ValidateExportPorts = BrandPorts &
  CheckRequestPorts &
  EstimatePorts &
  Pick<AcceptDestinationsPorts, "destinations"> & { readonly focusFinder: FocusFinder };

type Validation<Ports = ValidateExportPorts> = {
  readonly ports: Ports;
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
  const filled = request && (await errors.capture(() => fillFromEditor(ports, request, work), "clips"));
  const branded = filled && (await errors.capture(() => brandFor(validation, filled)));
  const { webhook, destinations } = request ?? {};
  if (webhook) await errors.capture(() => ports.fetcher.checkUrl(webhook.url, { path: webhookUrlField }));
  if (destinations) {
    const targets = targetsOf(filled ?? request ?? {});
    // nothing is stored, and no address is looked up
    const unstored = { seal: () => "" };
    const fetcher = { resolveHost: async (url: string, at: { path: string }) => ports.fetcher.checkUrl(url, at) };
    const checks = { destinations: ports.destinations, destinationBox: unstored, fetcher };
    await errors.capture(() => acceptDestinations(checks, work.projectId, destinations, targets));
  }
  if (branded) return await validateComplete(validation, { ...branded, sent: request });
  if (!request) await checkReferences(validation, body);
  return invalidReport(errors);
}

/** For a request that does not identify a work: only its schema can be checked. */
export function validateWithoutWork(body: unknown): ValidationReport {
  const errors = new ErrorCollector();
  parseRequest(body, errors);
  return invalidReport(errors);
}

function parseRequest(body: unknown, errors: ErrorCollector): AsyncExportRequest | undefined {
  const parsed = parseInput(AsyncExportRequest, body);
  if (parsed.success) return parsed.data;
  errors.add(new DomainError("validation_error", { issues: issuesOf(parsed.error) }));
  return undefined;
}

/** Reports missing files of a request that does not match the schema. */
async function checkReferences(validation: Validation, body: unknown): Promise<void> {
  const { audio, voice, clips, ...others } = parseLeniently(body);
  const references = { ...others, clips: withSceneIndexes(clips, validation.work) };
  const sounds = { audio, voice, sounds: others.sounds };
  await Promise.all([collectSources(validation, references), collectSounds(validation, sounds)]);
}

async function collectSources(
  { ports, work, errors: collector }: Validation<FindSourcesPorts>,
  references: SourceReferences,
) {
  const { errors, ...sources } = await findSources(ports, work, references);
  for (const error of errors) collector.add(error);
  return sources;
}

const collectSounds = ({ ports, caller, work, errors }: Validation<LookUpSoundsPorts>, request: SoundsRequest) =>
  lookUpSounds(ports, caller, work, request, (lookUp) => errors.capture(lookUp));

const brandFor = ({ ports, caller, work }: Validation, request: CompleteRequest) =>
  applyBrand(ports, { userId: caller.user.id, projectId: work.projectId, canvas: canvasOf(request, work) }, request);

type Branded = {
  readonly request: CompleteRequest;
  readonly use?: BrandUse | undefined;
  /** The request before it was completed. */
  readonly sent: AsyncExportRequest;
};

export type CheckRequestPorts = FindSourcesPorts & FindFocusPorts & LookUpSoundsPorts & FindWarningsPorts;

/** Finds the resources of a complete request, and lays out its video; its errors go to the collector. */
export async function layOutRequest(validation: Validation<CheckRequestPorts>, complete: CompleteRequest) {
  const [sources, sounds] = await Promise.all([
    collectSources(validation, complete),
    collectSounds(validation, complete),
  ]);
  const { ports, work, caller } = validation;
  const focus = await findFocus(ports, work, complete.clips, sources.clips, { owner: caller.user.id });
  const layout = buildLayout(complete, work, { ...sources, focus });
  for (const error of [...layout.errors, ...outputErrors(complete, layout.timeline)]) validation.errors.add(error);
  await validation.errors.capture(() => requireSpokenWords(complete, layout));
  return { sources, sounds, layout };
}

type LaidOut = Awaited<ReturnType<typeof layOutRequest>>;

/** The warnings of a laid out request; texts that cannot be measured are errors. */
export function requestWarnings(
  { ports, caller, errors }: Validation<FindWarningsPorts>,
  request: CompleteRequest,
  { layout, sounds }: Pick<LaidOut, "layout" | "sounds">,
  brand?: BrandUse,
): Promise<readonly Warning[]> {
  const attempt: Attempt = (measure, path) => errors.capture(measure, path);
  return findWarnings(ports, { request, layout, sounds, brand }, { owner: caller.user.id, attempt });
}

async function validateComplete(
  validation: Validation,
  { request: complete, use: brand, sent }: Branded,
): Promise<ValidationReport> {
  const { ports, caller, work, errors } = validation;
  // an answer may come before a focus is measured, an export may not
  const soon = { ...ports, focusFinder: { find: ports.focusFinder.findSoon } };
  const { layout, sounds } = await layOutRequest({ ...validation, ports: soon }, complete);
  const found = await requestWarnings(validation, complete, { layout, sounds }, brand);
  const warnings = [...found, ...savedWarnings(sent, work)];
  const owner = caller.user.id;
  const { timeline, quality } = buildTimeline(complete, layout, knownSources(sounds));
  const timelines = targetTimelines(timeline, complete);
  const { frames } = timeline.track;
  const options = { quality, owner, projectId: work.projectId, output: outputOf(complete) };
  const focus = focusChoices(layout);
  return {
    ok: errors.isEmpty,
    durationSeconds: toSeconds(frames, timeline.rate),
    frames: frames * timelines.length,
    errors: errors.list,
    warnings,
    ...(focus.length > 0 && { focus }),
    ...(errors.isEmpty ? await estimateExport(ports, timelines, options) : unknownEstimate),
  };
}

/** Replaces invalid values by undefined. */
const lenient = <Schema extends z.ZodType>(schema: Schema) => schema.optional().catch(undefined);

const lenientArray = <Schema extends z.ZodType>(schema: Schema) => lenient(z.array(lenient(schema)));

const LenientRequest = lenient(
  z.object({
    clips: lenientArray(
      z.object({
        sceneIndex: SceneIndex,
        transition: lenient(Transition),
        transitionAssetId: lenient(z.string().max(100)),
      }),
    ),
    texts: lenientArray(z.object({ fontAssetId: lenient(z.string().max(100)) })),
    images: lenientArray(z.object({ assetId: z.string().max(100) })),
    layers: lenient(LayerList),
    sounds: lenientArray(SoundFiles),
    audio: lenient(AudioRequest),
    voice: lenient(VoiceRequest),
    captions: lenient(CaptionsRequest),
  }),
);

/** The references of an invalid request, so that missing files are reported together with its schema errors. */
function parseLeniently(body: unknown): SourceReferences & SoundsRequest {
  const { clips = [], ...references } = LenientRequest.parse(body) ?? {};
  return { clips, ...references };
}

import type { FileStore } from "../../../engine/ports.ts";
import { formatTable } from "../../../engine/timeline/format.ts";
import { DomainError, invalid } from "../../../errors.ts";
import { isProcessStop } from "../../../platform/async.ts";
import type { Caller } from "../../accounts/caller.ts";
import { applyBrand, type BrandUse } from "../../brand/branding.ts";
import type { BrandPorts } from "../../brand/resolve.ts";
import {
  type AcceptDestinationsPorts,
  acceptDestinations,
  deliveriesOf,
  requiresGate,
} from "../../destinations/accept.ts";
import type { DestinationRequest } from "../../destinations/schema.ts";
import type { GateReport } from "../../gate/report.ts";
import type { Checkpoints } from "../../idempotency/checkpoints.ts";
import type { Settings } from "../../shared/settings.ts";
import { requireFound } from "../../shared/versioned.ts";
import type { EditorState } from "../../works/editor-state.ts";
import type { Work } from "../../works/works.ts";
import { type CompleteRequest, fillFromEditor } from "../request/fill-from-editor.ts";
import { laterFocus } from "../request/focus.ts";
import { formatOf, outputErrors } from "../request/output.ts";
import { resolveLayout } from "../request/resolve.ts";
import type { AsyncExportRequest, ExportRequest } from "../request/schema.ts";
import { hasGeneratedSounds, type LookUpSoundsPorts, lookUpSounds, type SoundReferences } from "../request/sounds.ts";
import type { FindSourcesPorts } from "../request/sources.ts";
import { canvasOf, targetsOf } from "../request/targets.ts";
import { withTextLanguages } from "../request/text-languages.ts";
import { type FindWarningsPorts, findWarnings, ignoreErrors } from "../request/validation/find-warnings.ts";
import { savedWarnings } from "../request/validation/saved-warnings.ts";
import { type AcceptWebhookPorts, acceptWebhook } from "../webhooks/webhooks.ts";
import {
  type ExportJob,
  type ExportState,
  type ExportStore,
  errorOf,
  type FollowExportPorts,
  followExport,
  hasEnded,
  newExportId,
  newExportJob,
} from "./jobs.ts";

export type RequestExportPorts = BrandPorts &
  FindSourcesPorts &
  LookUpSoundsPorts &
  FindWarningsPorts &
  AcceptWebhookPorts &
  AcceptDestinationsPorts & {
    readonly exports: Pick<ExportStore, "add" | "find">;
    readonly settings: Pick<Settings, "exportRetentionMs">;
  };

/** The orderer of an export, and the checkpoints of earlier attempts at the order. */
type ExportOrder = { readonly caller: Caller; readonly checkpoints: Checkpoints };

/** The name of the checkpoint that has the id of a requested export. */
export const exportStep = "export";

/** Enqueues an export, or finds the one of an earlier attempt. `check` receives the complete request. */
export const requestExport = (
  ports: RequestExportPorts,
  { caller, checkpoints }: ExportOrder,
  work: Work,
  { webhook, destinations = [], ...asked }: AsyncExportRequest,
  check: (complete: CompleteRequest) => void = () => {},
): Promise<ExportJob> =>
  checkpoints.createOnce(exportStep, {
    newId: newExportId,
    find: (id) => ports.exports.find(caller.user.id, id),
    async create(id) {
      // a video that needs the gate is checked
      const gate = asked.gate ?? (requiresGate(destinations) ? ("warn" as const) : undefined);
      const request = gate === undefined ? asked : { ...asked, gate };
      const filled = await fillFromEditor(ports, request, work);
      check(filled);
      return await enqueueExport(ports, { id, caller, work, webhook, destinations, sent: request }, filled);
    },
  });

type EnqueuedExport = Pick<ExportJob, "id"> &
  Pick<ExportOrder, "caller"> & { readonly work: Work; readonly sent: ExportRequest } & Pick<
    AsyncExportRequest,
    "webhook"
  > & { readonly destinations: readonly DestinationRequest[] };

/**
 * The job stores the complete request, with the overlays of the brand, so later changes of the work's editor and of the
 * brand do not affect it. Throws the request's errors, except those of its sounds and of damaged fonts, with which the
 * export ends, busy if the queue is full, and limit_reached or rate_limited if the user may request no more.
 */
async function enqueueExport(
  ports: RequestExportPorts,
  { id, caller, work, webhook, destinations, sent }: EnqueuedExport,
  filled: CompleteRequest,
): Promise<ExportJob> {
  const canvas = canvasOf(filled, work);
  const sized = { ...filled, options: { ...filled.options, ...canvas } };
  const { request: branded, use: brand } = await applyBrand(
    ports,
    { userId: caller.user.id, projectId: work.projectId, canvas },
    sized,
  );
  const sounds = await lookUpSounds(ports, caller, work, branded, ignoreErrors);
  const settled = withTextLanguages(withSettledDisclosure(branded, sounds), work);
  const complete = withSettledRules(settled, brand);
  const layout = await resolveLayout({ ...ports, focusFinder: laterFocus }, work, complete, {
    owner: caller.user.id,
  });
  const [wrong] = outputErrors(complete, layout.timeline);
  if (wrong) throw wrong;
  const frames = layout.timeline.track.frames * targetsOf(complete).length;
  const input = { request: complete, layout, sounds, brand };
  const warnings = [...(await findWarnings(ports, input, { owner: caller.user.id })), ...savedWarnings(sent, work)];
  const retentionMs = ports.settings.exportRetentionMs;
  const job = newExportJob({ id, caller, work, request: complete, frames, warnings, retentionMs });
  if (destinations.length > 0) requireSending(caller);
  const accepted = await acceptDestinations(ports, work.projectId, destinations, targetsOf(complete));
  const deliveries = targetsOf(complete).flatMap((target) =>
    deliveriesOf(accepted, { ...namesOf(job, complete), target }),
  );
  await ports.exports.add(job, webhook && (await acceptWebhook(ports, webhook)), deliveries);
  return job;
}

/** A credential that only reads may render, but not publish. */
function requireSending({ scopes: granted }: Caller): void {
  if (granted.includes("works:write")) return;
  throw new DomainError("insufficient_scope", { required: ["works:write"], granted });
}

const namesOf = ({ id: exportId, userId, projectId, workId, name }: ExportJob, request: CompleteRequest) => ({
  ...{ exportId, userId, projectId, workId, name, fileName: name },
  extension: formatTable[formatOf(request)].extension,
  isOneOfSeveral: targetsOf(request).length > 1,
});

/** Fixes the disclosure, so that processes that do not look up the sounds draw the same pictures. */
const withSettledDisclosure = (request: CompleteRequest, sounds: SoundReferences): CompleteRequest =>
  request.options?.disclosure === "auto" && hasGeneratedSounds(sounds)
    ? { ...request, options: { ...request.options, disclosure: {} } }
    : request;

type ExportAndWaitPorts = RequestExportPorts & FollowExportPorts & { readonly exports: Pick<ExportStore, "cancel"> };

/** Waits until the export is done. Aborting `signal` cancels it, unless the process stops. Throws its failure. */
export async function exportAndWait(
  ports: ExportAndWaitPorts,
  order: ExportOrder,
  work: Work,
  request: ExportRequest,
  signal: AbortSignal,
  onQueued: () => void,
  check = requireOneVideo,
): Promise<ExportState> {
  const shown = check === requireOneVideo ? withOneFrame(work) : work;
  const requested = await requestExport(ports, order, shown, request, check);
  onQueued();
  let last: ExportState = requested;
  try {
    for await (const job of followExport(ports, requested, signal, "status")) last = job;
  } finally {
    // a failure to follow the export does not end it; only the client's disconnect does
    if (signal.aborted && !isProcessStop(signal) && !hasEnded(last))
      await ports.exports.cancel(requested.id, Date.now());
  }
  signal.throwIfAborted();
  if (last.status !== "done") await order.checkpoints.forgetCreated(exportStep);
  if (last.failure) throw errorOf(last.failure);
  // the owner removed or cancelled it meanwhile
  if (last.status !== "done") throw new DomainError("not_found", {});
  return last;
}

/** Removes the film's targets: one video has the work's own frame. Rejects targets that a caller has saved. */
function withOneFrame(work: Work): Work {
  if (!work.editorState) return work;
  const { targets: _, ...editorState } = work.editorState;
  // safe because only an optional field is missing
  return { ...work, editorState: editorState as EditorState };
}

function requireOneVideo({ options }: CompleteRequest): void {
  if (!options?.targets) return;
  throw invalid("options.targets", "Send targets to POST /api/exports, or with Prefer: respond-async.");
}

export type RemoveExportPorts = {
  readonly exports: Pick<ExportStore, "remove">;
  readonly files: Pick<FileStore, "remove">;
};

/** Removes an export and its videos; a running export is cancelled. */
export async function removeExport(
  { exports, files }: RemoveExportPorts,
  { userId, id }: Pick<ExportState, "id" | "userId">,
): Promise<void> {
  await files.remove((await exports.remove(userId, id, Date.now())) ?? []);
}

type CheckExportPorts = ExportAndWaitPorts & RemoveExportPorts;

/** Renders a request, checks its videos and removes them. Throws like `exportAndWait`. */
export async function checkExport(
  ports: CheckExportPorts,
  order: ExportOrder,
  work: Work,
  request: ExportRequest,
  signal: AbortSignal,
  onQueued: () => void,
): Promise<GateReport> {
  const checked = { ...request, gate: "warn" as const };
  const state = await exportAndWait(ports, order, work, checked, signal, onQueued, () => {});
  const { gateReport } = requireFound(await ports.exports.find(state.userId, state.id));
  await removeExport(ports, state);
  return requireFound(gateReport);
}

/** The gate checks a video against the brand at the time of the request. */
export function withSettledRules(request: CompleteRequest, use: BrandUse | undefined): CompleteRequest {
  if (!request.gate || !use) return request;
  const { rules = {} } = request;
  const { palette = {}, logo } = use.brand;
  const colors = Object.values(palette).flatMap((color) => color ?? []);
  const assetId = rules.logo?.assetId ?? logo?.asset.id;
  return {
    ...request,
    rules: {
      ...rules,
      ...(colors.length > 0 && !rules.palette && { palette: colors }),
      ...(assetId !== undefined && { logo: { ...rules.logo, assetId } }),
    },
  };
}

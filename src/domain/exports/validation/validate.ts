import { DomainError } from "../../../errors.ts";
import { toSeconds } from "../../../timeline/time.ts";
import type { Caller } from "../../auth/caller.ts";
import type { Services } from "../../services.ts";
import type { Work } from "../../works/works.ts";
import { type CompleteRequest, completeRequest } from "../complete.ts";
import { namedMusic } from "../music.ts";
import { finishExport, layFilm } from "../resolve.ts";
import type { AudioRequest } from "../schema.ts";
import { findSources, type NamedSources } from "../sources.ts";
import { targetsOf, timelinesOf } from "../targets.ts";
import { type LaidOverlay, type Warning, warningsOf } from "../warnings.ts";
import { AsyncExportRequest } from "../webhooks/schema.ts";
import { webhookUrlPath } from "../webhooks/webhooks.ts";
import { type Fault, Faults } from "./error-collector.ts";
import { type Estimate, estimateOf, unestimated } from "./estimate.ts";
import { readableIn } from "./lenient-request.ts";
import { closeWarningsOf } from "./preflight-warnings.ts";
import type { ShownText } from "./text-warnings.ts";

/** What an export of a request would come to. */
export type Verdict = {
  readonly ok: boolean;
  /** Of each film; null while the request does not say how long that is. */
  readonly durationSeconds: number | null;
  /** Of all films together. */
  readonly frames: number | null;
  readonly errors: readonly Fault[];
  readonly warnings: readonly Warning[];
} & Estimate;

const unknown: Omit<Verdict, "errors"> = {
  ...{ ok: false, durationSeconds: null, frames: null, warnings: [] },
  ...unestimated,
};

/** Tells all at once what an export would fail of, what it would bear, and what it would cost. Nothing is rendered. */
export async function judgeExport(services: Services, caller: Caller, work: Work, body: unknown): Promise<Verdict> {
  const faults = new Faults();
  const request = readRequest(body, faults);
  const complete = request && (await faults.orNote(() => completeRequest(request, work), "clips"));
  const order = { services, caller, work, faults };
  const { webhook } = request ?? {};
  if (webhook) await faults.orNote(() => services.fetcher.check(webhook.url, { path: webhookUrlPath }));
  if (complete) return await judgeFilm(order, complete);
  if (!request) await findNamed(order, body);
  return { ...unknown, errors: faults.list };
}

/** The same for a request that does not even name a work: nothing of it can be looked for. */
export function judgeNameless(body: unknown): Verdict {
  const faults = new Faults();
  readRequest(body, faults);
  return { ...unknown, errors: faults.list };
}

function readRequest(body: unknown, faults: Faults): AsyncExportRequest | undefined {
  const parsed = AsyncExportRequest.safeParse(body);
  if (parsed.success) return parsed.data;
  faults.add(new DomainError("validation_error", { issues: issuesIn(parsed.error) }));
  return undefined;
}

const issuesIn = ({ issues }: { readonly issues: readonly { path: PropertyKey[]; message: string }[] }) =>
  issues.map(({ path, message }) => ({ path: path.join("."), message }));

type Order = {
  readonly services: Services;
  readonly caller: Caller;
  readonly work: Work;
  readonly faults: Faults;
};

/** Looks for what a request names that is not valid as a whole. */
async function findNamed(order: Order, body: unknown): Promise<void> {
  const { audio, ...named } = readableIn(body);
  await Promise.all([sourcesOf(order, named), musicIn(order, audio)]);
}

async function sourcesOf({ services, work, faults }: Order, named: NamedSources) {
  const { errors, ...sources } = await findSources(services, work, named);
  for (const error of errors) faults.add(error);
  return sources;
}

/** The music as far as it is known, and whether any will be heard. */
async function musicIn({ services, caller, work, faults }: Order, audio: AudioRequest | undefined) {
  const named = audio && (await faults.orNote(() => namedMusic(services, caller, work, audio)));
  if (!named) return { isHeard: false };
  const isAudible = audio?.volume !== 0;
  if ("externalUrl" in named) return { isHeard: isAudible };
  return { known: named, isHeard: named.source !== undefined && isAudible };
}

async function judgeFilm(order: Order, complete: CompleteRequest): Promise<Verdict> {
  const { services, caller, work, faults } = order;
  const owner = caller.user.id;
  const [sources, music] = await Promise.all([sourcesOf(order, complete), musicIn(order, complete.audio)]);
  const film = layFilm(complete, work, sources);
  const texts = await measure(order, film.overlays);
  const known = { timeline: film.timeline, warnings: warningsOf(film) };
  const { track } = film.timeline;
  const { timeline, warnings, quality } = finishExport(complete, known, music.known);
  const timelines = timelinesOf(timeline, complete);
  const targets = targetsOf(complete);
  return {
    ok: faults.isEmpty,
    durationSeconds: toSeconds(track.frames, timeline.rate),
    frames: track.frames * targets.length,
    errors: faults.list,
    warnings: [...warnings, ...closeWarningsOf({ ...film, texts, hasMusic: music.isHeard, targets })],
    ...(faults.isEmpty ? await estimateOf(services, timelines, { quality, owner }) : unestimated),
  };
}

/** The texts that are seen, laid out as they would be drawn. */
async function measure({ services, faults }: Order, overlays: readonly LaidOverlay[]): Promise<readonly ShownText[]> {
  const texts: ShownText[] = [];
  for (const { path, overlay } of overlays) {
    if (overlay?.picture.kind !== "text" || overlay.opacity === 0) continue;
    const { picture, rotationDegrees } = overlay;
    const measured = await faults.orNote(
      () => services.textMeasurer.measure(picture, rotationDegrees),
      `${path}.fontAssetId`,
    );
    if (measured) texts.push({ ...measured, path, overlay, picture });
  }
  return texts;
}
